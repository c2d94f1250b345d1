"""Cells as blocks of eight heights, the range they span in words, and a limit as a height."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ...model import LimitShown
from ...wording import number
from .axis import Cell
from .clean import ascii_words

BLOCKS = "▁▂▃▄▅▆▇█"
_FROM_ZERO = 0.4  # share of the larger end; a range that comes this near to 0 begins there
_WIDE = 0.4  # share of the larger end that a range must span to be told by two digits


class Scale(NamedTuple):
    lo: float
    hi: float


def scale_of(values: Iterable[float | None]) -> Scale | None:
    """None where no value is finite."""
    finite = [v for v in values if v is not None and math.isfinite(v)]
    if not finite:
        return None
    lo, hi = min(finite), max(finite)
    if lo < hi:
        lo = 0.0 if 0 <= lo <= _FROM_ZERO * hi else lo
        hi = 0.0 if lo < 0 and hi <= 0 and -hi <= _FROM_ZERO * -lo else hi
    return Scale(lo, hi)


def height(value: float, scale: Scale) -> int:
    """0 … 7. A constant is drawn low where it is 0, in the middle else."""
    if not scale.lo < scale.hi:
        return 0 if value == 0 else 3
    span = scale.hi / 2 - scale.lo / 2  # halves: the ends may lie further apart than a float can say
    return max(0, min(7, int((value / 2 - scale.lo / 2) / span * 8)))


def limit_height(limit: LimitShown | None, scale: Scale | None) -> int | None:
    """The height at the limit where it lies inside the range; never the highest, so that something can be over it."""
    if limit is None or scale is None or not scale.lo < limit.value < scale.hi:
        return None
    return max(0, min(6, height(limit.value, scale) - 1))


def drawn(cells: Sequence[Cell], scale: Scale | None, limit: LimitShown | None = None, ascii_only: bool = False) -> str:
    """Rounded away from the limit: every taller cell is over it and no other."""
    at = limit_height(limit, scale)
    glyphs = "".join(_glyph(cell, scale, limit, at) for cell in cells)
    return ascii_words(glyphs.replace("·", ".")) if ascii_only else glyphs


def _glyph(cell: Cell, scale: Scale | None, limit: LimitShown | None, at: int | None) -> str:
    if cell.broken:
        return "×"
    if cell.planned:
        return "·"
    if cell.value is None or scale is None:
        return " "
    level = height(cell.value, scale)
    if limit is not None and at is not None:
        taller = cell.value > limit.value if limit.side == "above" else cell.value >= limit.value
        level = max(level, at + 1) if taller else min(level, at)
    return BLOCKS[level]


def range_text(scale: Scale | None, unit: str, room: int) -> str:
    """``0–0.84``, ``0–98 %``, ``−0.34…0.01``; two digits, three where the ends are close."""
    if scale is None:
        return ""
    factor, tail = (100.0, " %") if unit == "%" else (1.0, "")
    lo, hi = scale.lo * factor, scale.hi * factor
    if lo == hi:
        return _compact(lo, 3) + tail
    top = max(abs(lo), abs(hi))
    digits = 2 if hi - lo >= _WIDE * top else 3
    between = "…" if lo < 0 else "–"
    told = [(_compact(lo, digits), _compact(hi, digits)), (_short(lo, 1), _short(hi, 1)), (_short(lo, 0), _short(hi, 0))]
    texts = [f"{low}{between}{high}{tail}" for low, high in told]
    return next((text for text in texts if len(text) <= room), f"to {_short(hi, 0)}{tail}")


def _compact(x: float, digits: int) -> str:
    size = abs(x)
    if not math.isfinite(x) or size < 0.001 or size >= 1000:
        return number(x)
    text = f"{size:.{digits}g}" if size < 1 else f"{round(size, max(0, digits - len(str(int(size))))):g}"
    return ("−" if x < 0 else "") + text


def _short(x: float, digits: int) -> str:
    """For a column that is too narrow for thousands."""
    text = f"{x:.{digits}e}" if abs(x) >= 1000 or abs(x) < 0.001 else f"{x:.{digits + 1}g}"
    mantissa, _, exponent = text.partition("e")
    return (mantissa.removesuffix(".0") + (f"e{int(exponent)}" if exponent and float(mantissa) else "")).replace("-", "−", 1)


def step_in(step: int, room: int) -> str:
    """A step with thousands, or in powers of ten where that has no room."""
    text = f"{step:,}"
    return text if len(text) <= room else number(step)


def value_text(value: float | None, unit: str) -> str:
    if value is None:
        return "NaN"
    if unit == "%":
        return _compact(100 * value, 3) + " %"
    return number(value)
