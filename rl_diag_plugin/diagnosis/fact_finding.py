"""A failure that was read from facts → the finding that views draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..authoring import Facts, Fired, Rule
from ..causes import ranked
from ..model import Confidence, Episode, Evidence, Finding, NextExperiment, Onset
from .evidence import Witnesses
from .finding import remedies_of, sentence

if TYPE_CHECKING:
    from .engine import Diagnosis


def fact_finding(run: Diagnosis, rule: Rule, fired: Fired, facts: Facts, found_rules: Sequence[str]) -> Finding:
    witnesses = Witnesses(run, facts, fired.step, fired.end)
    shown = [witnesses.evidence(w, i) for i, w in enumerate(rule.witnesses, 1)]
    given = tuple(
        Evidence(None, key, "confirms" if role == "confirms" else "context", text, i, key or "")
        for i, (role, key, text) in enumerate(fired.evidence, 1)
    )
    method = "config" if fired.config and fired.step is None else "exact"
    onset = Onset(fired.step, fired.step, fired.step, method, None if fired.step is None else run.time_of(fired.step))
    metric = fired.metric.name if fired.metric else None
    reasons = ("read from the configuration",) if fired.config else ("a fact of the log, not a statistic",)
    return Finding(
        id=rule.id,
        rule=rule.id,
        severity=fired.severity,
        own=fired.severity,
        worst=fired.severity,
        active=fired.active,
        symptom_of=None,
        headline=sentence(fired.headline),
        onset=onset,
        episodes=tuple(
            Episode(a, a, b, None if fired.active and i == len(fired.episodes) - 1 else b, None, fired.severity)
            for i, (a, b) in enumerate(fired.episodes)
        ),
        metric=metric,
        key=fired.key or (facts.key(fired.metric) if fired.metric else None),
        measured=fired.measured,
        limits=(),
        statistic=None,
        baseline=None,
        evidence=given + tuple(e for e in shown if e is not None),
        confidence=Confidence("high", reasons),
        causes=ranked(rule.causes, facts, witnesses.holds, found_rules),
        remedies=remedies_of(rule, facts),
        next=NextExperiment(rule.next.title, rule.next.cost, rule.next.predict) if rule.next else None,
        checked=(),
        config=fired.config,
    )
