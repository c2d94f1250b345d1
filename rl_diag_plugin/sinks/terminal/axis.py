"""The step axis that every curve and lane of a run shares, and what stands in its cells."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from ...model import Finding, Report, Trace
from .options import Options

_GAP = 3  # times the usual distance of rows, over which nothing was logged
_SEEN = 0.25  # of the planned steps; with less reached, the curve would be all dots


class Cell(NamedTuple):
    """``value``: the mean of the cell's rows, None where there is none. ``broken``: a value that is not finite."""

    value: float | None
    broken: bool = False
    planned: bool = False


@dataclass(frozen=True, slots=True)
class Axis:
    """``width`` cells over the steps ``first`` … ``end``; the run has reached ``last``."""

    width: int
    first: int
    last: int
    end: int

    def column(self, step: int) -> int:
        if self.end <= self.first:
            return 0
        return min(self.width - 1, max(0, (step - self.first) * self.width // (self.end - self.first)))


def curve_width(options: Options) -> int:
    """At 120 columns and more the words stand beside the curve."""
    return int(options.columns * 0.35) if options.wide else max(19, options.columns - 43)


def axis_of(report: Report, width: int) -> Axis | None:
    """To the planned end where the run did not get there and has seen enough of it."""
    if report.steps is None:
        return None
    first, last = report.steps
    end = last
    planned = report.planned
    if report.state != "finished" and planned is not None and planned > last and last - first >= _SEEN * (planned - first):
        end = planned
    return Axis(width, first, last, end)


def cells(axis: Axis, trace: Trace, values: Sequence[float | None], onsets: Iterable[int] = ()) -> list[Cell]:
    """One a column. A row is held until the next one; where an onset is drawn, no row from before it is in its cell."""
    sums: list[list[float]] = [[] for _ in range(axis.width)]
    held: list[float | None] = [None] * axis.width
    starts = sorted(onsets)
    usual = _usual(trace.steps)
    for i, (step, value) in enumerate(zip(trace.steps, values, strict=False)):
        if value is None:
            continue
        at = _before_onsets(axis, step, starts)
        sums[at].append(value)
        after = trace.steps[i + 1] if i + 1 < len(trace.steps) else None
        until = after if after is not None and after - step <= _GAP * usual else step + usual
        stop = axis.column(min(until, axis.end + 1) - 1) if until <= axis.end else axis.width - 1
        for column in range(at, _reached(axis, stop) + 1):
            held[column] = value
    broken = _broken_columns(axis, trace, values)
    return [_cell(axis, i, sums[i], held[i], i in broken) for i in range(axis.width)]


def _cell(axis: Axis, column: int, rows: Sequence[float], held: float | None, broken: bool) -> Cell:
    if not rows and held is None and not broken and axis.end > axis.last and column > axis.column(axis.last):
        return Cell(None, planned=True)
    return Cell(_mean(rows) if rows else held, broken)


def _mean(rows: Sequence[float]) -> float:
    """Divided before it is summed where the sum has no float."""
    total = sum(rows)
    return total / len(rows) if math.isfinite(total) else sum(row / len(rows) for row in rows)


def _reached(axis: Axis, column: int) -> int:
    return min(column, axis.column(axis.last)) if axis.end > axis.last else column


def _before_onsets(axis: Axis, step: int, onsets: Sequence[int]) -> int:
    at = axis.column(step)
    for onset in onsets:
        if step < onset and at >= axis.column(onset):
            return max(0, axis.column(onset) - 1)
    return at


def _broken_columns(axis: Axis, trace: Trace, values: Sequence[float | None]) -> set[int]:
    """A statistic that is None has not begun; a logged value that is None is not finite."""
    out = {axis.column(int(n["step"])) for n in trace.nonfinite if n.get("step") is not None}
    if values is trace.mean:
        out |= {axis.column(step) for step, value in zip(trace.steps, values, strict=False) if value is None}
    return out


def _usual(steps: Sequence[int]) -> int:
    """The middle distance of two rows."""
    apart = sorted(b - a for a, b in pairwise(steps))
    return max(1, apart[len(apart) // 2]) if apart else 1


class Stretch(NamedTuple):
    """An episode with its changes of severity taken together. ``end`` is None while it lasts."""

    start: int
    fired: int
    end: int | None


def stretches(finding: Finding) -> list[Stretch]:
    """A piece that begins at the row at which the one before was resolved carries the same episode on."""
    out: list[Stretch] = []
    known: int | None = None
    for piece in finding.episodes:
        lasts = piece.resolved is None
        end = None if lasts else (piece.end if piece.end is not None else piece.resolved)
        if out and known is not None and piece.start == piece.fired == known:
            out[-1] = out[-1]._replace(end=end)
        else:
            out.append(Stretch(piece.start, piece.fired, end))
        known = piece.resolved
    if out and finding.active:
        out[-1] = out[-1]._replace(end=None)
    return out


def lane(axis: Axis, finding: Finding) -> str:
    """Quiet, onset, waiting, firing, and whether it lasts."""
    drawn = ["╌"] * axis.width
    onset = finding.onset.step
    spans = stretches(finding) or ([Stretch(onset, onset, None if finding.active else onset)] if onset is not None else [])
    at = _onset_stretch(spans, onset)
    for i, span in enumerate(spans):
        start = onset if i == at and onset is not None else span.start
        end = axis.last if span.end is None else span.end
        for column in range(axis.column(start), axis.column(end) + 1):
            drawn[column] = "━" if column >= axis.column(span.fired) else "▒"
        drawn[axis.column(end)] = "▶" if span.end is None else "┫"
    if onset is not None:
        drawn[axis.column(onset)] = "┃"
    return "".join(drawn)


def _onset_stretch(spans: Sequence[Stretch], onset: int | None) -> int | None:
    """Which stretch the onset belongs to: the first that ends at or after it."""
    if onset is None:
        return None
    return next((i for i, span in enumerate(spans) if span.end is None or span.end >= onset), None)


def in_stretch(axis: Axis, finding: Finding, column: int) -> bool:
    """Whether the finding's limit is passed in this column."""
    onset = finding.onset.step
    for i, span in enumerate(spans := stretches(finding)):
        start = onset if onset is not None and i == _onset_stretch(spans, onset) else span.start
        if axis.column(start) <= column <= axis.column(axis.last if span.end is None else span.end):
            return True
    return not spans and onset is not None and column == axis.column(onset)


def ruler(axis: Axis, finding: Finding | None) -> str:
    """First and last step; under the onset its step, with the bounds where they differ. What finds no room is left out."""
    first, last = f"{axis.first:,}", f"{axis.end:,}"
    line = first + last.rjust(axis.width - len(first)) if len(first) + len(last) < axis.width else first
    onset = finding.onset if finding is not None else None
    if onset is None or onset.step is None:
        return line
    at, text = axis.column(onset.step), f"┃{onset.step:,}"
    if onset.lo is not None and onset.hi is not None and onset.lo != onset.hi:
        text += f" ({onset.lo:,}–{onset.hi:,})"
    left = first if len(first) < at else ""
    if len(text) > axis.width:
        text = f"┃{onset.step:,}"[: axis.width]
    if at + len(text) > axis.width:
        text = text[1:] + "┃"
        at = max(0, at + 1 - len(text))
        left = first if len(first) < at else ""
    line = left.ljust(at) + text
    return line + last.rjust(axis.width - len(line)) if len(line) + len(last) < axis.width else line


__all__ = ["Axis", "Cell", "Stretch", "axis_of", "cells", "curve_width", "in_stretch", "lane", "ruler", "stretches"]
