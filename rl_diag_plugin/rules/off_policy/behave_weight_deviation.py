"""Rule behave-weight-deviation."""

from __future__ import annotations

import numpy as np

from ...authoring import (
    YES,
    Applies,
    Cause,
    Clue,
    Effect,
    Facts,
    Found,
    Lower,
    Next,
    RowView,
    Set,
    Witness,
    above,
    is_true,
    no,
    noise,
    rule,
)
from ...detectors import Level
from ...knobs.offpolicy import BEHAVE_CAP, DECOUPLED_LOSS, MAX_STALENESS
from ...metrics.update import BEHAVE_APPROX_KL, BEHAVE_IMP_WEIGHT, BEHAVE_KL, BEHAVE_MASKED_RATIO, STALENESS
from ...model import Floats
from ...wording import number


def _applies(run: Facts) -> Applies:
    if is_true(run, DECOUPLED_LOSS) is False:
        return no("the loss is not decoupled: there is no behaviour weight")
    return YES


def _message(found: Found) -> str:
    return f"mean behaviour weight is off 1 by a factor of {number(1 + found.value)}"


@rule(
    reads=(BEHAVE_IMP_WEIGHT,),
    detector=Level(window=10, least=5, hold=5),
    limits=(
        above(0.05, "warning", "NeMo CI: 0.95 to 1.02"),
        above(0.25, "error", "practice: below 0.8"),
        above(1.0, "critical", "verl: below 0.5 or above 2"),
    ),
    message=_message,
    applies=_applies,
    witnesses=(
        Witness(BEHAVE_MASKED_RATIO, "rises", "the tail of the weights is cut off"),
        Witness(BEHAVE_IMP_WEIGHT.max),
        Witness(BEHAVE_APPROX_KL, "rises", "sampler and trainer part", "sampler and trainer stay as close as before"),
        Witness(STALENESS),
    ),
    causes=(
        Cause("Samples are old when they are trained on", "stale-rollouts", (Clue(STALENESS, "rises", "the samples became older"),)),
        Cause(
            "Sampler and trainer differ for the same weights",
            "rollout-training-mismatch",
            supports=(Clue(STALENESS, "steady", "the samples are no older than before"), Clue(BEHAVE_KL, "rises", "their KL rises")),
        ),
    ),
    remedies=(
        Set(BEHAVE_CAP, 5.0, "extreme weights then leave the loss"),
        Lower(MAX_STALENESS, 2, "samples are then closer to the policy"),
    ),
    next=Next(
        "Run 50 steps without staleness from the same checkpoint",
        "50 synchronous steps, about twice as slow",
        (("the weight goes back to 1", "staleness: lower its bound"), ("it stays", "the engines differ: see rollout-training-mismatch")),
    ),
    explains=(Effect("gradient-spikes", (0, 50)), Effect("reward-collapse", (0, 100))),
    bad={BEHAVE_IMP_WEIGHT: noise(0.88, 0.02)},
    good={BEHAVE_IMP_WEIGHT: noise(1.0, 0.004)},
)
def behave_weight_deviation(run: RowView) -> Floats:
    """The mean weight between trainer and sampler is not 1.

    Why it matters: The behaviour weight corrects for samples of another policy. Far from 1 its correction is noise, and a mean
    below 1 says that a heavy tail was cut off.

    How it is measured: max(w, 1/w) − 1 of the logged mean w, so that half and double count alike; the median of 10 rows is over
    the limit in 5 rows running.

    What it misses: Nearly everything: over all tokens the mean is 1 in expectation however wrong the sampler is (0.996 with
    weights 59 versions old, 1.000 with two temperatures). It moves only where a cap drops the tail. rollout-training-mismatch
    reads the divergence itself and decides.

    Known false alarms: Small batches, sequence-level weights.

    Source: AReaL's guide (close to 1, a cap of 5, less staleness); NeMo-RL's release tests (0.95 to 1.02); verl's documentation
    (below 0.5 and above 2); 0.8 is practice.
    """
    weight = np.maximum(run[BEHAVE_IMP_WEIGHT], 1e-9)
    return np.maximum(weight, 1.0 / weight) - 1.0
