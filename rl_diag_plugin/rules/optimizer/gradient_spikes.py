"""Rule gradient-spikes."""

from __future__ import annotations

import math

import numpy as np

from ...authoring import YES, Advice, Applies, Cause, Clue, Effect, Facts, Found, Lower, Next, RowView, Set, Witness, above, no, rule, spiky
from ...detectors import Spike
from ...knobs.loss import REWARD_CLIP
from ...knobs.offpolicy import OFF_POLICY_CORRECTION
from ...knobs.optimizer import GRAD_CLIP, LR
from ...metrics.actor import ADVANTAGES
from ...metrics.update import BEHAVE_KL, ENTROPY, GRAD_NORM, IMPORTANCE_WEIGHT
from ...model import Floats
from ...wording import number, step_text
from ..readings import REWARD


def _applies(run: Facts) -> Applies:
    known = run.series.get(GRAD_NORM.name)
    return no("every gradient norm is 0: there is no usual size") if known is not None and known.high == 0 else YES


def _says(found: Found) -> str:
    times = number(math.exp(min(found.peak, 700.0)))
    if found.limit.severity == "info":
        return f"Gradient norm was {times} times its usual size, once, step {step_text(found.start)}"
    if found.limit.severity == "warning":
        return f"Gradient spikes keep coming, up to {times} times the usual size"
    return f"Burst of gradient spikes, up to {times} times the usual size"


@rule(
    reads=(GRAD_NORM,),
    detector=Spike(),
    limits=(
        above(math.log(5), "info", "practice, 39 public runs"),
        above(math.log(5), "warning", "practice, 39 public runs"),
        above(math.log(3), "error", "practice, 39 public runs"),
    ),
    message=_says,
    applies=_applies,
    label="Gradient, log of the jump",
    exact_onset=True,
    witnesses=(
        Witness(GRAD_NORM),
        Witness(BEHAVE_KL, "rises", "the gap to the sampler grew with it", "the gap to the sampler did not grow"),
        Witness(IMPORTANCE_WEIGHT.max, "rises", "the largest ratio grew with it"),
        Witness(ADVANTAGES.max, "rises", "the largest advantage grew with it"),
        Witness(REWARD.options[0], "falls", "the reward falls after it"),
    ),
    causes=(
        Cause(
            "Sampler and trainer disagree on some tokens",
            rule="rollout-training-mismatch",
            supports=(Clue(BEHAVE_KL, "rises", "the gap to the sampler grew with it"),),
        ),
        Cause(
            "The updates are too large",
            rule="update-too-large",
            supports=(Clue(IMPORTANCE_WEIGHT.max, "rises", "the largest ratio grew with it"),),
        ),
        Cause(
            "An outlier in the reward, or few groups with spread scaled up",
            supports=(Clue(ADVANTAGES.max, "rises", "the largest advantage grew with it"),),
        ),
        Cause("Looping or degenerate text in the batch", supports=(Clue(ENTROPY, "falls", "entropy fell"),), unobserved=("the batch",)),
    ),
    remedies=(
        Lower(GRAD_CLIP, 3, "a smaller clip bounds what one batch can do", least=0.1),
        Lower(LR, 2, "smaller steps"),
        Set(OFF_POLICY_CORRECTION, "mask", "tokens on which sampler and trainer disagree then leave the loss"),
        Lower(REWARD_CLIP, 2, "where single rewards are extreme", applicability="experiment"),
        Advice("AdamW with beta2 0.95 and eps 1e-15", "shorter memory of a spike (MiniMax-M1)", "experiment"),
    ),
    next=Next(
        "Dump the batch of the next spike: lengths, rewards, ratios, least likely tokens",
        "one hook",
        (
            ("a few tokens carry it", "mismatch or degenerate text: mask them"),
            ("the whole batch does", "the step is too large: clip, learning rate"),
        ),
    ),
    explains=(Effect("reward-collapse", (0, 100)), Effect("non-finite-metric", (0, 50)), Effect("entropy-collapse", (0, 50))),
    bad={GRAD_NORM: spiky(0.4, 9.0, (60, 62, 63))},
    good={GRAD_NORM: spiky(0.4, 2.5, (40, 60, 80))},
)
def gradient_spikes(run: RowView) -> Floats:
    """The gradient norm jumps to many times its usual size.

    Why it matters: Bursts come before divergence. A single spike is what heavy tails do, and is only marked.

    How it is measured: Logarithm of the norm before clipping against the median of the 50 rows before it, in robust standard
    deviations. Fivefold and over 6 deviations once: information. Three such in 100 rows: warning. Three of the last five rows
    threefold and over 4 deviations: error. Norms of exactly 0 are left out; they are another failure.

    What it misses: The first 20 rows, a slow rise, and everything where the norm is logged after clipping.

    Known false alarms: A lasting jump by another batch size or loss scale looks like a burst for its first rows.

    Source: practice, calibrated on 39 public runs of 8,958 rows: 1.0 single marks and no burst in 1,000 rows (without the
    removal of zeros and the floor of 0.2: 83 and 43).
    """
    norm = run[GRAD_NORM]
    return np.where(norm > 0, np.log(np.maximum(norm, 1e-300)), np.nan)
