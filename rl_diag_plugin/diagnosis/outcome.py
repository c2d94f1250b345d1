"""How each rule ends in a run: a finding, passed, could not be judged (and why), or not applicable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ..authoring import AnyOf, CannotTell, Clear, Earlier, Facts, Fired, Maybe, NotHere, Rule
from ..knobs import Knob
from ..metrics import Metric
from ..model import NotApplicable, Passed
from ..wording import share
from .judge import Track, required

if TYPE_CHECKING:
    from .engine import Diagnosis


@dataclass(frozen=True, slots=True)
class Unjudged:
    """It could matter here and could not be judged."""

    rule: str
    reason: str
    missing: tuple[str, ...] = ()
    rows_needed: int | None = None
    give: Knob | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Alarm:
    """A rule over series whose latch opened; ``bound`` is "lower" where only a proven lower bound was judged."""

    rule: Rule
    track: Track


@dataclass(frozen=True, slots=True)
class FactAlarm:
    rule: Rule
    fired: Fired


Ended: TypeAlias = Alarm | FactAlarm | Passed | Unjudged | NotApplicable


def outcome(run: Diagnosis, rule: Rule, facts: Facts) -> Ended:
    """One rule's end. Nothing is silently healthy: what was not judged says why."""
    try:
        applies = rule.applies(facts)
        if applies.answer == "no":
            return NotApplicable(rule.id, applies.reason)
        if applies.answer == "unknown":
            return Unjudged(rule.id, applies.reason, give=applies.give)
        return _judged_by_facts(rule, facts) if rule.judge else _judged_by_series(run, rule, facts)
    except Exception as error:  # a rule that raises becomes "rule failed"; the others are judged all the same
        return Unjudged(rule.id, f"rule failed: {type(error).__name__}: {error}")


def _judged_by_facts(rule: Rule, facts: Facts) -> Ended:
    if rule.judge is None:
        raise ValueError(f"{rule.id} has neither a signal nor a judge")
    ended = rule.judge(facts)
    if isinstance(ended, Fired):
        return FactAlarm(rule, ended)
    if isinstance(ended, Clear):
        return Passed(rule.id, ended.first, ended.note)
    if isinstance(ended, NotHere):
        return NotApplicable(rule.id, ended.reason)
    return Unjudged(rule.id, ended.reason, tuple(m.name for m in ended.missing), ended.rows_needed, text=ended.give)


def _judged_by_series(run: Diagnosis, rule: Rule, facts: Facts) -> Ended:
    plan = run._plan
    group = plan.main[rule.id]
    sighted = [t for t in group if not _blind(rule, t, facts)]
    if not sighted:
        return Unjudged(rule.id, _blind(rule, group[0], facts), (group[0].names[0],))
    failed = next((t for t in sighted if t.failed), None)
    if failed:
        return Unjudged(rule.id, f"rule failed: {failed.failed}")
    track = next((t for t in sighted if t.judged), None)
    if track is not None:
        return _by_measure(rule, track, facts)
    lower, upper = plan.lower.get(rule.id), plan.upper.get(rule.id)
    if lower is not None and upper is not None and (lower.judged or upper.judged):
        return _by_bounds(run, rule, lower, upper)
    offered = next((t for t in sighted if t.offered), None)
    if offered is not None:
        return Unjudged(rule.id, f"{' and '.join(offered.names)} say nothing here: no row can be judged")
    return _missing(rule, facts)


def _blind(rule: Rule, track: Track, facts: Facts) -> str:
    """Why what the rule must read says nothing in this configuration; "" where it does say something."""
    needed = [name for read, name in zip(rule.reads, track.names, strict=True) if not isinstance(read, (Maybe, Earlier))]
    return next((facts.blind[name] for name in needed if name in facts.blind), "")


def _by_measure(rule: Rule, track: Track, facts: Facts) -> Ended:
    """What the reading measures decides what may be concluded: an upper bound over the limit proves nothing."""
    reading = facts.readings.get(track.names[0])
    measures = reading.measures if reading else "exact"
    pieces = track.latch.pieces()
    if pieces and measures != "upper-bound":
        return Alarm(rule, track)
    if pieces and track.latch.level:
        return Unjudged(rule.id, "an upper bound is over the limit: nothing is proven", (track.names[0],))
    early = _too_early(rule, track)
    if early:
        return early
    if measures == "lower-bound":
        bare = track.names[0].removesuffix("/lower")
        return Unjudged(rule.id, f"only a lower bound of {bare} is logged", (bare,))
    return Passed(rule.id, track.first)


def _too_early(rule: Rule, track: Track) -> Unjudged | None:
    detector = rule.detector
    needed = 0 if detector is None else max(detector.warmup + detector.hold, 1) - track.judged
    if needed <= 0:
        return None
    return Unjudged(rule.id, f"too early, {needed:,} more row{'s' if needed > 1 else ''}", rows_needed=needed)


def _by_bounds(run: Diagnosis, rule: Rule, lower: Track, upper: Track) -> Ended:
    """A proven lower bound over the limit is a finding; a proven upper bound under it passes; between them nothing is known."""
    if lower.failed or upper.failed:
        return Unjudged(rule.id, f"rule failed: {lower.failed or upper.failed}")
    if lower.latch.pieces():
        return Alarm(rule, lower)
    metric = (rule.reads[0].name,) if isinstance(rule.reads[0], Metric) else ()
    undecided = upper.latch.pieces()
    if upper.latch.level or not upper.judged:
        text = f"cannot be excluded: between {share(_pooled(run, lower, 0.0))} and {share(_pooled(run, upper, 1.0))} in the last rows"
        return Unjudged(rule.id, text, metric)
    early = _too_early(rule, upper)
    if early and not undecided:
        return early
    since = undecided[-1]["resolved"] if undecided else upper.first
    note = f"could not be excluded before step {since:,}" if undecided else "certified by the lengths"
    return Passed(rule.id, since, note)


def _pooled(run: Diagnosis, track: Track, unknown: float) -> float:
    """The statistic over the last window of rows."""
    detector = track.rule.detector
    if not track.judged or detector is None:
        return unknown
    trace = run.signal_trace(track)
    return float(detector.statistic(np.array(trace.mean, float), trace.width)[-1])


def _missing(rule: Rule, facts: Facts) -> Unjudged:
    """Nothing to judge it by: the metrics that were never logged."""
    missing = []
    for need in required(rule):
        options = need.options if isinstance(need, AnyOf) else (need,)
        if not any(facts.has(m) for m in options):
            missing.append(options[0].name)
    if not missing:
        return Unjudged(rule.id, "the metrics that it compares have no step in common", rule.metrics)
    return Unjudged(rule.id, f"{' and '.join(missing)} not logged", tuple(missing))


__all__ = ["Alarm", "CannotTell", "Ended", "FactAlarm", "Unjudged", "outcome"]
