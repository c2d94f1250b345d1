"""All outcomes of a run → its report: verdict, summary, findings, blind spots, readings, traces."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..authoring import Facts
from ..knobs.optimizer import PLANNED_STEPS
from ..model import (
    EventShown,
    Finding,
    NotApplicable,
    Passed,
    ReadingUsed,
    Report,
    Severity,
    Trace,
    Verdict,
    rank,
    version_text,
)
from ..wording import step_text
from .blindspots import grouped
from .evidence import label_of, unit_of
from .fact_finding import fact_finding
from .facts import gather
from .finding import series_finding
from .fold import fold
from .outcome import Alarm, Ended, FactAlarm, Unjudged, outcome

if TYPE_CHECKING:
    from .engine import Diagnosis

MAIN = ("rollout/reward", "ppo_actor/task_reward", "rollout/episode_return", "eval-rollout/reward")
_CORE = ("reward", "update", "off_policy", "length")
_SECRET = re.compile(r"(key|token|secret|password)", re.I)


def build(run: Diagnosis, *, provisional: bool) -> Report:
    facts = gather(run)
    ended = {rule.id: outcome(run, rule, facts) for rule in run.rules}
    findings = fold(_findings(run, ended, facts), {rule.id: rule for rule in run.rules})
    skipped = [e for e in ended.values() if isinstance(e, Unjudged)]
    passed = tuple(e for e in ended.values() if isinstance(e, Passed))
    excluded = tuple(e for e in ended.values() if isinstance(e, NotApplicable))
    main = next((m for m in MAIN if m in facts.series), None)
    counts = _counts(findings, len(passed), len(skipped), len(excluded))
    verdict = _verdict(run, findings, ended)
    shown_events = tuple(EventShown(e.step, e.kind, e.text) for e in run.events)
    planned = facts.knobs.number(PLANNED_STEPS)
    return Report(
        run=run.run,
        source=run.source,
        path=run.path,
        framework=facts.framework,
        version=version_text(facts.version),
        trainer=_trainer(run, facts),
        state="finished" if facts.finished else "running",
        provisional=provisional,
        updated=run._walls[-1] if run._walls else None,
        planned=int(planned) if planned else None,
        steps=None if facts.first is None or facts.last is None else (facts.first, facts.last),
        rows=facts.rows,
        verdict=verdict,
        rank=_worst(findings),
        summary=_summary(findings, verdict, counts, facts, skipped),
        counts=counts,
        main=main,
        findings=findings,
        skipped=grouped(skipped, facts),
        not_applicable=excluded,
        passed=passed,
        readings=_readings(facts),
        caveats=_caveats(run, facts),
        unmapped=_unmapped(run, facts),
        events=shown_events,
        config={k.name: {"value": _masked(k.name, v.value), "key": v.key, "source": v.source} for k, v in facts.knobs.items()},
        traces=_traces(run, findings, main),
        metrics=_labels(findings, facts, main),
    )


def _findings(run: Diagnosis, ended: Mapping[str, Ended], facts: Facts) -> list[Finding]:
    names = [rule_id for rule_id, e in ended.items() if isinstance(e, (Alarm, FactAlarm))]
    out = []
    for e in ended.values():
        if isinstance(e, Alarm):
            out.append(series_finding(run, e.rule, e.track, facts, names))
        elif isinstance(e, FactAlarm):
            out.append(fact_finding(run, e.rule, e.fired, facts, names))
    return out


def _counts(findings: Sequence[Finding], passed: int, skipped: int, excluded: int) -> dict[str, int]:
    """Root findings that are active by severity; ``over``: roots that are not; ``follow``: consequences."""
    counts = dict.fromkeys(("critical", "error", "warning", "info", "note"), 0)
    roots = [f for f in findings if f.symptom_of is None]
    for f in roots:
        if f.active:
            counts[f.severity] += 1
    over = sum(not f.active for f in roots)
    return {**counts, "follow": len(findings) - len(roots), "over": over, "passed": passed, "skipped": skipped, "not_applicable": excluded}


def _worst(findings: Sequence[Finding]) -> Severity | None:
    return max((f.severity for f in findings if f.active), key=rank, default=None)


def _verdict(run: Diagnosis, findings: Sequence[Finding], ended: Mapping[str, Ended]) -> Verdict:
    worst = rank(_worst(findings))
    if worst >= rank("error"):
        return "unhealthy"
    if worst == rank("warning") or any(not f.active and rank(f.worst) >= rank("error") for f in findings):
        return "watch"
    core = [rule.id for rule in run.rules if rule.chapter in _CORE and rule.signal is not None]
    judged = any(isinstance(ended[name], (Passed, Alarm)) for name in core)
    return "healthy" if judged else "cannot-tell"


def _summary(findings: Sequence[Finding], verdict: Verdict, counts: Mapping[str, int], facts: Facts, skipped: Sequence[Unjudged]) -> str:
    roots = [f for f in findings if f.symptom_of is None and rank(f.severity) >= rank("warning")]
    if verdict == "cannot-tell" and not roots:
        waiting = any(s.rows_needed for s in skipped)
        rows = f"{facts.rows} row{'' if facts.rows == 1 else 's'}"
        undecided = [s.reason for s in skipped if "cannot be excluded" in s.reason]
        reason = f"Too early ({rows})" if waiting else f"Nothing that could be judged ({rows})"
        return (
            f"{reason}, and truncation {undecided[0]}."
            if undecided
            else f"{reason}: no rule on reward, update, off-policy or length could be judged."
        )
    if not roots:
        infos = counts["info"] + counts["note"]
        judged = counts["passed"] + infos
        rules = "1 rule" if judged == 1 else f"{judged} rules"
        return f"No finding{' above info' if infos else ''} in the {rules} that could be judged."
    text = _sentence(roots[0])
    if len(roots) > 1:
        text += f" Also: {_sentence(roots[1])}"
    if len(roots) > 2:
        text += f" {len(roots) - 2} more finding{'s' if len(roots) > 3 else ''}."
    return text


def _sentence(finding: Finding) -> str:
    text = finding.headline.rstrip(".")
    step = finding.onset.step
    if step is not None and "step" not in text:
        if finding.active:
            text += f", since step {step_text(step)}"
        else:
            end = finding.episodes[-1].end if finding.episodes else None
            text += f", at step {step_text(step)}" if end in (None, step) else f", from step {step_text(step)} to {step_text(end or step)}"
    return text + "."


def _trainer(run: Diagnosis, facts: Facts) -> str:
    if facts.framework is None or run._detected is None:
        return "trainer not recognised"
    version = version_text(facts.version)
    return f"{run._detected.framework.title} {version}" if version else run._detected.framework.title


def _readings(facts: Facts) -> tuple[ReadingUsed, ...]:
    out = []
    for name, how in facts.readings.items():
        series = facts.series.get(name)
        if series is not None:
            out.append(ReadingUsed(how.key, name, how.measures, how.caveat, series.points, series.nonfinite, series.value))
    return tuple(out)


def _caveats(run: Diagnosis, facts: Facts) -> tuple[str, ...]:
    """What a reader must know before believing the rest; not the caveats of single keys, which stand with the readings."""
    out = [e.text for e in run.events if e.kind in ("incomplete", "lossy", "note", "resume")]
    if facts.framework is None and run.framework is None:
        unread = len(_unmapped(run, facts))
        out.insert(0, f"trainer not recognised, {unread} keys unmapped: --map KEY=METRIC")
    clocks = {how for how in run._assembler.clocks() if "#" in how}
    if clocks:
        out.append("some keys count their steps by another clock: they are joined by step, not by row")
    if run._keys.left_out:
        out.append("more than 20,000 keys: the rest was not read")
    return tuple(dict.fromkeys(out))


def _unmapped(run: Diagnosis, facts: Facts) -> tuple[str, ...]:
    canon = run._canon
    return tuple(sorted(key for key in facts.keys if canon is None or not canon.reads(key)))


def _traces(run: Diagnosis, findings: Sequence[Finding], main: str | None) -> dict[str, Trace]:
    out: dict[str, Trace] = {}
    names = [main] if main else []
    for finding in findings:
        names += [name for name in (finding.metric, *(e.metric for e in finding.evidence)) if name]
        if finding.statistic is not None:
            out[finding.statistic.trace] = _signal(run, finding)
    for name in dict.fromkeys(names):
        if name in run._traces:
            out[name] = run._traces[name].trace()
    return out


def _signal(run: Diagnosis, finding: Finding) -> Trace:
    tracks = [t for t in run._plan.tracks() if t.rule.id == finding.rule and t.names[0] == finding.metric]
    return tracks[0].trace.trace()


def _labels(findings: Sequence[Finding], facts: Facts, main: str | None) -> dict[str, dict[str, str]]:
    names = [main] if main else []
    names += [name for f in findings for name in (f.metric, *(e.metric for e in f.evidence)) if name]
    names += list(facts.readings)
    return {name: {"label": label_of(name), "unit": unit_of(name)} for name in dict.fromkeys(names)}


def _masked(name: str, value: Any) -> Any:
    """Values that look like secrets leave no report."""
    return "•••" if isinstance(value, str) and (_SECRET.search(name) or len(value) > 200) else value
