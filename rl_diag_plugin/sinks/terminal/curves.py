"""Tracks: a label, a curve on the run's axis and the range it spans; lanes and the ruler below it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...model import Finding, LimitShown, Report, Trace
from ...wording import number
from .axis import Axis, Cell, cells, in_stretch, lane, ruler
from .blocks import drawn, range_text, scale_of, value_text
from .layout import Line, Sheet, Span, pad, typed
from .marks import Look, finding_mark
from .phrases import binding, label, over_since, roots, signal, unit

LABEL = 27  # cells of a label and the space after it
RANGE = 12
FEW = 8  # rows under which numbers are told, not drawn
INDENT = 2 + LABEL


def named(sheet: Sheet, text: str, mark: Span | str = " ") -> list[Span]:
    """Mark and label of a row, padded to where its curve begins."""
    label_text = sheet.words(text)
    return [Span(mark) if isinstance(mark, str) else mark, Span(" " + pad(sheet.cut_middle(label_text, LABEL - 2), LABEL))]


def numbers(trace: Trace, unit_name: str) -> str:
    """``0.125, 0, 0.0625  (all 3 rows)``."""
    kinds = {n.get("step"): str(n.get("kind", "NaN")) for n in trace.nonfinite}
    told = [kinds.get(step, "NaN") if v is None else value_text(v, unit_name) for step, v in zip(trace.steps, trace.mean, strict=False)]
    n = len(told)
    return f"{', '.join(told)}  ({'the only row' if n == 1 else f'all {n} rows'})" if told else "no rows"


def few(trace: Trace) -> bool:
    return len(trace.steps) < FEW


def track(
    sheet: Sheet,
    axis: Axis,
    trace: Trace,
    values: Sequence[float | None],
    unit_name: str,
    onsets: Iterable[int] = (),
    finding: Finding | None = None,
    limit: LimitShown | None = None,
) -> list[Span]:
    """Curve and range. Cells in which the finding's limit is passed have its colour."""
    scale = scale_of(values)
    made = cells(axis, trace, values, onsets)
    blocks = drawn(made, scale, limit, sheet.options.ascii)
    told = range_text(scale, unit_name, _room(sheet, axis) + 1 - len(sheet.dots)) if scale is not None else "not finite"
    return [*_coloured(axis, made, blocks, finding), Span(f"  {told}")]


def _room(sheet: Sheet, axis: Axis) -> int:
    """Cells to the right of a curve."""
    return RANGE if sheet.options.wide else min(RANGE, sheet.options.columns - INDENT - axis.width - 2)


def _coloured(axis: Axis, made: Sequence[Cell], blocks: str, finding: Finding | None) -> list[Span]:
    if finding is None:
        return [Span(blocks)]
    looks: list[Look] = [finding.severity if not made[i].planned and in_stretch(axis, finding, i) else "" for i in range(len(blocks))]
    return [Span(glyph, look) for glyph, look in zip(blocks, looks, strict=True)]


def reward_row(report: Report, sheet: Sheet, axis: Axis | None) -> list[Line]:
    trace = report.traces.get(report.main) if report.main else None
    if trace is None:
        return []
    start = named(sheet, label(report, report.main))
    told = unit(report, report.main)
    if axis is None or few(trace):
        return sheet.wrap([numbers(trace, told)], INDENT, sheet.options.columns, start)
    onsets = [f.onset.step for f in roots(report) if f.onset.step is not None]
    return [sheet.row(*start, *track(sheet, axis, trace, trace.mean, told, onsets))]


def lane_rows(report: Report, finding: Finding, sheet: Sheet, axis: Axis) -> list[Line]:
    """Rule, lane, since. An id that has no room beside its lane stands above it; ids are never cut."""
    onset = finding.onset.step
    if onset is None:
        return []
    mark = Span(finding_mark(finding), finding.severity)
    drawing = [Span(c, "dim" if c == "╌" else finding.severity) for c in lane(axis, finding)]
    room = _room(sheet, axis)
    tail = next((text for text in _since(report, finding, onset) if len(text) <= room), "over")
    if len(finding.rule) > LABEL - 2:
        return [sheet.row(mark, " ", typed(finding.rule)), sheet.row(" " * INDENT, *drawing, f"  {tail}")]
    return [sheet.row(mark, " ", typed(pad(finding.rule, LABEL)), *drawing, f"  {tail}")]


def _since(report: Report, finding: Finding, onset: int) -> list[str]:
    """Longest first."""
    if finding.active:
        return [f"since {onset:,}", f"{onset:,}", number(onset)]
    over = over_since(report, finding)
    return [] if over is None else [f"over since {over:,}"]


def step_row(sheet: Sheet, axis: Axis) -> Line:
    return sheet.row(*named(sheet, "step"), Span(ruler(axis, None), "dim"))


def signal_rows(report: Report, finding: Finding, sheet: Sheet, axis: Axis | None) -> list[Line]:
    """The statistic that the limit is for, and under it the onset."""
    found = signal(report, finding)
    if found is None or axis is None:
        return []
    trace, values = found
    own = signal_words(report, finding)
    start = named(sheet, (own.get("label") if own else label(report, finding.metric)) or finding.rule)
    told = signal_unit(report, finding)
    if few(trace):
        return sheet.wrap([numbers(trace, told)], INDENT, sheet.options.columns, start)
    onsets = [] if finding.onset.step is None else [finding.onset.step]
    curve = track(sheet, axis, trace, values, told, onsets, finding, binding(finding))
    lines = [sheet.row(*start, *curve), sheet.row(" " * INDENT, Span(ruler(axis, finding), "dim"))]
    return lines[:1] + _logged(report, finding, sheet, axis, onsets) + lines[1:]


def _logged(report: Report, finding: Finding, sheet: Sheet, axis: Axis, onsets: Sequence[int]) -> list[Line]:
    """The value as it was logged, beside a statistic that is another one."""
    raw = report.traces.get(finding.metric or "")
    if not sheet.options.verbose or raw is None or finding.statistic is None or not finding.statistic.label:
        return []
    return [sheet.row(*named(sheet, "as logged"), *track(sheet, axis, raw, raw.mean, unit(report, finding.metric), onsets))]


def signal_words(report: Report, finding: Finding) -> dict[str, str] | None:
    """Label and unit of a signal that is made of several metrics; None where it is the metric itself."""
    return None if finding.statistic is None else report.metrics.get(finding.statistic.trace)


def signal_unit(report: Report, finding: Finding) -> str:
    """The signal's own unit; percent where the limits are written so; else what the metric is in."""
    own = signal_words(report, finding)
    if own is not None:
        return own["unit"]
    limit = binding(finding)
    if finding.statistic is not None and limit is not None:
        return "%" if limit.text.rstrip().endswith("%") else ""
    return unit(report, finding.metric)


def has_signal(report: Report, finding: Finding) -> bool:
    """Whether a ruler will stand under the finding's own track."""
    found = signal(report, finding)
    return found is not None and not few(found[0])
