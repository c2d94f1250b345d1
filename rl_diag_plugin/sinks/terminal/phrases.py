"""What is said of a finding and a run in every form of the text: since when, how bad, how many."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...model import Finding, LimitShown, RemedyShown, Report, Skipped, Trace, rank
from ...wording import step_text, steps
from .axis import stretches

SEVERITIES = ("critical", "error", "warning", "info", "note")
_SAFE_TO_TYPE = re.compile(r"[\w@%+=:,./~-]+")


def roots(report: Report) -> list[Finding]:
    return [f for f in report.findings if f.symptom_of is None]


def rules(n: int) -> str:
    return "1 rule" if n == 1 else f"{n:,} rules"


def rows(n: int) -> str:
    return "1 row" if n == 1 else f"{n:,} rows"


def unjudged(report: Report) -> int:
    return report.counts.get("skipped", 0)


def since(report: Report, finding: Finding) -> str:
    """``since 42 (41–44), 58 steps``; ``from 1, over since 25``; ``from the configuration``."""
    onset = finding.onset
    if onset.step is None:
        return "from the configuration" if onset.method == "config" or finding.config else ""
    bounds = (
        f" ({step_text(onset.lo)}–{step_text(onset.hi)})" if onset.lo is not None and onset.hi is not None and onset.lo < onset.hi else ""
    )
    if not finding.active:
        over = over_since(report, finding)
        return f"from {step_text(onset.step)}{bounds}" + (f", over since {step_text(over)}" if over is not None else ", over")
    text = f"since {step_text(onset.step)}{bounds}"
    if report.steps is None:
        return text
    spans = stretches(finding)
    earlier = [span for span in spans[:-1] if span.end is not None and onset.step <= span.end]
    start = spans[-1].start if earlier else onset.step
    episode = f" episode {len(spans)}:" if len(spans) > 1 else ""
    return f"{text},{episode} {steps(max(1, report.steps[1] - start + 1))}"


def over_since(report: Report, finding: Finding) -> int | None:
    """The first row that was not over the limit any more, as far as the drawn series tell."""
    ends = [span.end for span in stretches(finding) if span.end is not None]
    if not ends:
        return None
    end = ends[-1]
    shown = [
        report.traces.get(name) for name in (finding.statistic.trace if finding.statistic else None, finding.metric, report.main) if name
    ]
    after = [step for trace in shown if trace is not None and trace.width == 1 for step in trace.steps if step > end]
    return min(after, default=finding.episodes[-1].resolved or end)


def meta(report: Report, finding: Finding) -> list[str]:
    """Rule, since when, its own severity where a consequence is worse, a worse past, confidence."""
    facts = [finding.rule, since(report, finding)]
    if finding.active and finding.own != finding.severity:
        facts.append(f"by itself {finding.own}")
    facts += [_worse_before(finding), f"confidence {finding.confidence.level}"]
    return [fact for fact in facts if fact]


def _worse_before(finding: Finding) -> str:
    worse = [e for e in finding.episodes if e.end is not None and e.resolved is not None and rank(e.severity) > rank(finding.severity)]
    if not finding.active or not worse:
        return ""
    last = worse[-1]
    return f"{last.severity} until step {step_text(last.end or last.start)}"


def facts(report: Report) -> list[str]:
    """Trainer; steps, rows, state."""
    state: str = report.state
    if report.state == "running" and report.planned is not None and report.steps is not None:
        state = f"running, {step_text(report.steps[1])} of {step_text(report.planned)}"
    if report.steps is None:
        span = f"no rows, {state}"
    else:
        first, last = report.steps
        named = f"step {step_text(first)}" if first == last else f"steps {step_text(first)}–{step_text(last)}"
        span = f"{named}, {rows(report.rows)}, {state}"
    return [report.trainer or "trainer not recognised", span, *(["provisional"] if report.provisional else [])]


def counts(report: Report) -> str:
    """``1 critical (3 follow); 22 rules passed, 15 could not be judged``."""
    n = report.counts
    found = [f"{n[s]:,} {s}" for s in SEVERITIES if n.get(s)] + ([f"{n['over']:,} over"] if n.get("over") else [])
    follow = f" ({n['follow']:,} follow)" if n.get("follow") else ""
    judged = f"{rules(n.get('passed', 0))} passed, {unjudged(report):,} could not be judged"
    return f"{', '.join(found)}{follow}; {judged}" if found else judged


def leaving(exit_code: int) -> str:
    return f" Exit {exit_code}" if exit_code else ""


def headline(finding: Finding) -> str:
    return finding.headline if finding.active else f"over: {finding.headline}"


def binding(finding: Finding) -> LimitShown | None:
    """The limit of the present severity."""
    marked = [limit for limit in finding.limits if limit.binding] or [limit for limit in finding.limits if limit.severity == finding.own]
    return next(iter(marked or finding.limits), None)


def drawn_as(finding: Finding) -> str:
    """The statistic's name, where the measured value does not say it already."""
    label = finding.statistic.label if finding.statistic is not None else ""
    return label if label and label not in finding.measured else ""


def label(report: Report, metric: str | None) -> str:
    return report.metrics.get(metric, {}).get("label", "") or metric if metric else ""


def unit(report: Report, metric: str | None) -> str:
    return report.metrics.get(metric or "", {}).get("unit", "")


def signal(report: Report, finding: Finding) -> tuple[Trace, Sequence[float | None]] | None:
    """The series that the limits are for; for a fact, the series that it was seen in. None where it is the reward above."""
    if finding.metric is not None and finding.metric == report.main:
        return None
    if finding.statistic is not None:
        trace = report.traces.get(finding.statistic.trace)
        return None if trace is None else (trace, finding.statistic.points)
    trace = report.traces.get(finding.metric or "")
    return None if trace is None else (trace, trace.mean)


def enabling(skipped: Skipped) -> str:
    """What ends the silence of a group of rules, as it is typed where it can be typed."""
    if skipped.rows_needed is not None:
        return f"wait: {skipped.rows_needed:,} more row{'' if skipped.rows_needed == 1 else 's'}"
    if skipped.enable is None:
        return skipped.reason
    made = skipped.enable
    return f"{made.key}={made.value}" if made.key is not None and made.value is not None else made.text


def change(remedy: RemedyShown) -> str:
    """The word after a change; advice needs none."""
    return "" if remedy.kind == "advice" else remedy.applicability


def quoted(path: str) -> str:
    """A path as a shell takes it."""
    return path if _SAFE_TO_TYPE.fullmatch(path) else "'" + path.replace("'", "'\\''") + "'"
