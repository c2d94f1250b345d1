"""Rule eval-baseline-missing."""

from __future__ import annotations

import numpy as np

from ...authoring import Advice, CannotTell, Cause, Clear, Enable, Facts, Fired, Next, Outcome, constant, fact_rule
from ...knobs.logging import EVAL_BEFORE_TRAIN, EVAL_INTERVAL
from ...metrics.rollout import EVAL_REWARD, ROLLOUT_REWARD
from ...wording import step_text

_AT = np.arange(100)


@fact_rule(
    severities=("info",),
    reads=(EVAL_REWARD,),
    causes=(Cause("The first evaluation comes after steps that already trained"),),
    remedies=(
        Advice("evaluate the base model once with the same code and data", "the only number that says what the training gained"),
        Enable(EVAL_BEFORE_TRAIN, "the next run starts with one; see whether it comes before the first update"),
    ),
    next=Next(
        "Evaluate the base model on the held-out set",
        "one evaluation",
        (("the first value here is higher", "it learnt before it was measured"), ("it is not", "nothing was gained by then")),
    ),
    bad={ROLLOUT_REWARD: constant(0.4), EVAL_REWARD: np.where(_AT % 10 == 9, 0.5, np.nan)},
    good={ROLLOUT_REWARD: constant(0.4), EVAL_REWARD: np.where(_AT % 10 == 0, 0.5, np.nan)},
)
def eval_baseline_missing(run: Facts) -> Outcome:
    """There is no held-out score from before the training.

    Why it matters: Whether a run gained anything is a difference to the base model. Without its score a reward that does not
    rise cannot be told from one that rose before it was measured.

    How it is measured: The first held-out value is at a later step than the first row. It is information: nothing is broken, and
    one evaluation mends it.

    What it misses: A first value that is logged at the first step but measured after its update.

    Known false alarms: A resumed run whose baseline stands in an earlier log; a baseline that was measured elsewhere.

    Source: AReaL's guide (training reward does not increase: first measure the baseline).
    """
    known = run.series.get(EVAL_REWARD.name)
    if not run.rows:
        return CannotTell("no row was logged", (EVAL_REWARD,))
    if known is None or not run.has(EVAL_REWARD):
        every = run.knobs.number(EVAL_INTERVAL)
        if every and run.rows < every:
            return CannotTell("no evaluation was due yet", (EVAL_REWARD,), rows_needed=int(every) - run.rows)
        return CannotTell("no held-out evaluation is logged", (EVAL_REWARD,))
    if run.first is not None and known.first <= run.first:
        return Clear(known.first)
    return Fired(
        "info",
        f"No held-out score of the start: the first is at step {step_text(known.first)}",
        step=run.first,
        active=True,
        episodes=((run.first or 0, known.first),),
        measured=f"first value at step {step_text(known.first)}",
        metric=EVAL_REWARD,
    )
