"""Many runs: the worst on top, one row each; then what to type next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.cells import cell_len

from ...model import Finding, Report
from ..failed import Failed
from .axis import axis_of, cells
from .blocks import drawn, scale_of, step_in
from .curves import few
from .layout import BLANK, Line, Sheet, Span, length, pad, typed
from .marks import HEALTHY, run_mark
from .missing import failed_lines
from .phrases import headline, leaving, quoted, roots, rows, rules, unjudged

MOST = 20
NAME, NARROW_NAME, SINCE, CURVE = 25, 21, 7, 17
WIDEST_STEP = len("100,000,000")
CURVE_FROM, WORDS_FROM = 72, 120  # columns
CLASSES = ("critical", "error", "watch", "cannot tell", "healthy")


def kind(report: Report) -> str:
    if report.verdict == "unhealthy":
        return "critical" if report.rank == "critical" else "error"
    return report.verdict.replace("-", " ")


def ordered(reports: Sequence[Report]) -> list[Report]:
    """Worst first; what lasts before what is over, running before finished, the latest onset first."""
    return sorted(reports, key=_order)


def _order(report: Report) -> tuple[int, bool, bool, int, str]:
    worst = worst_of(report)
    step = worst.onset.step if worst is not None and worst.onset.step is not None else -1
    return CLASSES.index(kind(report)), worst is not None and not worst.active, report.state != "running", -step, report.run


def worst_of(report: Report) -> Finding | None:
    """The first root finding; the engine puts what lasts before what is over, and the worst first."""
    return next(iter(roots(report)), None)


def headed(reports: Sequence[Report], paths: Sequence[str]) -> str:
    """``40 runs in ./runs: 11 critical, 5 error, …``."""
    classes = Counter(map(kind, reports))
    told = ", ".join(f"{classes[name]:,} {name}" for name in CLASSES if classes[name])
    where = f" in {' and '.join(paths)}" if paths and len(paths) <= 2 and len(paths) < len(reports) else ""
    n = len(reports)
    return f"{'1 run' if n == 1 else f'{n:,} runs'}{where}" + (f": {told}" if told else "")


def table_lines(reports: Sequence[Report], failed: Sequence[Failed], sheet: Sheet) -> list[Line]:
    options = sheet.options
    lines = sheet.wrap([headed(reports, options.paths)], 0)
    queue = [r for r in ordered(reports) if r.verdict != "healthy"]
    healthy = sorted((r for r in reports if r.verdict == "healthy"), key=lambda r: r.run)
    shown = queue if options.verbose else queue[:MOST]
    if lines and reports:
        lines.append(BLANK)
    lines += _rows(shown, sheet) if shown else []
    if len(queue) > len(shown):
        lines += sheet.wrap([f"… {len(queue) - len(shown):,} more, -v lists them"], 2, first=["  "])
    lines += _healthy(healthy, sheet) if healthy else []
    lines += _foot(reports, queue, sheet)
    return lines + failed_lines(failed, sheet)


def _foot(reports: Sequence[Report], queue: Sequence[Report], sheet: Sheet) -> list[Line]:
    end = leaving(sheet.options.exit_code)
    told = f"{rules(sum(map(unjudged, reports)))} could not be judged" + (f".{end}" if end else "")
    lines = sheet.wrap([told], 2, first=["  "])
    if queue:
        lines += [sheet.row("  Next: ", typed(f"rl-diag check {quoted(queue[0].path)}"))]  # on one line: it is to be copied
    return lines


def _rows(shown: Sequence[Report], sheet: Sheet) -> list[Line]:
    columns = sheet.options.columns
    name = NAME if columns >= CURVE_FROM else NARROW_NAME
    found = [_finding(report) for report in shown]
    finding = max(len("worst finding"), *(length([f]) for f in found))
    steps = [_since(report) for report in shown]
    since = max(SINCE, *(len(s) + 1 for s in steps)) if columns >= CURVE_FROM else 0
    room = columns - 2 - name - since - 2 - finding - 2
    curve = min(CURVE, room) if columns >= CURVE_FROM and room >= len("reward") else 0
    words = room - CURVE - 2 if columns >= WORDS_FROM and room > CURVE + 20 else 0
    header = "run".ljust(name) + ("since".rjust(since) if since else "") + "  " + "worst finding".ljust(finding)
    header += ("  " + "reward".ljust(CURVE if words else 0) if curve else "") + ("  in words" if words else "")
    lines = [sheet.row("  ", Span(header, "dim"))]
    for report, step, rule in zip(shown, steps, found, strict=True):
        row: list[Span | str] = [
            _mark(report),
            " ",
            typed(pad(sheet.cut_middle(report.run, name), name)),
            step.rjust(since) if since else "",
            "  ",
        ]
        row += [rule, " " * (finding - length([rule]))] if curve else [rule]
        row += ["  ", typed(_curve(report, sheet, curve))] if curve else []
        worst = worst_of(report)
        row += [f"  {sheet.cut_end(headline(worst) if worst is not None else report.summary, words)}"] if words else []
        lines.append(sheet.row(*row))
    return lines


def _mark(report: Report) -> Span:
    return Span(*run_mark(report, worst_of(report)))


def _since(report: Report) -> str:
    worst = worst_of(report)
    if worst is None:
        return ""
    return "config" if worst.onset.step is None else step_in(worst.onset.step, WIDEST_STEP)


def _finding(report: Report) -> Span:
    """Rule, the number of findings that follow from it, whether it is over."""
    worst = worst_of(report)
    if worst is None:
        return Span(kind(report))
    more = f" +{len(worst.follows)}" if worst.follows else ""
    return typed(f"{worst.rule}{more}{'' if worst.active else ' (over)'}")


def _curve(report: Report, sheet: Sheet, width: int) -> str:
    trace = report.traces.get(report.main) if report.main else None
    axis = axis_of(report, width)
    if trace is None or axis is None:
        return pad(rows(report.rows) if trace is not None or not report.rows else "", width)
    if few(trace):
        return pad(rows(trace.points), width)
    worst = worst_of(report)
    onsets = [] if worst is None or worst.onset.step is None else [worst.onset.step]
    return drawn(cells(axis, trace, trace.mean, onsets), scale_of(trace.mean), ascii_only=sheet.options.ascii)


def _healthy(healthy: Sequence[Report], sheet: Sheet) -> list[Line]:
    """As many names as fit on one line, all with -v."""
    start = f"{len(healthy):,} healthy: "
    mark = [Span(f"{HEALTHY} ", "passed")]
    if sheet.options.verbose:
        names = [sheet.cut_middle(r.run, sheet.options.prose - 4) for r in healthy]
        return sheet.wrap(
            [start, *(w for i, name in enumerate(names) for w in (typed(name + ("," if i + 1 < len(names) else "")), " "))], 2, first=mark
        )
    names = [sheet.cut_middle(r.run, NAME) for r in healthy]
    shown = len(names)
    while shown > 1 and 2 + cell_len(_some(start, names, shown)) > sheet.options.prose:
        shown -= 1
    return [sheet.row(*mark, typed(_some(start, names, shown)))]


def _some(start: str, names: Sequence[str], shown: int) -> str:
    rest = len(names) - shown
    return start + ", ".join(names[:shown]) + (f" and {rest:,} more" if rest else "")
