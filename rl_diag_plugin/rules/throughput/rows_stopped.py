"""Rule rows-stopped."""

from __future__ import annotations

from ...authoring import Advice, CannotTell, Clear, Example, Facts, Fired, Next, NotHere, Outcome, constant, fact_rule
from ...metrics.rollout import ROLLOUT_REWARD

HALF_AN_HOUR = 1800.0
USUAL = 5.0  # times the usual distance between rows


@fact_rule(
    severities=("critical",),
    remedies=(
        Advice(
            "look at the processes: a dead sampler or a hung collective keeps the trainer waiting",
            "the hardware is paid for while it waits",
        ),
        Advice("restart from the last checkpoint", "a hung collective does not recover"),
    ),
    next=Next(
        "Take a stack dump of trainer and sampler (py-spy dump)",
        "a minute",
        (("the trainer waits for data", "the sampler stands still"), ("a rank waits in a collective", "another rank has died or left it")),
    ),
    bad=Example({ROLLOUT_REWARD: constant(0.5, 40)}, walls=60.0, silent_for=3 * HALF_AN_HOUR),
    good=Example({ROLLOUT_REWARD: constant(0.5, 40)}, walls=60.0, silent_for=90.0),
)
def rows_stopped(run: Facts) -> Outcome:
    """No row has been logged for much longer than usual.

    Why it matters: A run that hangs costs as much as one that trains, and its curves look healthy: they only end.

    How it is measured: The caller's clock against the last row's time; it fires after half an hour without a row, and not
    before five times the usual distance between rows. Only where somebody tells the time (a live run): a log on disk that has
    ended is never called stalled.

    What it misses: Everything in a log that is read after the fact, and logs without wall times.

    Known false alarms: A long evaluation or checkpoint with no row of its own; a run that has ended without saying so.

    Source: practice.
    """
    if run.silent_for is None:
        return NotHere("a log that is read after the fact is not judged by the clock")
    if run.finished:
        return NotHere("the run has finished")
    if run.median_gap is None:
        return CannotTell("the rows hold no wall times")
    if run.silent_for < max(HALF_AN_HOUR, USUAL * run.median_gap):
        return Clear(run.first)
    minutes = run.silent_for / 60
    measured = f"{minutes:.0f} min since the last row; {run.median_gap / 60:.2g} min between rows before"
    return Fired("critical", f"No row for {minutes:.0f} minutes", step=run.last, measured=measured)
