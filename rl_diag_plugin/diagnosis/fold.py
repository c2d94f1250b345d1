"""Consequences under their causes: by the edges that stand in the rules, in the order of the onsets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..authoring import Rule
from ..model import Finding, rank

SLACK = 5  # steps that an effect's onset may lie before its cause's (onsets of ramps are late by a third of the ramp)


def fold(findings: Sequence[Finding], rules: Mapping[str, Rule]) -> tuple[Finding, ...]:
    """Findings with ``symptom_of`` set, roots raised to their worst active consequence, in reading order."""
    parents = {f.id: _parent(f, findings, rules) for f in findings}
    roots = {f.id: _root(f.id, parents) for f in findings}
    out = []
    for finding in findings:
        if roots[finding.id] != finding.id:
            out.append(replace(finding, symptom_of=roots[finding.id]))
            continue
        followers = [f for f in findings if roots[f.id] == finding.id and f.id != finding.id]
        severity = max([finding.severity, *(f.severity for f in followers if f.active)], key=rank)
        out.append(replace(finding, severity=severity, follows=tuple(f.id for f in sorted(followers, key=_age))))
    return tuple(sorted(out, key=_order))


def _parent(effect: Finding, findings: Sequence[Finding], rules: Mapping[str, Rule]) -> str | None:
    """The finding that explains this one: the earliest whose edge and lag fit, the worse of equals."""
    fitting = [cause for cause in findings if cause.id != effect.id and _explains(cause, effect, rules)]
    if not fitting:
        return None
    return min(fitting, key=lambda c: (_age(c), -rank(c.worst))).id


def _explains(cause: Finding, effect: Finding, rules: Mapping[str, Rule]) -> bool:
    edge = next((e for e in rules[cause.rule].explains if e.rule == effect.rule), None)
    if edge is None:
        return False
    if effect.active and not cause.active:
        return False  # what lasts stands by itself; the cause that is over is still named among the suspected
    a, b = cause.onset, effect.onset
    if a.step is None or b.step is None:
        return True  # from the configuration: there from the start
    earliest, latest = (a.lo if a.lo is not None else a.step), (b.hi if b.hi is not None else b.step)
    start = b.lo if b.lo is not None else b.step
    return latest + SLACK >= earliest and start - (a.hi if a.hi is not None else a.step) <= edge.lag[1]


def _root(name: str, parents: Mapping[str, str | None]) -> str:
    """Up the chain; a cycle ends at its first member by name, so that somebody is the root."""
    seen = [name]
    while (up := parents[seen[-1]]) is not None:
        if up in seen:
            return min(seen[seen.index(up) :])
        seen.append(up)
    return seen[-1]


def _age(finding: Finding) -> tuple[int, int]:
    step = finding.onset.step
    return (-1, 0) if step is None else (0, step)


def _order(finding: Finding) -> tuple[int, int, int, tuple[int, int], str]:
    """Roots before consequences; active warnings and worse, then what is over, then info; by severity, then onset."""
    group = 2 if rank(finding.severity) < rank("warning") else (0 if finding.active else 1)
    return (0 if finding.symptom_of is None else 1, group, -rank(finding.severity), _age(finding), finding.id)
