"""No marks and no curves, one statement a line that begins with what it is: for screen readers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...model import Evidence, Finding, RemedyShown, Report
from ..failed import Failed
from .clean import ascii_words, clean
from .missing import files, grouped
from .options import Options
from .phrases import change, counts, drawn_as, enabling, facts, label, quoted, roots, rules, since, unjudged
from .phrases import headline as headline_of
from .table import MOST, headed, kind, ordered, worst_of

_RANGE = re.compile(r"(?<=\d)[–…](?=[−\d])")
_SPOKEN = {"→": "to", "−": "minus ", "×": "times", "±": "plus or minus", "≥": "at least", "≤": "at most", "≈": "about"}
_ROLES = {"signal": "context", "confirms": "confirms", "against": "speaks against", "context": "context"}


def plain_text(reports: Sequence[Report], failed: Sequence[Failed], options: Options) -> str:
    statements = _one(reports[0], options) if len(reports) == 1 else _many(reports, options)
    lines = [spoken(text) for text in statements]
    lines += [spoken(f"no report: {files(len(members))}, {reason}: {members[0].path}") for reason, members in grouped(failed)]
    return "".join(f"{ascii_words(line) if options.ascii else line}\n" for line in lines)


def spoken(text: str) -> str:
    """Signs as the words they stand for."""
    text = _RANGE.sub(" to ", clean(text)).replace(" · ", ", ").replace("−", "minus ")
    for sign, word in _SPOKEN.items():
        text = text.replace(sign, word)
    return " ".join(text.split())


def _one(report: Report, options: Options) -> Iterator[str]:
    word = report.verdict.replace("-", " ")
    yield f"{word}: run {report.run}, {', '.join(facts(report))}"
    yield f"summary: {report.summary}"
    yield from (f"caveat: {caveat}" for caveat in report.caveats)
    found = roots(report)
    for i, finding in enumerate(found, 1):
        yield from _finding(report, finding, f"finding {i} of {len(found)}", options)
    for skipped in report.skipped:
        gain = "switch on" if skipped.enable is not None and skipped.rows_needed is None else "not judged"
        was = f", now {skipped.enable.was}" if skipped.enable is not None and skipped.enable.was is not None else ""
        yield f"{gain}, {rules(len(skipped.rules))}: {enabling(skipped)}{was}"
    yield f"result: {counts(report)}{_left(options)}"


def _left(options: Options) -> str:
    return f", exit {options.exit_code}" if options.exit_code else ""


def _finding(report: Report, finding: Finding, number: str, options: Options) -> Iterator[str]:
    own = f"by itself {finding.own}" if finding.active and finding.own != finding.severity else ""
    said = [
        number,
        finding.severity,
        "" if finding.active else "over",
        finding.rule,
        _since(report, finding),
        own,
        f"confidence {finding.confidence.level}",
    ]
    yield f"{', '.join(s for s in said if s)}: {finding.headline}"
    if finding.measured:
        drawn = drawn_as(finding)
        yield f"measured: {_named(report, finding.metric, finding.key)}{finding.measured}" + (f" ({drawn})" if drawn else "")
    for limit in finding.limits:
        if limit.binding or options.verbose:
            yield f"limit: {limit.text}, {limit.severity}" + (f" ({limit.source})" if limit.source else "")
    yield from (_evidence(report, e) for e in finding.evidence)
    for i, remedy in enumerate(finding.remedies, 1):
        yield f"change {i}, {_tag(remedy)}: {_change(remedy)}"
        if options.verbose and remedy.why:
            yield f"why change {i}: {remedy.why}"
    yield from _why(finding)


def _since(report: Report, finding: Finding) -> str:
    if finding.onset.step is None or not finding.active:
        return since(report, finding)
    return f"since step {finding.onset.step:,}"


def _tag(remedy: RemedyShown) -> str:
    return change(remedy) or remedy.applicability


def _change(remedy: RemedyShown) -> str:
    note = f" ({remedy.note})" if remedy.note else ""
    if remedy.kind != "set" or remedy.key is None or remedy.new is None:
        return remedy.text + note
    return f"{remedy.key}: " + (f"{remedy.old} to {remedy.new}" if remedy.old is not None else remedy.new) + note


def _evidence(report: Report, e: Evidence) -> str:
    return f"{_ROLES[e.role]}: {_named(report, e.metric, e.key, e.label)}{e.text}"


def _named(report: Report, metric: str | None, key: str | None, given: str = "") -> str:
    name = given or label(report, metric)
    if name and key and name != key:
        return f"{name} ({key}): "
    return f"{name or key}: " if name or key else ""


def _why(finding: Finding) -> Iterator[str]:
    for i, cause in enumerate(finding.causes, 1):
        yield f"suspected cause {i}: {cause.title}"
        yield from (f"supports cause {i}: {text}" for text in cause.supporting)
        yield from (f"speaks against cause {i}: {text}" for text in cause.contradicting)
        yield from (f"not observed for cause {i}: {text}" for text in cause.unobserved)
    if finding.next is not None:
        yield f"next experiment: {finding.next.title}" + (f" ({finding.next.cost})" if finding.next.cost else "")
        yield from (f"if {seen}: {meaning}" for seen, meaning in finding.next.predict)
    if finding.follows:
        yield f"follows from it: {', '.join(finding.follows)}"


def _many(reports: Sequence[Report], options: Options) -> Iterator[str]:
    yield headed(reports, options.paths)
    queue = [r for r in ordered(reports) if r.verdict != "healthy"]
    shown = queue if options.verbose else queue[:MOST]
    for report in shown:
        worst = worst_of(report)
        if worst is None:
            yield f"{kind(report)}: run {report.run}: {report.summary}"
        else:
            told = [f"run {report.run}", worst.rule, _since(report, worst)]
            yield f"{kind(report)}: {', '.join(t for t in told if t)}: {headline_of(worst)}"
    if len(queue) > len(shown):
        yield f"not listed: {len(queue) - len(shown):,} more runs, -v lists them"
    healthy = sorted(r.run for r in reports if r.verdict == "healthy")
    if healthy:
        some = healthy if options.verbose else healthy[:3]
        rest = len(healthy) - len(some)
        yield f"healthy: {', '.join(some)}" + (f" and {rest:,} more" if rest else "")
    yield f"result: {rules(sum(map(unjudged, reports)))} could not be judged{_left(options)}"
    if queue:
        yield f"next: rl-diag check {quoted(queue[0].path)}"
