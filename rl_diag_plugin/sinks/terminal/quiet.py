"""One line a finding, for a log or a pipe: it never wraps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...model import Finding, Report
from ..failed import Failed
from .layout import Line, Sheet, typed
from .missing import files
from .phrases import headline, leaving, roots, rules, since, unjudged
from .table import headed, ordered


def quiet_lines(reports: Sequence[Report], failed: Sequence[Failed], sheet: Sheet) -> list[Line]:
    end = leaving(sheet.options.exit_code)
    told = [headed(reports, ()), f"{rules(sum(map(unjudged, reports)))} could not be judged"]
    told += [f"{files(len(failed))} gave no report"] if failed else []
    return [*(line for report in ordered(reports) for line in _run(report, sheet)), sheet.row("; ".join(told) + (f".{end}" if end else ""))]


def _run(report: Report, sheet: Sheet) -> Iterator[Line]:
    found = roots(report)
    for finding in found:
        yield sheet.row(
            typed(report.path or report.run),
            f": {finding.severity} ",
            typed(finding.rule),
            f"{_since(report, finding)}: {headline(finding)}",
        )
    if report.verdict == "cannot-tell":
        yield sheet.row(typed(report.path or report.run), f": cannot tell: {report.summary}")


def _since(report: Report, finding: Finding) -> str:
    told = since(report, finding).split(",")[0] if finding.active else since(report, finding)
    return f" {told}" if told else ""
