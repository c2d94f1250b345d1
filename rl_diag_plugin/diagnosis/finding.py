"""An alarm → the finding that views draw: words, numbers, onset, evidence, causes, remedies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..authoring import Facts, Found, Message, Rule
from ..causes import ranked
from ..model import (
    Baseline,
    Confidence,
    Episode,
    Evidence,
    Finding,
    Floats,
    Limit,
    LimitShown,
    NextExperiment,
    Onset,
    RemedyShown,
    Severity,
    Statistic,
    rank,
)
from ..remedies import show
from ..wording import Quantity, change, quantity
from .evidence import Witnesses, unit_of
from .judge import Track

if TYPE_CHECKING:
    from .engine import Diagnosis

_BEFORE = 20
_ZERO = 1e-8  # a limit below this means exactly 0, up to rounding


def series_finding(run: Diagnosis, rule: Rule, track: Track, facts: Facts, found_rules: Sequence[str]) -> Finding:
    """The finding of a rule over series; for several episodes the open one, else the worst."""
    chain, dated = _chosen(rule, track)
    onset = dated if dated.step is None else replace(dated, time=run.time_of(dated.step))
    active = track.latch.piece is not None and chain[-1] is track.latch.piece
    end = None if active else chain[-1]["end"]
    cap = _cap(rule, track, facts)
    limits = track.limits
    own = _capped(limits[(chain[-1]["level"] if active else max(p["level"] for p in chain)) - 1].severity, cap)
    worst = _capped(limits[max(p["level"] for p in track.latch.pieces()) - 1].severity, cap)
    found, statistic, baseline = _measure(run, rule, track, facts, chain, onset, active)
    witnesses = Witnesses(run, facts, onset.step, end)
    causes = ranked(rule.causes, facts, witnesses.holds, found_rules)
    evidence = _evidence(rule, witnesses)
    metric = track.names[0]
    return Finding(
        id=rule.id,
        rule=rule.id,
        severity=own,
        own=own,
        worst=worst,
        active=active,
        symptom_of=None,
        headline=headline(rule, found),
        onset=onset,
        episodes=tuple(_episode(p, limits, cap) for p in track.latch.pieces()),
        metric=metric,
        key=_key(facts, metric),
        measured=_measured(rule, found, track),
        limits=tuple(_limit(limit, rule, found, own) for limit in limits),
        statistic=statistic,
        baseline=baseline,
        evidence=evidence,
        confidence=_confidence(rule, track, found, evidence, facts),
        causes=causes,
        remedies=remedies_of(rule, facts),
        next=NextExperiment(rule.next.title, rule.next.cost, rule.next.predict) if rule.next else None,
        checked=tuple(rule.checked(found)) if rule.checked else (),
    )


def remedies_of(rule: Rule, facts: Facts) -> tuple[RemedyShown, ...]:
    return tuple(shown for shown in (show(r, facts) for r in rule.remedies) if shown is not None)


def headline(rule: Rule, found: Found) -> str:
    return sentence(_filled(rule.message, found))


def _filled(message: Message, found: Found) -> str:
    if not isinstance(message, str):
        return message(found)
    unit = found.unit
    words = {name: _quantity(getattr(found, name), unit) for name in ("value", "peak", "before", "after")}
    return message.format(**words, limit=Quantity(found.limit.value, unit), start=f"{found.start:,}", rows=f"{found.rows:,}", found=found)


def sentence(text: str) -> str:
    """A headline begins with a capital, unless its first word is something that can be typed."""
    first = text.split(" ", 1)[0]
    return text[:1].upper() + text[1:] if first.replace("-", "").isalpha() else text


def _quantity(value: float | None, unit: str) -> Any:
    return "nothing" if value is None else Quantity(value, unit)


def _key(facts: Facts, metric: str) -> str | None:
    reading = facts.readings.get(metric)
    return reading.key if reading else None


def _chosen(rule: Rule, track: Track) -> tuple[list[dict[str, Any]], Onset]:
    """The open chain of pieces (an episode with its changes of severity), else the worst one, the latest of equals."""
    chains: list[list[dict[str, Any]]] = []
    for piece in track.latch.pieces():
        if piece["opening"] or not chains:
            chains.append([])
        chains[-1].append(piece)
    chain = chains[-1]
    if track.latch.piece is None:
        chain = max(enumerate(chains), key=lambda c: (max(p["level"] for p in c[1]), c[0]))[1]
    fired = chain[0]["fired"]
    for saved, step, lo, hi, method in track.onsets[::-1]:
        if saved == fired:
            return chain, Onset(step, lo, hi, method)
    return chain, Onset(chain[0]["start"], chain[0]["start"], chain[0]["start"], "exact")


def _measure(
    run: Diagnosis, rule: Rule, track: Track, facts: Facts, chain: list[dict[str, Any]], onset: Onset, active: bool
) -> tuple[Found, Statistic, Baseline | None]:  # fmt: skip
    trace = run.signal_trace(track)
    steps, values = np.array(trace.steps, np.int64), np.array(trace.mean, float)
    width = trace.width
    detector = rule.detector
    drawn = values if detector is None else detector.statistic(values, width)
    end = (track.last or 0) if active else chain[-1]["end"]
    inside = (steps >= (onset.step or 0)) & (steps <= end) & np.isfinite(values)
    earlier = steps < (onset.lo if onset.lo is not None else 0)
    before = drawn[earlier & np.isfinite(drawn)][-_BEFORE:]
    if not len(before) and track.running.facts().get("baseline") is None:
        before = values[earlier & np.isfinite(values)][-_BEFORE:]  # the statistic had not begun; it is in the values' unit
    after = values[inside][-10:]
    at_end = drawn[(steps <= end) & np.isfinite(drawn)]
    level = chain[-1]["level"] if active else max(p["level"] for p in chain)
    peaks = [p["peak"] for p in chain if p["peak"] is not None]
    sign = track.latch.sign
    unit = rule.unit or (unit_of(track.names[0]) if _is_plain(track) else "")
    peak = sign * max(sign * p for p in peaks) if peaks else float("nan")
    now = float(at_end[-1]) if len(at_end) else float("nan")
    found = Found(
        value=now if active else peak,
        peak=peak,
        before=float(np.median(before)) if len(before) else None,
        after=float(np.median(after)) if len(after) else float("nan"),
        limit=track.limits[level - 1],
        active=active,
        start=onset.step or 0,
        last=int(end),
        rows=int(np.count_nonzero(inside)) * width,
        facts=track.running.facts(),
        run=facts,
        unit=unit,
    )
    label = detector.label() if detector is not None else ""
    statistic = Statistic(f"signal:{rule.id}", label, _points(drawn), None if found.value != found.value else found.value)
    return found, statistic, _baseline(track, steps, width)


def _is_plain(track: Track) -> bool:
    return len(track.names) == 1 or bool(track.rule.unit)


def _points(values: Floats) -> tuple[float | None, ...]:
    return tuple(v if v - v == 0.0 else None for v in values.tolist())


def _baseline(track: Track, steps: Any, width: int) -> Baseline | None:
    """Detectors with a baseline of their own say its level and the observations it was taken from (counted from 1)."""
    facts = track.running.facts()
    value, first, last = facts.get("baseline"), facts.get("first"), facts.get("last")
    if value is None or first is None or last is None or not len(steps):
        return None
    at = [min(max((int(i) - 1) // width, 0), len(steps) - 1) for i in (first, last)]
    return Baseline(int(steps[at[0]]), int(steps[at[1]]), float(value))


def _episode(piece: dict[str, Any], limits: tuple[Limit, ...], cap: Severity | None) -> Episode:
    severity = _capped(limits[piece["level"] - 1].severity, cap)
    return Episode(piece["start"], piece["fired"], piece["end"], piece["resolved"], piece["peak"], severity)


def _capped(severity: Severity, cap: Severity | None) -> Severity:
    return cap if cap is not None and rank(severity) > rank(cap) else severity


def _cap(rule: Rule, track: Track, facts: Facts) -> Severity | None:
    """What bounds the severity: a proxy never exceeds info, an assumed sample size never a warning, the rule's own word."""
    caps: list[Severity] = []
    reading = facts.readings.get(track.names[0])
    if reading is not None and reading.measures == "proxy":
        caps.append("info")
    if track.running.facts().get("n_from") == "assumed":
        caps.append("warning")
    own = rule.severity_cap(facts) if rule.severity_cap else None
    if own is not None:
        caps.append(own)
    return min(caps, key=rank) if caps else None


