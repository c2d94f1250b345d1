"""Rule importance-weight-not-one."""

from __future__ import annotations

import numpy as np

from ...authoring import (
    YES,
    Advice,
    Applies,
    Cause,
    Effect,
    Enable,
    Example,
    Facts,
    Found,
    Next,
    RowView,
    Witness,
    above,
    constant,
    is_true,
    maybe,
    no,
    noise,
    rule,
    unknown,
)
from ...detectors import Exact
from ...knobs.offpolicy import DECOUPLED_LOSS, DETERMINISTIC, MOE, PROX_LOGP, RECOMPUTE_LOGPROB
from ...knobs.optimizer import N_MINIBATCHES, optimizer_steps
from ...metrics.update import APPROX_KL, CLIP_RATIO, IMPORTANCE_WEIGHT
from ...model import Floats
from ...wording import number

_ONE = {N_MINIBATCHES: 1, DECOUPLED_LOSS: True}


def _applies(run: Facts) -> Applies:
    steps, decoupled, recompute = optimizer_steps(run.knobs), is_true(run, DECOUPLED_LOSS), is_true(run, RECOMPUTE_LOGPROB)
    if steps is None:
        return unknown("how many minibatches a batch has is not known", N_MINIBATCHES)
    if steps > 1:
        return no(f"{number(steps)} optimizer steps a batch: the ratio moves from 1, see importance-weight-drift")
    if decoupled is None:
        return unknown("whether the ratio's denominator is the trainer's own is not known", DECOUPLED_LOSS)
    if decoupled and run.knobs.value(PROX_LOGP) == "loglinear":
        return no("the proximal policy is interpolated: not 1 with stale samples")
    if decoupled or recompute:
        return YES
    if recompute is None:
        return unknown("whether the trainer scores the samples again is not known", RECOMPUTE_LOGPROB)
    return no("the denominator is the sampler's probability: a gauge of the mismatch, see rollout-training-mismatch")


def _message(found: Found) -> str:
    low, high = found.run.value(IMPORTANCE_WEIGHT.min), found.run.value(IMPORTANCE_WEIGHT.max)
    if low is None or high is None:
        return f"importance weight is off 1 by {number(found.value)} with one minibatch"
    return f"importance weight is not 1 before the update: {number(low)} to {number(high)}"


@rule(
    reads=(IMPORTANCE_WEIGHT, maybe(IMPORTANCE_WEIGHT.min), maybe(IMPORTANCE_WEIGHT.max)),
    detector=Exact(hold=3, clear=10),
    limits=(
        above(1e-3, "warning", "AReaL guide: exactly 1; 1e-3 is bf16 noise"),
        above(1e-2, "error", "NeMo CI: probs_ratio in 0.99 to 1.01"),
    ),
    label="Distance from 1",
    measured="off 1 by {value:num}",
    message=_message,
    applies=_applies,
    exact_onset=True,
    witnesses=(
        Witness(IMPORTANCE_WEIGHT.min),
        Witness(IMPORTANCE_WEIGHT.max),
        Witness(CLIP_RATIO),
        Witness(APPROX_KL),
    ),
    causes=(
        Cause("Routing of experts differs between two passes", when=lambda run: is_true(run, MOE) is True),
        Cause("Two passes over the same weights differ: kernels, dropout", unobserved=("whether two equal passes agree",)),
        Cause("Old and new log-probabilities are not scored alike", unobserved=("shift, mask and temperature of both passes",)),
    ),
    remedies=(
        Enable(DETERMINISTIC, "two passes over the same weights then agree (common with experts)"),
        Advice("switch dropout off, and score both passes with one mask, shift and temperature", "a dense model needs no other remedy"),
    ),
    next=Next(
        "Score one batch twice with the same weights",
        "two forward passes, no training",
        (
            ("the two differ", "kernels or routing: deterministic algorithms"),
            ("they agree", "old log-probabilities are misaligned"),
        ),
    ),
    explains=(Effect("rollout-training-mismatch", (0, 10_000)), Effect("behave-weight-deviation", (0, 10_000))),
    bad=Example({IMPORTANCE_WEIGHT: noise(1.007, 0.004), IMPORTANCE_WEIGHT.max: noise(1.55, 0.08)}, _ONE),
    good=Example({IMPORTANCE_WEIGHT: noise(1.0, 1e-5), IMPORTANCE_WEIGHT.max: constant(1.0)}, _ONE),
)
def importance_weight_not_one(run: RowView) -> Floats:
    """The importance weight is not 1 although nothing was updated yet.

    Why it matters: With one minibatch the policy that is trained is the one that scored the batch, so every ratio is 1. Another
    value is the error of the computation itself: it clips tokens that did not move and adds noise to every gradient.

    How it is measured: The larger of |mean − 1| and a hundredth of the farthest single token's distance from 1, in 3 rows
    running. A token off by 10 percent is over the first limit, one off by a factor of two over the second (practice).

    What it misses: Errors that both passes share. It cannot be asked with several minibatches, with an interpolated proximal
    policy, or where the denominator is the sampler's probability.

    Known false alarms: Rejected tokens, where a trainer counts them as 0 and the reading does not take them out.

    Source: AReaL's guide (exactly 1 with one minibatch, deterministic algorithms where it is not, common with MoE); AReaL pull
    request 340; NeMo-RL's release tests (0.99 to 1.01).
    """
    mean = np.abs(run[IMPORTANCE_WEIGHT] - 1.0)
    farthest = np.fmax(np.abs(run[IMPORTANCE_WEIGHT.max] - 1.0), np.abs(run[IMPORTANCE_WEIGHT.min] - 1.0))
    return np.where(np.isnan(mean), mean, np.fmax(mean, farthest / 100.0))
