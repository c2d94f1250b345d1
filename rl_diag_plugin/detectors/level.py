"""Level: a majority of the last rows is over the limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..model import Floats, Limit
from .base import Flags, Levels
from .running import NAN, Bulk, One, Stream, oriented, quiet
from .statistics import lower_medians, narrowed, rolling_median


@dataclass(frozen=True, slots=True)
class Level:
    """#{last w: x > limit} ≥ ⌊n/2⌋ + 1 with n = min(seen, w): the lower median is over the limit ("below": the upper one is under).

    ``window`` w and ``least`` (before it nothing is judged) in observations. ``clear_at``, in the signal's unit: the median must
    get past it before an episode can end; 0.7 * the mildest limit above, 1.3 * below, to be given where that limit is ≤ 0.
    """

    window: int = 10
    least: int = 5
    clear_at: float | None = None
    hold: int = 5
    clear: int = 10

    @property
    def warmup(self) -> int:
        return self.least

    def start(self, limits: Sequence[Limit]) -> LevelStream:
        sign, values = oriented(limits)
        first = limits[0].value
        if self.clear_at is None and first <= 0:
            raise ValueError(f"Level with its mildest limit at {first:g}: a share of it is on the wrong side; give clear_at=")
        clear = sign * self.clear_at if self.clear_at is not None else sign * (0.7 if sign > 0 else 1.3) * first
        if clear > values[0]:
            safe = "at or under" if sign > 0 else "at or over"
            raise ValueError(f"Level clears at {self.clear_at:g}, expected {safe} its mildest limit {first:g}")
        return LevelStream(sign, values, clear, self.window, self.least)

    def statistic(self, values: Floats, width: int = 1) -> Floats:
        return rolling_median(values, narrowed(self.window, width), narrowed(self.least, width))

    def label(self) -> str:
        return f"median of {self.window} rows" if self.window > 1 else ""


class LevelStream(Stream):
    """Counts in a sliding window: integers, so neither a sort nor a running float sum decides."""

    KEPT = ("tail", "seen")

    def __init__(self, sign: float, limits: Sequence[float], clear: float, window: int, least: int) -> None:
        super().__init__(sign, limits)
        self.clear, self.window, self.least = clear, window, least
        self.tail: list[float] = []
        self.over: list[int] | None = None  # by limit; None: to be counted again
        self.under = 0

    def derive(self) -> None:
        self.over = None

    def one(self, x: float) -> One:
        tail, limits = self.tail, self.limits
        over = self.over
        if over is None:
            over = self.over = [sum(v > t for v in tail) for t in limits]
            self.under = sum(v < self.clear for v in tail)
        tail.append(x)
        self.seen += 1
        if len(tail) > self.window:
            self._count(over, tail.pop(0), -1)
        self._count(over, x, 1)
        if self.seen < self.least:
            return One(0, False, NAN)
        n = len(tail)
        need = n // 2 + 1
        cond = sum(k >= need for k in over)
        return One(cond, self.under >= need, sorted(tail)[(n - 1) // 2] if cond else NAN)

    def _count(self, over: list[int], x: float, by: int) -> None:
        if x > self.limits[0]:
            for j, t in enumerate(self.limits):
                over[j] += by * (x > t)
        elif x < self.clear:
            self.under += by

    def bulk(self, x: Floats) -> Bulk:
        w, n, first = self.window, x.size, self.seen
        full = np.concatenate((np.full(w - len(self.tail), NAN), self.tail, x))
        self.seen += n
        self.tail = full[len(full) - min(w, self.seen) :].tolist()
        self.over = None
        sizes = np.minimum(np.arange(first + 1, first + n + 1), w)
        need = w // 2 + 1 if first >= w - 1 else sizes // 2 + 1

        def majority(hits: Flags) -> Flags:
            c = np.cumsum(hits, dtype=np.int32)
            enough: Flags = c[w:] - c[:-w] >= need
            if first + 1 < self.least:
                enough[: self.least - 1 - first] = False
            return enough

        cond, _, stat = quiet(n)
        for t in self.limits:
            hits = full > t
            if not hits.any():
                break
            cond += majority(hits)
        self._medians(full, cond, stat, sizes)
        return Bulk(cond, lambda: majority(full < self.clear), stat)

    def _medians(self, full: Floats, cond: Levels, stat: Floats, sizes: np.ndarray) -> None:
        """Where a limit is exceeded; a partition where the window is full, which it nearly always is."""
        w = self.window
        i = np.flatnonzero(cond)
        if not i.size:
            return
        rows = sliding_window_view(full, w)[i + 1]
        if sizes[i[0]] < w:
            stat[i] = lower_medians(rows, sizes[i])
        else:
            stat[i] = np.partition(rows, (w - 1) // 2, axis=1)[:, (w - 1) // 2]
