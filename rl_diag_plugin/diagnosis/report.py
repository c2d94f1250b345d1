"""All outcomes of a run → its report: verdict, summary, findings, blind spots, readings, traces."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..authoring import Facts
from ..frameworks import FRAMEWORKS
from ..knobs.optimizer import PLANNED_STEPS
from ..model import (
    EventShown,
    Finding,
    NotApplicable,
    Passed,
    ReadingUsed,
    Report,
    Trace,
    rank,
    version_text,
)
from .blindspots import grouped
from .detection import detect
from .evidence import label_of, unit_of
from .fact_finding import fact_finding
from .facts import gather
from .finding import series_finding
from .fold import fold
from .outcome import Alarm, Ended, FactAlarm, Unjudged, outcome
from .verdict import counted, summary_of, verdict_of, worst_of

if TYPE_CHECKING:
    from .engine import Diagnosis

MAIN = ("rollout/reward", "ppo_actor/task_reward", "rollout/episode_return", "eval-rollout/reward")
_SECRET = re.compile(r"(key|token|secret|password)", re.I)


def build(run: Diagnosis, *, provisional: bool) -> Report:
    facts = gather(run)
    ended = {rule.id: outcome(run, rule, facts) for rule in run.rules}
    findings = fold(_findings(run, ended, facts), {rule.id: rule for rule in run.rules})  # settles ``ended``
    skipped = [e for e in ended.values() if isinstance(e, Unjudged)]
    passed = tuple(e for e in ended.values() if isinstance(e, Passed))
    excluded = tuple(e for e in ended.values() if isinstance(e, NotApplicable))
    main = next((m for m in MAIN if m in facts.series), None)
    counts = counted(findings, len(passed), len(skipped), len(excluded))
    verdict = verdict_of(run, findings, ended)
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
        rank=worst_of(findings),
        summary=summary_of(findings, verdict, counts, facts, skipped),
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
        metrics=_labels(run, findings, facts, main),
    )


def _findings(run: Diagnosis, ended: dict[str, Ended], facts: Facts) -> list[Finding]:
    """The findings; ``ended`` is settled on the way: what is over and was info at most has passed, what raises has failed."""
    names = [rule_id for rule_id, e in ended.items() if isinstance(e, (Alarm, FactAlarm))]
    out = []
    for name in names:
        alarm = ended[name]
        try:
            if isinstance(alarm, Alarm):
                finding = series_finding(run, alarm.rule, alarm.track, facts, names)
            elif isinstance(alarm, FactAlarm):
                finding = fact_finding(run, alarm.rule, alarm.fired, facts, names)
        except Exception as error:  # a rule's words may raise as its signal may; said once, in the report
            ended[name] = Unjudged(name, f"rule failed: {type(error).__name__}: {error}")
            continue
        if isinstance(alarm, Alarm) and not finding.active and rank(finding.worst) <= rank("info"):
            ended[name] = Passed(name, alarm.track.first, f"from step {finding.onset.step}, over: {finding.headline}")
            continue
        out.append(finding)
    return out


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
        told = f"{unread:,} keys unmapped: --map KEY=METRIC" if unread else "only standard names are read"
        out.insert(0, f"trainer not recognised, {told}")
    if facts.framework is not None:
        out += FRAMEWORKS[facts.framework].caveats(facts.version)
    out += _second_thoughts(run, facts)
    clocks = {how for how in run._assembler.clocks() if "#" in how}
    if clocks:
        out.append("some keys count their steps by another clock: they are joined by step, not by row")
    if run._keys.left_out:
        out.append("more than 20,000 keys: the rest was not read")
    return tuple(dict.fromkeys(out))


def _second_thoughts(run: Diagnosis, facts: Facts) -> list[str]:
    """What the keys of the whole run would have been taken for; said, never read anew."""
    decided = run._detected
    if decided is None or run.framework is not None:
        return []
    now = detect(facts.keys, run.config, None, run.version)
    if now.recognised and now.framework.name != decided.framework.name:
        return [f"later keys look like {now.framework.title}: not read so (--framework {now.framework.name})"]
    if now.recognised and now.version != decided.version:
        was, is_ = version_text(decided.version) or "unknown", version_text(now.version)
        return [f"read as version {was}; later keys belong to {is_}: --framework {now.framework.name}=={is_}"]
    return []


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
    return run.signal_trace(tracks[0])


def _labels(run: Diagnosis, findings: Sequence[Finding], facts: Facts, main: str | None) -> dict[str, dict[str, str]]:
    names = [main] if main else []
    names += [name for f in findings for name in (f.metric, *(e.metric for e in f.evidence)) if name]
    names += list(facts.readings)
    shown = {name: {"label": label_of(name), "unit": unit_of(name)} for name in dict.fromkeys(names)}
    signals = {rule.id: rule for rule in run.rules if rule.label}
    for f in findings:
        if f.statistic is not None and f.rule in signals:
            shown[f.statistic.trace] = {"label": signals[f.rule].label, "unit": signals[f.rule].unit}
    return shown


def _masked(name: str, value: Any) -> Any:
    """Values that look like secrets leave no report."""
    return "•••" if isinstance(value, str) and (_SECRET.search(name) or len(value) > 200) else value
