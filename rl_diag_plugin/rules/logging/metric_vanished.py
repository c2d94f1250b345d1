"""Rule metric-vanished."""

from __future__ import annotations

import numpy as np

from ...authoring import Advice, CannotTell, Cause, Clear, Facts, Fired, KeyFacts, Lower, Next, Outcome, constant, fact_rule
from ...knobs.optimizer import LR
from ...metrics.rollout import ROLLOUT_REWARD
from ...metrics.update import ENTROPY
from ...wording import step_text

_SPACINGS = 10  # of its own usual spacing: practice
_KNOWN = 10  # values after which a spacing is known
_SHOWN = 8
_EXTREMES = ("/max", "/min")


def _overflowed(run: Facts, key: str) -> KeyFacts | None:
    """The average of a key's tensor, where it is infinite: then its extreme is not logged."""
    stem = next((key.removesuffix(end) for end in _EXTREMES if key.endswith(end)), None)
    average = run.keys.get(f"{stem}/avg") if stem else None
    return average if average is not None and any(span.kind in ("inf", "-inf") for span in average.spans) else None


def _infinite(run: Facts) -> Fired | None:
    """An extreme that is missing where its average is infinite: something overflowed."""
    hits = [(key, average) for key in run.keys if (average := _overflowed(run, key)) is not None and _missed(run.keys[key])]
    if not hits:
        return None
    key, average = min(hits, key=lambda hit: (hit[1].spans[0].start, hit[0]))
    spans = [span for span in average.spans if span.kind in ("inf", "-inf")]
    name = key.rsplit("/", 2)[-2][:24]
    when = f"since step {step_text(spans[-1].start)}" if spans[-1].open else f"at step {step_text(spans[0].start)}"
    return Fired(
        "warning",
        f"Overflow of {name}: average infinite {when}",
        step=spans[0].start,
        active=spans[-1].open,
        end=None if spans[-1].open else spans[-1].end,
        episodes=tuple((span.start, span.end) for span in spans),
        measured="average infinite, extreme not logged",
        evidence=tuple(("confirms", other, "not logged where the average is infinite") for other, _ in hits[:_SHOWN] if other != key),
        key=key,
    )


def _missed(known: KeyFacts) -> bool:
    return known.rows_since > 0 or known.max_gap > 1


def _gone(known: KeyFacts) -> bool:
    return known.points >= _KNOWN and known.rows_since > _SPACINGS * max(1, known.max_gap)


@fact_rule(
    severities=("info", "warning"),
    causes=(
        Cause("A number overflowed, and the logger drops what is infinite", rule="non-finite-metric"),
        Cause("A stage ended: a coefficient at 0, a filter or evaluation switched off"),
        Cause("A process that logged it ended, while the others go on", unobserved=("the logs of the other processes",)),
    ),
    remedies=(
        Advice("where an average is infinite: clamp the log ratio before exp, or lower the learning rate", "one value overflowed"),
        Lower(LR, 2, "where ratios overflow again and again", applicability="experiment"),
        Advice("else look at what changed at that step", "rules that need the key cannot speak from there on"),
    ),
    next=Next(
        "Look for the key in the console output of the steps after it",
        "no run",
        (("it is there", "the logger dropped it"), ("it is not", "the code that computes it no longer runs")),
    ),
    bad={ROLLOUT_REWARD: np.where(np.arange(100) < 60, 0.4, np.nan), ENTROPY: constant(1.0)},
    good={ROLLOUT_REWARD: np.where(np.arange(100) % 7, 0.4, np.nan), ENTROPY: constant(1.0)},
)
def metric_vanished(run: Facts) -> Outcome:
    """A key that used to be logged is no longer there.

    Why it matters: A curve that ends looks like one that stays. Where the largest or smallest value is gone and the average is
    infinite, a number overflowed and the logger dropped it.

    How it is measured: By key: missing for more than ten times its own longest gap, after at least ten values, while its clock
    goes on. It is information. A `/max` or `/min` that is missing where its `/avg` is infinite is a warning. Keys that are known
    to come and go (empty denominators, windows in which nothing finished) are left out.

    What it misses: Keys logged fewer than ten times, and metrics that were never logged; those are blind spots.

    Known false alarms: An evaluation that was switched off, a metric of one stage of a curriculum.

    Source: practice (ten spacings); AReaL's stats_tracker.py: extremes that are not finite are dropped.
    """
    if not run.rows:
        return CannotTell("no row was logged")
    overflow = _infinite(run)
    if overflow is not None:
        return overflow
    if run.rows <= _KNOWN:
        return CannotTell("too early to know how often a key comes", rows_needed=_KNOWN + 1 - run.rows)
    gone = [(known.last, key) for key, known in run.keys.items() if _gone(known) and key not in run.intermittent]
    if not gone:
        return Clear(run.first)
    gone.sort()
    last, key = gone[0]
    since = run.keys[key].rows_since
    headline = f"{len(gone)} keys are no longer logged, the first since step {step_text(last)}"
    if len(gone) == 1:
        name = key if len(key) <= 24 else "…" + key[-23:]
        headline = f"No longer logged since step {step_text(last)}: {name}"
    return Fired(
        "info",
        headline,
        step=last,
        episodes=((last, run.last or last),),
        measured=f"missing for {since:,} rows",
        evidence=tuple(("context", other, f"last at step {step_text(step)}") for step, other in gone[1 : 1 + _SHOWN]),
        key=key,
    )
