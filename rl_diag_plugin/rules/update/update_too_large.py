"""Rule update-too-large."""

from __future__ import annotations

import numpy as np

from ...authoring import (
    YES,
    Applies,
    Cause,
    Clue,
    Effect,
    Example,
    Facts,
    Found,
    Lower,
    Next,
    RowView,
    Set,
    Witness,
    above,
    any_of,
    is_true,
    maybe,
    noise,
    rule,
    unknown,
)
from ...detectors import Level
from ...knobs.loss import LOSS_TYPE
from ...knobs.offpolicy import DECOUPLED_LOSS, RECOMPUTE_LOGPROB
from ...knobs.optimizer import GRAD_CLIP, LR, N_MINIBATCHES, optimizer_steps
from ...metrics.update import APPROX_KL, CLIP_RATIO, ENTROPY, GRAD_NORM, IMPORTANCE_WEIGHT
from ...model import Floats
from ...wording import number, share

CLIPPED, MOVED = 0.05, 0.02  # what counts as one, each with its source in the docstring


def _applies(run: Facts) -> Applies:
    if run.knobs.value(LOSS_TYPE) == "gspo":
        return unknown("sequence-level ratios clip a hundred times as much: no limits of theirs are known here")
    if optimizer_steps(run.knobs) == 1:
        return unknown("one optimizer step a batch: ratios are taken before it, so its size is not seen")
    return YES


def _from_the_sampler(run: Facts) -> bool:
    return is_true(run, DECOUPLED_LOSS) is False and is_true(run, RECOMPUTE_LOGPROB) is False


def _message(found: Found) -> str:
    clipped, ratio = (found.run.series.get(m.name) for m in (CLIP_RATIO, IMPORTANCE_WEIGHT.max))
    said = f"updates are {number(found.value)} times too large"
    if clipped is not None and clipped.high is not None:
        said += f", up to {share(clipped.high)} clipped"
    if ratio is not None and ratio.high is not None:
        said += f", ratio {number(ratio.high)}"
    return said


@rule(
    reads=(any_of(CLIP_RATIO, APPROX_KL), maybe(CLIP_RATIO), maybe(APPROX_KL), maybe(IMPORTANCE_WEIGHT.max)),
    detector=Level(window=10, least=3, hold=3),
    limits=(
        above(1.0, "warning", "practice for the clipped share; 37 details of PPO for the KL"),
        above(4.0, "error", "practice"),
    ),
    message=_message,
    applies=_applies,
    unit="times",
    label="Size of the update",
    log_onset=True,
    witnesses=(
        Witness(CLIP_RATIO),
        Witness(IMPORTANCE_WEIGHT.max),
        Witness(APPROX_KL),
        Witness(GRAD_NORM),
        Witness(ENTROPY, "falls", "the policy loses its spread"),
    ),
    causes=(
        Cause("The denominator is the sampler, and sampler and trainer differ", "rollout-training-mismatch", when=_from_the_sampler),
        Cause("The learning rate is too high", against=(Clue(GRAD_NORM, "rises", "the gradients grew with it"),)),
        Cause("Gradients became larger", "gradient-spikes", supports=(Clue(GRAD_NORM, "rises", "the gradient norm rises with it"),)),
        Cause("Too many optimizer steps on one batch of rollouts"),
    ),
    remedies=(
        Lower(LR, 10, "a step then moves the policy a tenth as far"),
        Lower(N_MINIBATCHES, 2, "fewer steps are taken from one policy", least=1),
        Set(GRAD_CLIP, 1.0, "one bad batch then cannot move the weights far"),
    ),
    next=Next(
        "Run 20 steps from the start with a tenth of the learning rate",
        "20 steps",
        (
            ("nothing is clipped and the reward rises", "the learning rate was it"),
            ("it is clipped as much", "the old scores are off"),
        ),
    ),
    explains=(
        Effect("importance-weight-drift", (0, 200)),
        Effect("rollout-training-mismatch", (0, 200)),
        Effect("behave-weight-deviation", (0, 200)),
        Effect("kl-to-reference-explosion", (0, 500)),
        Effect("gradient-spikes", (0, 200)),
        Effect("entropy-collapse", (0, 500)),
        Effect("reward-collapse", (0, 200)),
        Effect("reward-not-increasing", (0, 10_000)),
        Effect("task-reward-variance", (0, 10_000)),
        Effect("zero-variance-groups", (0, 500)),
        Effect("zero-gradient-steps", (0, 500)),
        Effect("truncated-responses", (0, 500)),
    ),
    bad=Example({CLIP_RATIO: noise(0.12, 0.03, least=0), IMPORTANCE_WEIGHT.max: noise(15, 2, least=1)}, {N_MINIBATCHES: 2}),
    good=Example({CLIP_RATIO: noise(0.004, 0.002, least=0), IMPORTANCE_WEIGHT.max: noise(1.8, 0.3, least=1)}, {N_MINIBATCHES: 8}),
)
def update_too_large(run: RowView) -> Floats:
    """One step's updates move the policy further than the clipped loss can hold.

    Why it matters: Past the clip a token has no gradient, and what moves the policy is noise; a learning rate that is far too
    high breaks the policy in the first step and never recovers.

    How it is measured: The largest of three gauges, each in units of what is still sound: the clipped share over 5 percent, the
    size of the update over 0.02 nats a token, and the square of log10 of the largest ratio (1 at 10, 4 at 100). The median of
    10 rows, judged from the third row, is over the limit in 3 rows running.

    What it misses: With one optimizer step a batch all three stand still whatever the step does. A single bad row.

    Known false alarms: Clipping against the sampler's probability, where mismatch and staleness are clipped too; the largest of
    very many ratios grows with their number.

    Source: Huang et al., "The 37 implementation details of PPO" (the KL generally stays below 0.02; Spinning Up stops there);
    clipped share 5 and 20 percent and a ratio of 10 are practice, between the 0.1 percent and 15 percent that the GSPO paper
    reports for token and sequence ratios; AReaL's documentation (usually below 0.1).
    """
    ratio = np.log10(np.maximum(run[IMPORTANCE_WEIGHT.max], 1.0)) ** 2
    largest: Floats = np.fmax(np.fmax(run[CLIP_RATIO] / CLIPPED, run[APPROX_KL] / MOVED), ratio)
    return largest
