"""A made-up run of AReaL 1.0.4, healthy or broken: 16 prompts × 8 samples a step, rewards 0 or 1.

Levels and jitter are those of small real runs; what is counted (rewards, lengths, advantages) is counted from drawn samples.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ..model import Floats

STEPS = 120
PROMPTS, SAMPLES = 16, 8
MAX_NEW_TOKENS = 24
EVAL_EVERY, EVAL_SAMPLES = 10, 256
LR = 5e-4
CAP = 5.0
Row: TypeAlias = dict[str, float]

CONFIG = f"""\
experiment_name: demo
trial_name: {{name}}
seed: 1
total_train_epochs: 1
total_train_steps: {STEPS}
cluster:
  n_nodes: 1
  n_gpus_per_node: 2
rollout:
  backend: "sglang:d1p1t1"
  consumer_batch_size: {PROMPTS}
  max_head_offpolicyness: 2
gconfig:
  n_samples: {SAMPLES}
  max_new_tokens: {MAX_NEW_TOKENS}
  temperature: 1.0
actor:
  backend: "fsdp:d1p1t1"
  optimizer:
    type: adam
    lr: {LR:.1e}
    gradient_clipping: 1.0
  eps_clip: 0.4
  temperature: 1.0
  kl_ctl: 0.0
  mask_no_eos_with_zero: false
  ppo_n_minibatches: 2
  recompute_logprob: true
  use_decoupled_loss: true
  rejection_sampling:
    metric: ratio
    upper: {CAP}
  reward_norm:
    mean_level: group
    std_level: group
    group_size: {SAMPLES}
  adv_norm:
    mean_level: batch
    std_level: batch
train_dataset:
  batch_size: {PROMPTS}
  max_length: 16
evaluator:
  freq_steps: {EVAL_EVERY}
  eval_before_train: true
saver:
  freq_epochs: 1
