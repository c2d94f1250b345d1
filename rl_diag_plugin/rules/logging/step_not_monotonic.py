"""Rule step-not-monotonic."""

from __future__ import annotations

from ...authoring import Advice, CannotTell, Cause, Clear, Code, Effect, Example, Facts, Fired, Next, Outcome, constant, fact_rule
from ...metrics.rollout import ROLLOUT_REWARD
from ...model import Event
from ...wording import step_text

_SEVERAL = 3
_CLOSE = 100  # rows between two of them: practice
_SHOWN = 5


@fact_rule(
    severities=("info", "warning"),
    causes=(
        Cause("The run was resumed from an earlier checkpoint"),
        Cause("Two processes write into one log", unobserved=("which process wrote a row",)),
        Cause("The step of the log is not the step of the training", unobserved=("the call that logs",)),
    ),
    remedies=(
        Advice("a resume: nothing to do, rows that were written again count once", "baselines start anew at the step it went back to"),
        Advice("two writers: give each process its own log, or let rank 0 alone write", "else values of two runs are mixed"),
        Code("log with one step a training step, and define it as the metrics' x-axis", "trackers drop rows whose step goes back"),
    ),
    next=Next(
        "Look at the wall times of the rows around the first such step",
        "no run",
        (("a pause, then it goes on", "a resume"), ("rows alternate", "two writers")),
    ),
    explains=(Effect("metric-vanished", (0, 100)),),
    bad=Example({ROLLOUT_REWARD: constant(0.4, 60)}, events=(Event("resume", 30, "steps go back from 40 to 30"),)),
    good={ROLLOUT_REWARD: constant(0.4, 60)},
)
def step_not_monotonic(run: Facts) -> Outcome:
    """Steps go back in the log.

    Why it matters: After a resume the same steps stand in the log twice; with two writers values of two runs are mixed, and
    trackers that want rising steps drop the rows.

    How it is measured: A key is logged at a step before its own last one. Once or now and then is information, a resume.
    Three times and more with fewer than 100 rows between them is a warning: two writers.

    What it misses: Two writers that log different keys, and sources that drop such rows before they are read.

    Known false alarms: A job that is preempted often and starts from an old checkpoint each time.

    Source: Weights & Biases and TensorBoard want rising steps; three times and 100 rows: practice.
    """
    if not run.rows:
        return CannotTell("no row was logged")
    back = [event for event in run.events if event.kind == "resume"]
    if not back:
        return Clear(run.first)
    many = len(back) >= _SEVERAL and run.rows / len(back) < _CLOSE
    at = [event.step for event in back if event.step is not None]
    first = step_text(at[0]) if at else "one that is not known"
    headline = (
        f"Steps go back once, to step {first}: a resume" if len(back) == 1 else f"Steps go back {len(back)} times, first to step {first}"
    )
    if many:
        headline = f"Steps go back {len(back)} times in {run.rows:,} rows: suspected two writers"
    return Fired(
        "warning" if many else "info",
        headline,
        step=at[0] if at else None,
        active=many,
        end=at[-1] if at and not many else None,
        episodes=tuple((step, step) for step in at[-25:]),
        measured=f"{len(back)} of {run.rows:,} rows",
        evidence=tuple(("context", None, event.text) for event in back[:_SHOWN]),
    )
