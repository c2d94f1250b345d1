"""Rule learning-rate-zero."""

from __future__ import annotations

import numpy as np

from ...authoring import Advice, Cause, Clue, Code, Effect, Facts, Found, Next, RowView, Set, Witness, above, constant, rule
from ...detectors import Exact
from ...knobs.optimizer import LR as LR_KNOB
from ...metrics.update import ENTROPY, GRAD_NORM, LR
from ...model import Floats
from ...wording import step_text, steps
from ..readings import REWARD


def _set_to_zero(run: Facts) -> bool:
    return run.knobs.number(LR_KNOB) == 0


def _scheduled(run: Facts) -> bool:
    return not _set_to_zero(run)


def _says(found: Found) -> str:
    if not found.active:
        return f"Learning rate was 0 from step {step_text(found.start)} to {step_text(found.last)}"
    if found.run.series.get(LR.name) is not None and found.run.series[LR.name].high == 0:
        return f"Learning rate is 0: no step has trained anything in {steps(found.rows)}"
    return f"Learning rate has been 0 for {steps(found.rows)}"


@rule(
    reads=(LR,),
    detector=Exact(hold=5, clear=5),
    limits=(above(0.5, "error", "logic: a rate of 0 moves nothing"),),
    message=_says,
    label="Learning rate is 0",
    measured="0 in {rows} rows",
    exact_onset=True,
    witnesses=(
        Witness(LR),
        Witness(GRAD_NORM, None, "a gradient is there, and is not used"),
        Witness(REWARD.options[0], "steady", "the reward stays", "the reward moves: another part is trained"),
        Witness(ENTROPY, "steady", "the policy does not change"),
    ),
    causes=(
        Cause("The learning rate is set to 0", when=_set_to_zero),
        Cause("The schedule has ended: it was set up for fewer steps", supports=(Clue(LR, "falls", "it fell to 0"),), when=_scheduled),
        Cause("The scheduler is never stepped, so that the warm-up stays at 0", when=_scheduled),
    ),
    remedies=(
        Set(LR_KNOB, 1e-6, "a start: 1e-6 to 2e-5 is usual for language models", when=_set_to_zero),
        Advice("set the schedule's length to the steps really planned", "a decay to 0 ends all learning at its last step", when=_scheduled),
        Code(
            "call scheduler.step() once an optimizer step, and look at warm-up counted in other units",
            "else the warm-up stays at 0",
            when=_scheduled,
        ),
    ),
    next=Next(
        "Print the optimizer's learning rate before and after three steps",
        "three steps",
        (("it stays 0", "configuration or scheduler"), ("it is above 0", "the logged value is another group's")),
    ),
    explains=(Effect("reward-not-increasing", (0, 10_000)), Effect("zero-variance-groups", (0, 10_000))),
    bad={LR: constant(0.0, 40)},
    good={LR: np.concatenate(([0.0, 0.0], np.linspace(1e-6, 1e-5, 18), constant(1e-5, 40)))},
)
def learning_rate_zero(run: RowView) -> Floats:
    """The optimizer steps with a learning rate of exactly 0.

    Why it matters: Everything else looks healthy, gradients, advantages and throughput, and nothing is learnt.

    How it is measured: The logged learning rate is exactly 0 in 5 rows in a row. A warm-up logs 0 in its first row or two, a
    schedule in its last.

    What it misses: A rate that is tiny but not 0, and frozen parameters.

    Known false alarms: Phases in which only the critic is trained; trainers that log a row a minibatch and start their warm-up
    at 0 with more than four minibatches.

    Source: practice (0 in more than two rows outside the end of a schedule; five leave room for logs with a row
    a minibatch).
    """
    rate = run[LR]
    return np.where(np.isnan(rate), np.nan, (rate == 0).astype(float))