"""


@dataclass(frozen=True, slots=True)
class Faults:
    """The first step of each fault; None: it never happens.

    ``outage``: the verifier scores everything 0. ``mismatch``: the sampler's probabilities are no longer the trainer's.
    """

    outage: int | None = None
    mismatch: int | None = None


def rows(faults: Faults, seed: int) -> Iterator[Row]:
    """What is logged at step 0, 1, …; in single precision, as the trainer logs it."""
    rng = np.random.default_rng(seed)
    for step in range(STEPS):
        row = _row(step, faults, rng)
        yield {key: float(np.float32(value)) for key, value in row.items()}


def _row(step: int, faults: Faults, rng: np.random.Generator) -> Row:
    skill = 0.33 + 0.5 * (1 - np.exp(-step / 40))
    out = faults.outage is not None and step >= faults.outage
    # The queue still holds two batches that were scored before the outage; the second is already mixed.
    scored = 1.0 if not out else max(0.0, 1.0 - 0.5 * (step - (faults.outage or 0)))
    batch = _batch(step, skill, scored, rng)
    mismatched = faults.mismatch is not None and step >= faults.mismatch
    window = int(rng.integers(110, 160))
    row = {"rollout/reward": 0.0 if out else rng.binomial(window, skill) / window, "rollout/accepted": 1.0}
    if step == 0 or (step + 1) % EVAL_EVERY == 0:
        row["eval-rollout/reward"] = 0.0 if out else rng.binomial(EVAL_SAMPLES, min(0.98, skill + 0.05)) / EVAL_SAMPLES
    moves = bool(np.any(batch.advantages))
    return row | batch.logged() | _update(step, batch, moves, mismatched, rng) | _times(rng)


@dataclass(frozen=True, slots=True)
class _Batch:
    rewards: Floats  # (prompts, samples)
    prompts: Floats
    completions: Floats
    advantages: Floats

    @property
    def lengths(self) -> Floats:
        return self.prompts + self.completions

    @property
    def tokens(self) -> int:
        return int(self.completions.sum())

    def logged(self) -> Row:
        lengths, right = self.lengths, self.rewards > 0
        row = {"ppo_actor/n_seqs": float(lengths.size), "ppo_actor/n_valid_tokens": float(self.tokens)}
        row["ppo_actor/n_tokens"] = float(lengths.size * lengths.max())
        for kind, chosen in (("correct", right), ("incorrect", ~right)):
            row[f"ppo_actor/{kind}_n_seqs"] = float(chosen.sum())
            if chosen.any():  # an empty denominator logs no key at all
                row |= _statistics(f"ppo_actor/{kind}_seq_len", lengths[chosen])
        row |= _statistics("ppo_actor/task_reward", self.rewards)
        row |= _statistics("ppo_actor/advantages", self.advantages)
        row |= _statistics("ppo_actor/kl_rewards", np.zeros(1))
        # AReaL counts a sequence as without EOS where it is as wide as its padded batch, whether it ended or not.
        row |= _statistics("ppo_actor/no_eos_ratios", (lengths == lengths.max()).astype(float))
        row |= _statistics("ppo_actor/prompt_len", self.prompts) | _statistics("ppo_actor/seq_len", lengths)
        return row | {"ppo_actor/mask_no_eos_with_zero": 0.0, "ppo_actor/eps_clip": 0.4, "ppo_actor/use_dual_clip": 0.0,
                      "ppo_actor/rs_upper": CAP}  # fmt: skip


def _batch(step: int, skill: float, scored: float, rng: np.random.Generator) -> _Batch:
    shape = (PROMPTS, SAMPLES)
    easy = np.clip(skill + rng.normal(0, 0.12, (PROMPTS, 1)), 0.02, 0.99)
    rewards = ((rng.random(shape) < easy) & (rng.random(shape) < scored)).astype(float)
    prompts = np.repeat(rng.integers(4, 10, (PROMPTS, 1)), SAMPLES, axis=1).astype(float)
    mean = 5.3 + 1.9 * np.exp(-step / 50)
    completions = 2 + rng.binomial(MAX_NEW_TOKENS // 2, (mean - 2) / (MAX_NEW_TOKENS // 2), shape).astype(np.float64)
    centred = rewards - rewards.mean(axis=1, keepdims=True)
    spread = rewards.std(axis=1, ddof=1, keepdims=True)
    normed = centred / (spread + 1e-5)
    over_tokens = np.sqrt(np.average(normed**2, weights=completions))
    return _Batch(rewards, prompts, completions, normed / over_tokens if over_tokens else normed)


def _update(step: int, batch: _Batch, moves: bool, mismatched: bool, rng: np.random.Generator) -> Row:
    settled = np.exp(-step / 50)
    width = (0.02 + 0.07 * settled) * (1 if moves else 0.15)  # how far a token's ratio strays within one update
    rejected = int(batch.tokens * rng.uniform(0.006, 0.017)) if mismatched else 0
    kept = 1 - rejected / batch.tokens
    up = "ppo_actor/update/"
    row = {
        f"{up}importance_weight/avg": kept * (1 + rng.normal(0, 0.006 * width)),
        f"{up}importance_weight/min": 0.0 if rejected else 1 - width * rng.uniform(0.8, 1.2),
        f"{up}importance_weight/max": 1 + width * rng.uniform(0.9, 1.4),
        f"{up}approx_kl/avg": rng.normal(0, 0.005 * width),
        f"{up}entropy/avg": 1.62 + 0.62 * settled + rng.normal(0, 0.015),
        f"{up}actor_loss/avg": rng.normal(0, 0.003) if moves else 0.0,
        f"{up}clip_ratio/avg": 0.0, f"{up}dual_clip_ratio/avg": 0.0,
        f"{up}clipped_tokens": 0.0, f"{up}dual_clipped_tokens": 0.0,
        f"{up}n_tokens": float(batch.lengths.sum()), f"{up}n_valid_tokens": float(batch.tokens),
        f"{up}unclipped_behave_tokens": float(batch.tokens - rejected), f"{up}rs_filtered_fraction": rejected / batch.tokens,
        f"{up}update_successful": 1.0, f"{up}grad_norm": rng.lognormal(np.log(0.36), 0.1) if moves else 0.0,
        f"{up}lr": LR, f"{up}num_micro_batches": 1.0,
    }  # fmt: skip
    return row | _sampler(step, mismatched, rng)


def _sampler(step: int, mismatched: bool, rng: np.random.Generator) -> Row:
    """The sampler beside the trainer: weights, divergences, age. Nothing is old in the first step."""
    up = "ppo_actor/update/"
    fresh = step == 0
    if mismatched:
        mean, low, high = rng.normal(0.93, 0.02), rng.uniform(0.005, 0.03), rng.uniform(4.2, 5.0)
        signed, dual = rng.normal(-0.31, 0.02), rng.lognormal(np.log(0.27), 0.06)
    else:
        mean, low, high = 1 + rng.normal(0, 8e-4), 1 - rng.uniform(0.04, 0.16), 1 + rng.uniform(0.04, 0.2)
        signed, dual = rng.normal(-2e-4, 6e-4), rng.lognormal(np.log(1.8e-4), 0.4)
    return {
        f"{up}behave_imp_weight/avg": 1.0 if fresh and not mismatched else mean,
        f"{up}behave_imp_weight/min": 1.0 if fresh and not mismatched else low,
        f"{up}behave_imp_weight/max": 1.0 if fresh and not mismatched else high,
        f"{up}behave_approx_kl/avg": 0.0 if fresh and not mismatched else signed,
        f"{up}compute_logp/kl_div_dual/avg": dual,
        f"{up}version_stats/sample_staleness_theta_avg": 0.0 if fresh else rng.normal(1.0, 0.1),
        f"{up}version_stats/sample_staleness_theta_max": float(min(step, 2)),
        f"{up}version_stats/sample_staleness_theta_min": 0.0,
        f"{up}version_stats/v_theta": float(step),
    }


def _times(rng: np.random.Generator) -> Row:
    seconds = {"rollout": 21.0, "recompute_logp": 2.1, "compute_advantage": 0.05, "train_step": 9.4, "update_weights": 1.6}
    return {f"timeperf/{part}": s * rng.lognormal(0, 0.08) for part, s in seconds.items()}


def _statistics(key: str, values: Floats) -> Row:
    return {f"{key}/avg": float(values.mean()), f"{key}/min": float(values.min()), f"{key}/max": float(values.max())}
