"""One run: verdict, overview, cards, blind spots; and at the foot, where the eye is, the headline again."""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Finding, Report, rank
from ..failed import Failed
from .appendix import appendix
from .axis import Axis, axis_of, curve_width
from .blindspots import blind_spots
from .card import SHORT, card, joined, whole_card
from .curves import FEW, has_signal, lane_rows, reward_row, step_row
from .layout import BLANK, Line, Sheet, Span
from .marks import finding_mark, verdict_mark
from .missing import failed_lines
from .phrases import counts, facts, headline, leaving, roots, rules, unjudged

CARDS = 5  # further findings are counted


def run_lines(report: Report, failed: Sequence[Failed], sheet: Sheet) -> list[Line]:
    found = roots(report)
    axis = axis_of(report, curve_width(sheet.options))
    serious = found if sheet.options.verbose else [f for f in found if rank(f.worst) >= rank("warning")]
    cards = serious if sheet.options.verbose else serious[:CARDS]
    infos = [f for f in found if f not in serious][:CARDS]  # a line at the foot; whole with -v
    blocks = [
        head(report, sheet),
        overview(report, cards, sheet, axis),
        *(_card(report, finding, sheet, axis, first=i == 0) for i, finding in enumerate(cards)),
        blind_spots(report, sheet),
        appendix(report, sheet) if sheet.options.verbose else [],
        failed_lines(failed, sheet),
        closing(report, [*cards, *infos], len(found) - len(cards) - len(infos), sheet),
    ]
    return [line for block in blocks if block for line in (BLANK, *block)][1:]


def _card(report: Report, finding: Finding, sheet: Sheet, axis: Axis | None, *, first: bool) -> list[Line]:
    if first or sheet.options.verbose:
        return whole_card(report, finding, sheet, axis)
    return card(report, finding, sheet, axis, SHORT)


def head(report: Report, sheet: Sheet) -> list[Line]:
    mark, look = verdict_mark(report)
    word = report.verdict.replace("-", " ")
    name = sheet.cut_middle(report.run, sheet.options.columns - len(word) - 4)
    lines = [sheet.row(Span(mark, look), " ", Span(word, "bold"), "  ", Span(name, "bold", True))]
    lines += joined(facts(report), sheet)
    lines += sheet.wrap([report.summary], 2, first=["  "]) if report.summary.strip() else []
    for caveat in report.caveats:
        lines += sheet.wrap([caveat], 2, first=["! "])
    return lines


def overview(report: Report, shown: Sequence[Finding], sheet: Sheet, axis: Axis | None) -> list[Line]:
    """The reward, and a lane a finding; with a ruler where the first card brings none."""
    lines = reward_row(report, sheet, axis)
    if axis is None or report.rows < FEW:
        return lines
    for finding in shown:
        lines += lane_rows(report, finding, sheet, axis)
    return [*lines, step_row(sheet, axis)] if lines and not (shown and has_signal(report, shown[0])) else lines


def closing(report: Report, shown: Sequence[Finding], more: int, sheet: Sheet) -> list[Line]:
    """A line a finding, worst first, then the counts of rules and the exit code."""
    mark, look = verdict_mark(report)
    first = Span(f"{mark} ", look)
    name = sheet.cut_middle(report.run, sheet.options.prose // 2)
    end = leaving(sheet.options.exit_code)
    end = f".{end}" if end else ""
    if not shown:
        return sheet.wrap([*_named(name), f"{_nothing(report)}{end}"], 2, first=[first])
    lines: list[Line] = []
    if rank(report.rank) < rank("warning") and report.verdict in ("healthy", "cannot-tell"):
        said = "cannot tell" if report.verdict == "cannot-tell" else "healthy, no finding above info"
        lines += sheet.wrap([*_named(name), said], 2, first=[first])
        name = ""
    for finding in shown:
        sign = Span(f"{finding_mark(finding)} ", finding.severity)
        lines += sheet.wrap([*_named(name), Span(headline(finding), "bold")], 2, first=[sign])
        name = ""
    if more:
        lines += sheet.wrap([f"{more:,} more finding{'' if more == 1 else 's'}, -v"], 2, first=["  "])
    return lines + sheet.wrap([f"{counts(report)}{end}"], 2, first=["  "])


def _named(name: str) -> list[Span | str]:
    return [Span(f"{name}:", typed=True), " "] if name else []


def _nothing(report: Report) -> str:
    passed = report.counts.get("passed", 0)
    if report.verdict == "cannot-tell":
        return f"cannot tell; {rules(passed)} passed, {unjudged(report):,} could not be judged"
    return f"no finding in {rules(passed)}; {unjudged(report):,} could not be judged"
