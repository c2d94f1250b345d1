"""Made-up runs of a language-model trainer: healthy, and with most things wrong. Steps from 0, one column a metric.

The healthy shapes and autocorrelations are those measured on public runs (rewards φ 0.2 to 0.3, lengths 0.24, KL to the
reference 0.5, gradient norms heavy-tailed): what changes in a healthy run changes here too.
"""

from __future__ import annotations

import numpy as np

from rl_diag_plugin.metrics import actor, critic, rollout, update
from rl_diag_plugin.metrics.base import Metric
from rl_diag_plugin.model import Chunk, Column, Floats

Run = dict[Metric, Floats]
SEQUENCES = 256
EVAL_EVERY = 20


def ar(rng: np.random.Generator, n: int, phi: float) -> Floats:
    """AR(1) noise of standard deviation 1."""
    noise = rng.standard_normal(n) * np.sqrt(1 - phi * phi)
    out, last = noise.tolist(), 0.0
    for i, x in enumerate(out):
        last = phi * last + x
        out[i] = last
    return np.array(out)


def healthy(n: int, seed: int) -> Run:
    """A run that learns: reward rises and saturates, entropy falls, lengths grow by a quarter, nothing is wrong."""
    rng = np.random.default_rng([seed, n])
    t = np.arange(n)
    rise = 1 - np.exp(-t / min(250, n / 4))
    p = np.clip(0.3 + 0.35 * rise + 0.03 * ar(rng, n, 0.3), 0.01, 0.99)
    reward = rng.binomial(SEQUENCES, p) / SEQUENCES
    length = 300 * (1 + 0.28 * rise) * np.exp(0.05 * ar(rng, n, 0.24))
    kl = 4e-4 * np.exp(0.3 * ar(rng, n, 0.5))
    ratio = np.exp(0.15 * np.abs(rng.standard_normal(n)))
    return {
        rollout.ROLLOUT_REWARD: reward.copy(),  # a synchronous run without a filter: the batch is what was sampled
        actor.TASK_REWARD: reward,
        actor.TASK_REWARD.min: np.zeros(n),
        actor.TASK_REWARD.max: np.ones(n),
        rollout.REWARD_STD: np.sqrt(reward * (1 - reward)),
        rollout.EVAL_REWARD: np.clip(p + 0.02 * rng.standard_normal(n), 0, 1),
        rollout.ZERO_VARIANCE_RATIO: rng.binomial(32, 0.1 + 0.15 * rise) / 32,
        actor.N_SEQS: np.full(n, float(SEQUENCES)),
        actor.NO_EOS_RATIO: rng.binomial(SEQUENCES, 0.02, n) / SEQUENCES,
        rollout.RESPONSE_LEN: length,
        actor.SEQ_LEN: length + 100,
        actor.KL_REWARDS: -1e-3 * np.abs(ar(rng, n, 0.5)),
        actor.REF_KL: np.clip(0.08 * rise * np.exp(0.2 * ar(rng, n, 0.5)), 0, None),
        update.ENTROPY: (0.5 + 0.7 * np.exp(-t / 200)) * np.exp(0.05 * ar(rng, n, 0.3)),
        update.IMPORTANCE_WEIGHT: 1 + 2e-4 * rng.standard_normal(n),
        update.IMPORTANCE_WEIGHT.max: ratio * 1.2,
        update.IMPORTANCE_WEIGHT.min: 1 / (ratio * 1.2),
        update.APPROX_KL: np.abs(2e-4 * rng.standard_normal(n)),
        update.CLIP_RATIO: rng.binomial(20_000, 0.001, n) / 20_000,
        update.BEHAVE_IMP_WEIGHT: 1 + 1e-3 * ar(rng, n, 0.3),
        update.BEHAVE_KL: kl,
        update.BEHAVE_APPROX_KL: kl,
        update.POLICY_BEHAVE_KL: 2 * kl,
        update.BEHAVE_MASKED_RATIO: rng.binomial(20_000, 0.0005, n) / 20_000,
        update.STALENESS: np.clip(1 + 0.1 * ar(rng, n, 0.3), 0, None),
        update.GRAD_NORM: np.exp(-1 + 0.35 * rng.standard_t(4, n) / np.sqrt(2)),
        update.LR: np.full(n, 1e-6),
        update.UPDATE_SUCCESSFUL: np.ones(n),
        critic.CRITIC_LOSS: 0.2 * np.exp(-t / 300) + 0.05 * np.exp(0.2 * ar(rng, n, 0.3)),
        critic.EXPLAINED_VARIANCE: np.clip(0.6 * rise + 0.1 + 0.05 * ar(rng, n, 0.3), None, 1),
    }


def sick(n: int, seed: int) -> Run:
    """From a quarter on most things are wrong, and gradients spike all the time."""
    run, h = healthy(n, seed), n // 4
    rng = np.random.default_rng([seed, n, 1])
    for metric in (rollout.ROLLOUT_REWARD, actor.TASK_REWARD, rollout.EVAL_REWARD):
        run[metric][h:] *= 0.2
    run[rollout.ZERO_VARIANCE_RATIO][h:] = 0.95
    run[actor.NO_EOS_RATIO][h:] = rng.binomial(SEQUENCES, 0.3, n - h) / SEQUENCES
    run[rollout.RESPONSE_LEN][h:] *= 0.3
    run[actor.KL_REWARDS][h:] = 0.2
    run[actor.REF_KL][h:] += 3
    run[update.ENTROPY][h:] *= 0.02
    run[update.IMPORTANCE_WEIGHT][h:] = 1.5
    run[update.IMPORTANCE_WEIGHT.max][h:] = 80
    run[update.CLIP_RATIO][h:] = 0.4
    run[update.BEHAVE_IMP_WEIGHT][h:] = 0.4
    for metric in (update.BEHAVE_KL, update.BEHAVE_APPROX_KL, update.POLICY_BEHAVE_KL):
        run[metric][h:] = 0.3
    run[update.STALENESS][h:] = 12
    run[update.GRAD_NORM][rng.random(n) < 0.05] *= 30
    run[update.GRAD_NORM][h::3] = 0
    run[update.LR][h:] = 0
    run[update.UPDATE_SUCCESSFUL][h::2] = 0.5
    run[critic.CRITIC_LOSS][h:] *= 50
    run[critic.EXPLAINED_VARIANCE][h:] = -2
    return run


def chunk(run: Run, start: int, stop: int) -> Chunk:
    """Rows ``start`` … ``stop`` as a source hands them out; evaluations come every ``EVAL_EVERY`` rows."""
    columns = {}
    for metric, values in run.items():
        if metric is rollout.EVAL_REWARD:
            rows = np.arange(start + (-start) % EVAL_EVERY, stop, EVAL_EVERY)
            if len(rows):
                columns[metric.name] = Column(rows - start, values[rows])
        else:
            columns[metric.name] = Column(None, values[start:stop])
    return Chunk(np.arange(start, stop), columns)