def _measured(rule: Rule, found: Found, track: Track) -> str:
    if rule.measured:
        return _filled(rule.measured, found)
    label = rule.detector.label() if rule.detector else ""
    value = found.value if found.value == found.value else found.after
    text = quantity(value, found.unit) if found.before is None else change(found.before, value, found.unit)
    notes = [label] if label else []
    if track.bound:
        notes.append("proven lower bound" if track.bound == "lower" else "proven upper bound")
    return f"{text} ({', '.join(notes)})" if notes else text


def _limit(limit: Limit, rule: Rule, found: Found, own: Severity) -> LimitShown:
    value = 0.0 if abs(limit.value) < _ZERO else limit.value
    text = quantity(value, "%" if limit.se is not None else found.unit)
    if limit.se is not None:
        text += f" of the rise lost, by {limit.se:g} standard errors"
    return LimitShown(limit.value, limit.side, limit.severity, limit.source, text, limit.severity == own)


def _evidence(rule: Rule, witnesses: Witnesses) -> tuple[Evidence, ...]:
    shown = [witnesses.evidence(w, i) for i, w in enumerate(rule.witnesses, 1)]
    order = {"confirms": 0, "against": 1, "context": 2, "signal": 3}
    return tuple(sorted((e for e in shown if e is not None), key=lambda e: (order[e.role], e.rank)))


def _confidence(rule: Rule, track: Track, found: Found, evidence: Sequence[Evidence], facts: Facts) -> Confidence:
    """High, medium or low, with the reasons; never a number."""
    reasons: list[str] = []
    points = 0
    hold = rule.detector.hold if rule.detector else 1
    if found.rows >= 3 * hold:
        points += 1
        reasons.append(f"over the limit for {found.rows:,} rows")
    confirms = sum(e.role == "confirms" for e in evidence)
    against = sum(e.role == "against" for e in evidence)
    if confirms > against:
        points += 1
        reasons.append(f"{confirms} other metric{'s' if confirms > 1 else ''} confirm{'' if confirms > 1 else 's'} it")
    elif against > confirms:
        points -= 1
        reasons.append(f"{against} other metric{'s' if against > 1 else ''} speak{'' if against > 1 else 's'} against it")
    if rule.exact_onset or track.bound == "lower":
        points += 1
        reasons.append("an identity, not a statistic" if rule.exact_onset else "a proven lower bound")
    if found.limit.source.startswith("practice"):
        points -= 1
        reasons.append("the limit is practice")
    else:
        points += 1
        reasons.append(f"the limit is from {found.limit.source}")
    reading = facts.readings.get(track.names[0])
    if reading is not None and reading.measures not in ("exact", "lower-bound"):
        points -= 1
        reasons.append(f"the reading is {reading.measures}")
    if track.judged < 30:
        points -= 1
        reasons.append(f"only {track.judged} rows")
    return Confidence("high" if points >= 2 else "medium" if points >= 0 else "low", tuple(reasons))
