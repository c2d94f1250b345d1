"""Spike: a value far above its recent median; a burst of them."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from ..model import Floats, Limit
from .base import Levels
from .running import NAN, Bulk, One, Stream, departures, quiet
from .statistics import median, narrowed, rolling_median

RECENT = 100  # observations in which three single spikes are a repetition
NEAR = 5  # observations in which three members are a burst
THREE = 3


@dataclass(frozen=True, slots=True)
class Spike:
    """d = x - median of the previous ``window``, against s = max(1.4826 MAD, ``floor``) of the same window.

    The limits are for d: the first for a single spike (d > limit and d > ``z`` s, now), the second for three of them in 100
    observations, the third for a burst, three of the last five with d > limit and d > ``burst_z`` s. Give the logarithm of a
    positive signal, and log 5 for fivefold. The flagged are not left out of the window: median and MAD stand up to half of it, and
    without them a lasting shift would be a spike for ever.
    """

    window: int = 50
    least: int = 20
    z: float = 6.0
    burst_z: float = 4.0
    floor: float = 0.2
    hold: int = 1
    clear: int = 10

    @property
    def warmup(self) -> int:
        return self.least

    def start(self, limits: Sequence[Limit]) -> SpikeStream:
        if len(limits) > THREE:
            raise ValueError(f"Spike takes up to three limits (single, three singles, burst), got {len(limits)}")
        sign, values = departures(limits, nested=False)
        return SpikeStream(sign, values, self)

    def statistic(self, values: Floats, width: int = 1) -> Floats:
        before = np.full(values.shape, np.nan)
        before[1:] = rolling_median(values, narrowed(self.window, width), narrowed(self.least, width))[:-1]
        distance: Floats = values - before
        return distance

    def label(self) -> str:
        return f"distance from the median of {self.window} rows"


class SpikeStream(Stream):
    """Flags are a bit a limit. Necessary for any: x - smallest limit is over the window's lower median, found by counting."""

    KEPT = ("ring", "flags", "seen")

    def __init__(self, sign: float, limits: Sequence[float], spec: Spike) -> None:
        super().__init__(sign, limits, spec.window)
        self.window, self.least, self.floor = spec.window, spec.least, spec.floor
        self.z = (spec.z, spec.z, spec.burst_z)[: len(self.limits)]
        self.gate = min(self.limits)
        self.ring: list[float] = []
        self.flags: list[list[int]] = []  # [observation, bits] within the last RECENT
        self.ordered: list[float] | None = None

    def derive(self) -> None:
        self.ordered = None

    def one(self, x: float) -> One:
        if self.ordered is None:
            self.ordered = sorted(self.ring)
        bits, d = self._flag(x, self.ordered) if self.seen >= self.least else (0, NAN)
        insort(self.ordered, x)
        self.ring.append(x)
        if len(self.ring) > self.window:
            del self.ordered[bisect_left(self.ordered, self.ring.pop(0))]
        now = self.seen
        self.seen += 1
        self.flags = [f for f in self.flags if f[0] > now - RECENT] + ([[now, bits]] if bits else [])
        cond = self._cond(now, bits) if self.flags else 0
        return One(cond, cond == 0, (d if bits else 0.0) if cond else NAN)

    def _flag(self, x: float, ordered: list[float]) -> tuple[int, float]:
        m = median(ordered)
        d = x - m
        if not d > self.gate:
            return 0, d
        z = d / max(1.4826 * median(sorted([abs(v - m) for v in ordered])), self.floor)
        return sum(1 << j for j, t in enumerate(self.limits) if d > t and z > self.z[j]), d

    def _cond(self, now: int, bits: int) -> int:
        if sum(f >> 2 & 1 for i, f in self.flags if i > now - NEAR) >= THREE:
            return 3
        if sum(f >> 1 & 1 for _, f in self.flags) >= THREE:
            return 2
        return bits & 1

    def bulk(self, x: Floats) -> Bulk:
        n, w = x.size, self.window
        full = np.concatenate((self.ring, x))
        stat = np.full(n, NAN)
        flags = self.flags + self._flag_many(x, full, stat)
        cond = self._conds(flags, n)
        stat[(cond > 0) & np.isnan(stat)] = 0.0
        stat[cond == 0] = NAN
        self.seen += n
        self.flags = [f for f in flags if f[0] > self.seen - 1 - RECENT]
        self.ring = full[-w:].tolist()
        self.ordered = None
        return Bulk(cond, lambda: cond == 0, stat)

    def _flag_many(self, x: Floats, full: Floats, stat: Floats) -> list[list[int]]:
        i = self._candidates(x, full)
        if not i.size:
            return []
        rows = np.sort(sliding_window_view(full, self.window)[i], axis=1)
        m = _medians(rows)
        d = x[i] - m
        z = d / np.maximum(1.4826 * _medians(np.sort(np.abs(rows - m[:, None]), axis=1)), self.floor)
        bits = np.zeros(i.size, np.int64)
        for j, t in enumerate(self.limits):
            bits |= ((d > self.gate) & (d > t) & (z > self.z[j])).astype(np.int64) << j
        on = bits > 0
        stat[i[on]] = d[on]
        return [[at, b] for at, b in zip((self.seen + i[on]).tolist(), bits[on].tolist(), strict=True)]

    def _candidates(self, x: Floats, full: Floats) -> NDArray[np.intp]:
        """Where the window's lower median may be under x - gate: its minimum is, and where many are left, half of it is."""
        n, w, low = x.size, self.window, x - self.gate
        i = np.flatnonzero(low > _sliding_minimum(full, w)[:n])
        if i.size <= n // 16:
            return i
        below = np.zeros(n, np.uint16)
        for j in range(w):
            below += full[j : j + n] < low
        return np.flatnonzero(below >= w // 2)

    def _conds(self, flags: list[list[int]], n: int) -> Levels:
        cond, _, _ = quiet(n)
        if not flags:
            return cond
        bits = np.zeros(n + RECENT, np.int64)
        for i, b in flags:
            bits[i - self.seen + RECENT] = b
        repeated, burst = np.cumsum(bits >> 1 & 1), np.cumsum(bits >> 2 & 1)
        cond[:] = bits[RECENT:] & 1
        cond[repeated[RECENT:] - repeated[:-RECENT] >= THREE] = 2
        cond[burst[RECENT:] - burst[RECENT - NEAR : -NEAR] >= THREE] = 3
        return cond


def _medians(ordered: Floats) -> Floats:
    """``median`` of each sorted row, with its operations."""
    n = ordered.shape[1]
    h = n // 2
    return ordered[:, h] if n & 1 else (ordered[:, h - 1] + ordered[:, h]) / 2


def _sliding_minimum(a: Floats, width: int) -> Floats:
    """Of every ``width`` consecutive values, by doubling: log₂ w passes, and no order of comparisons matters."""
    span, m = 1, a
    while 2 * span <= width:
        m = np.minimum(m[:-span], m[span:])
        span *= 2
    return m if span == width else np.minimum(m[: a.size - width + 1], m[width - span :])
