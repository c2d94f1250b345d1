"""Rule optimizer-step-skipped."""

from __future__ import annotations

import numpy as np

from ...authoring import Advice, Cause, Effect, Facts, Found, Lower, Next, RowView, Witness, above, constant, rule
from ...detectors import Exact
from ...knobs.optimizer import LR
from ...metrics.update import GRAD_NORM, IMPORTANCE_WEIGHT, UPDATE_SUCCESSFUL
from ...model import Floats, Severity
from ...wording import share, step_text, steps

_IN_A_ROW = 3


def _unless_three_in_a_row(run: Facts) -> Severity | None:
    """A step is skipped because its gradient is not finite, so the gradient norm's own record tells how many rows in a row."""
    norm, taken = run.series.get(GRAD_NORM.name), run.series.get(UPDATE_SUCCESSFUL.name)
    if norm is not None and any(span.rows >= _IN_A_ROW for span in norm.spans):
        return None
    never = taken is not None and taken.high == 0 and taken.points >= _IN_A_ROW
    return None if never else "warning"


def _says(found: Found) -> str:
    if not found.active and found.start == found.last:
        return f"{share(found.peak)} of the optimizer steps of step {step_text(found.start)} were skipped"
    return f"Up to {share(found.peak)} of a step's optimizer steps skipped, {steps(found.rows)}"


@rule(
    reads=(UPDATE_SUCCESSFUL,),
    detector=Exact(hold=1, clear=5),
    limits=(
        above(0.0, "warning", "AReaL, fsdp_engine.py (a gradient that is not finite)"),
        above(0.0, "error", "practice"),
    ),
    message=_says,
    label="Optimizer steps skipped",
    unit="%",
    severity_cap=_unless_three_in_a_row,
    exact_onset=True,
    witnesses=(Witness(GRAD_NORM), Witness(IMPORTANCE_WEIGHT.max, "rises", "the largest ratio grew before it")),
    causes=(
        Cause("The gradient was not finite", rule="non-finite-metric"),
        Cause("The loss scale of half precision is being found; the first steps only", unobserved=("the loss scale",)),
    ),
    remedies=(
        Advice("one skipped step does no harm: go on, and see whether it comes again", "the optimizer kept its state"),
        Advice("compute the loss and the log-probabilities in float32, train in bf16 rather than fp16", "fp16 overflows at 65,504"),
        Lower(LR, 2, "where it comes again and again"),
    ),
    next=Next(
        "Train on the batch of the skipped step alone, in float32",
        "one step",
        (("the gradient is finite", "precision"), ("it is not", "a sample of the batch: look at lengths, rewards, masks")),
    ),
    explains=(Effect("reward-not-increasing", (0, 10_000)),),
    bad={UPDATE_SUCCESSFUL: np.where(np.arange(60) == 40, 0.5, 1.0)},
    good={UPDATE_SUCCESSFUL: constant(1.0, 60)},
)
def optimizer_step_skipped(run: RowView) -> Floats:
    """Optimizer steps were skipped, so those batches taught nothing.

    Why it matters: A step whose gradient is not finite is left out without a word. Once is harmless; if every step is skipped
    the run goes on for days and nothing moves.

    How it is measured: The share of a row's optimizer steps that were not taken is above 0: a warning from the first such row.
    It is an error where the gradient norm was not finite in three rows in a row, or where no step was ever taken.

    What it misses: Trainers that do not log it, and steps skipped by a loss scaler that are logged as taken.

    Known false alarms: The first steps of fp16, while the loss scale is found.

    Source: AReaL, fsdp_engine.py (update_successful is 0 where the norm is not finite) and issue 136; three rows:
    practice.
    """
    return 1.0 - run[UPDATE_SUCCESSFUL]
