"""Rule importance-weight-drift."""

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
    Witness,
    above,
    is_true,
    no,
    noise,
    rule,
    unknown,
)
from ...detectors import Level
from ...knobs.loss import CLIP_EPS
from ...knobs.offpolicy import DECOUPLED_LOSS, RECOMPUTE_LOGPROB
from ...knobs.optimizer import LR, N_MINIBATCHES, optimizer_steps
from ...metrics.update import APPROX_KL, CLIP_RATIO, IMPORTANCE_WEIGHT
from ...model import Floats
from ...wording import number

_EIGHT = {N_MINIBATCHES: 8}


def _applies(run: Facts) -> Applies:
    steps = optimizer_steps(run.knobs)
    if steps is None:
        return unknown("how many minibatches a batch has is not known", N_MINIBATCHES)
    return YES if steps > 1 else no("one optimizer step a batch: nothing can drift, see importance-weight-not-one")


def _from_the_sampler(run: Facts) -> bool:
    return is_true(run, DECOUPLED_LOSS) is False and is_true(run, RECOMPUTE_LOGPROB) is False


def _message(found: Found) -> str:
    return f"mean importance weight is off 1 by a factor of {number(1 + found.value)}"


@rule(
    reads=(IMPORTANCE_WEIGHT,),
    detector=Level(window=10, least=5, hold=5),
    limits=(
        above(0.02, "warning", "practice; AReaL guide: close to 1"),
        above(0.10, "error", "practice; AReaL guide: close to 1"),
        above(1.0, "critical", "TRL: 2.0 or 0.1 is a tip-over"),
    ),
    message=_message,
    applies=_applies,
    witnesses=(
        Witness(CLIP_RATIO, "rises", "more tokens are clipped"),
        Witness(IMPORTANCE_WEIGHT.max),
        Witness(IMPORTANCE_WEIGHT.min),
        Witness(APPROX_KL, "rises", "each update moves the policy further"),
    ),
    causes=(
        Cause("The denominator is the sampler, and sampler and trainer differ", "rollout-training-mismatch", when=_from_the_sampler),
        Cause(
            "The updates are too large",
            "update-too-large",
            supports=(Clue(CLIP_RATIO, "rises", "the clipped share rises with it"),),
        ),
        Cause("Too many optimizer steps on one batch of rollouts"),
    ),
    remedies=(
        Lower(N_MINIBATCHES, 2, "fewer steps are taken from one policy", least=1),
        Lower(LR, 2, "each step then moves the policy less"),
    ),
    next=Next(
        "Run 50 steps with one minibatch",
        "50 steps from the last checkpoint",
        (
            ("the weight is 1", "the steps within a batch made the drift"),
            ("it stays off 1", "see importance-weight-not-one"),
        ),
    ),
    explains=(Effect("gradient-spikes", (0, 50)), Effect("reward-collapse", (0, 200))),
    bad=Example({IMPORTANCE_WEIGHT: noise(1.15, 0.02)}, _EIGHT),
    good=Example({IMPORTANCE_WEIGHT: noise(0.998, 0.004), CLIP_RATIO: noise(0.003, 0.001, least=0)}, {**_EIGHT, CLIP_EPS: 0.2}),
)
def importance_weight_drift(run: RowView) -> Floats:
    """The mean importance weight moves from 1 over the minibatches of a batch.

    Why it matters: Each minibatch after the first is trained from weights that have moved; far from 1 the clipped loss no longer
    points where the batch does, and most of the batch is wasted or pulls the wrong way.

    How it is measured: max(w, 1/w) − 1 of the logged mean w, so that half and double count alike; the median of 10 rows is over
    the limit in 5 rows running.

    What it misses: Nearly everything: a mean of ratios over samples is 1 in expectation however far the policy has moved. In
    recordings it stayed within 1.3 percent at eight minibatches, while single ratios reached 0.39 and 3.2. The drift shows in the
    clipped share, the largest ratio and the size of the update, which update-too-large reads.

    Known false alarms: Small batches with a heavy tail; sequence-level ratios.

    Source: AReaL's guide (the average should stay close to 1, else fewer minibatches); TRL's documentation (2.0 and 0.1); 0.02
    and 0.1 are practice.
    """
    weight = np.maximum(run[IMPORTANCE_WEIGHT], 1e-9)
    return np.maximum(weight, 1.0 / weight) - 1.0
