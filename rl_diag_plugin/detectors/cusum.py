"""Cusum: the level left that of the first observations, and stays away by a stated effect."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..model import Floats, Limit
from .base import Flags, Levels
from .running import NAN, QUIET, Bulk, One, Stream, departures, quiet
from .statistics import lower_medians, median, narrowed, rolling_median

LAST = 10  # observations of which a majority must show the effect
MAJORITY = 6


@dataclass(frozen=True, slots=True)
class Cusum:
    """One-sided CUSUM of z = (x - μ)/sd clipped to ±4 (Page 1954): S = max(0, S + z - k), open at S > h.

    μ, sd of the first ``n0`` observations after ``skip``, frozen: median, max(1.4826 MAD, IQR/1.349) √((1+φ)/(1-φ)). k = 0.5 +
    ``widen``/√n0 allows for an estimated baseline. Open until the reverse sum passes h, for S itself stays up as long as the shift
    lasted. The limits are departures from μ in the signal's unit, a fall negative; one is exceeded while also 6 of the last 10
    observations lie beyond it and beyond ``effect``, because a healthy run changes too.

    False alarms with an effect of 2 sd, AR(1) φ 0/0.3/0.5: 0/0/0.005 in 1,000 rows, 0/0/0.04 in 10,000; a shift of 3 sd is found
    after 6 to 8 rows. Slower signals, or an effect of 1 sd: n0 = 100, h = 12 (φ 0.9: 0.045 and 0.12).
    """

    effect: float
    n0: int = 50
    skip: int = 0
    h: float = 9.0
    widen: float = 2.5
    clip: float = 4.0
    hold: int = 1
    clear: int = 1

    @property
    def warmup(self) -> int:
        return self.skip + self.n0

    def start(self, limits: Sequence[Limit]) -> CusumStream:
        if not self.effect >= 0:
            raise ValueError(f"Cusum takes an effect ≥ 0 in the signal's unit, got {self.effect!r}")
        return CusumStream(*departures(limits), self)

    def statistic(self, values: Floats, width: int = 1) -> Floats:
        skip, n0 = self.skip // width, narrowed(self.n0, width)
        x = np.sort(values[np.isfinite(values)][skip : skip + n0])
        mu = median(x.tolist()) if x.size else NAN
        return rolling_median(values, narrowed(LAST, width)) - mu

    def label(self) -> str:
        return f"median of {LAST} rows against the first {self.n0}"


class CusumStream(Stream):
    """Lindley's form: c += z - k, m = min(m, c), S = c - m; sequential sums, so that a chunk carries on exactly.

    Open: top = max(top, c); top - c > h closes and sets m = c. ``top`` is 0 while closed, so that equal pasts have equal states.
    """

    KEPT = ("base", "mu", "sd", "phi", "c", "m", "top", "on", "last", "seen")

    def __init__(self, sign: float, limits: Sequence[float], spec: Cusum) -> None:
        super().__init__(sign, limits, spec.skip + spec.n0)
        self.n0, self.skip, self.h, self.clip = spec.n0, spec.skip, spec.h, spec.clip
        self.k = 0.5 + spec.widen / math.sqrt(spec.n0)
        self.gates = [max(spec.effect, t) for t in self.limits]
        self.base: list[float] = []
        self.mu: float | None = None
        self.sd, self.phi = 1.0, 0.0
        self.c, self.m, self.top, self.on = 0.0, 0.0, 0.0, False
        self.last: list[float] = []

    def _freeze(self) -> None:
        b, n = self.base, len(self.base)
        ordered = sorted(b)
        self.mu = median(ordered)
        mad = 1.4826 * median(sorted([abs(v - self.mu) for v in b]))
        iqr = (ordered[(3 * n) // 4] - ordered[n // 4]) / 1.349
        mean = math.fsum(b) / n
        d = [v - mean for v in b]
        den = math.fsum([v * v for v in d])
        rho = math.fsum([p * q for p, q in pairwise(d)]) / den if den > 0 else 0.0
        self.phi = min(max(rho + 1 / n, 0.0), 0.9)
        self.sd = max(mad, iqr, 1e-9 * max(abs(self.mu), 1.0)) * math.sqrt((1 + self.phi) / (1 - self.phi))
        self.base = []

    def one(self, x: float) -> One:
        self.seen += 1
        if self.mu is None:
            if self.seen > self.skip:
                self.base.append(x)
            if len(self.base) == self.n0:
                self._freeze()
            return QUIET
        self.last = [*self.last, x][-LAST:]
        self.c += min(max((x - self.mu) / self.sd, -self.clip), self.clip) - self.k
        self._turn()
        cond = sum(sum(v - self.mu > gate for v in self.last) >= MAJORITY for gate in self.gates) if self.on else 0
        return One(cond, cond == 0, sorted(self.last)[(len(self.last) - 1) // 2] - self.mu if cond else NAN)

    def _turn(self) -> None:
        c = self.c
        if self.on:
            self.top = max(self.top, c)
            if self.top - c > self.h:
                self.on, self.m, self.top = False, c, 0.0
            return
        self.m = min(self.m, c)
        if c - self.m > self.h:
            self.on, self.top = True, c

    def bulk(self, x: Floats) -> Bulk:
        if self.mu is None:
            raise RuntimeError("a CUSUM has its baseline before it takes many observations")
        n = x.size
        away = x - self.mu
        steps = np.minimum(np.maximum(away / self.sd, -self.clip), self.clip) - self.k
        steps[0] += self.c
        c = np.add.accumulate(steps)
        on = self._walk(c)
        cond, _, stat = quiet(n)
        if on.any():
            past = np.concatenate((np.full(LAST - len(self.last), NAN), np.array(self.last) - self.mu, away))
            self._gated(on, past, cond, stat, len(self.last))
        self.c = float(c[-1])
        self.seen += n
        self.last = (self.last + x[-LAST:].tolist())[-LAST:]
        return Bulk(cond, lambda: cond == 0, stat)

    def _walk(self, c: Floats) -> Flags:
        """From turn to turn; stretches double, so that a storm of turns does not cost a pass over the chunk each."""
        n = c.size
        on = np.zeros(n, bool)
        p, size = 0, n
        while p < n:
            q = min(p + size, n)
            part = c[p:q]
            extreme = np.maximum(np.maximum.accumulate(part), self.top) if self.on else np.minimum(np.minimum.accumulate(part), self.m)
            hit = extreme - part > self.h if self.on else part - extreme > self.h
            i = int(hit.argmax())
            end = p + i if hit[i] else q
            on[p:end] = self.on
            if end == q:
                if self.on:
                    self.top = float(extreme[-1])
                else:
                    self.m = float(extreme[-1])
                p, size = q, size * 2
                continue
            if self.on:
                self.on, self.m, self.top = False, float(c[end]), 0.0
            else:
                self.on, self.m, self.top = True, float(extreme[i]), float(c[end])
            on[end] = self.on
            p, size = end + 1, 64
        return on

    def _gated(self, on: Flags, past: Floats, cond: Levels, stat: Floats, known: int) -> None:
        for gate in self.gates:
            count = np.cumsum(past > gate, dtype=np.int32)
            cond += on & (count[LAST:] - count[:-LAST] >= MAJORITY)
        i = np.flatnonzero(cond)
        if i.size:
            stat[i] = lower_medians(sliding_window_view(past, LAST)[i + 1], np.minimum(known + i + 1, LAST))

    def facts(self) -> dict[str, Any]:
        """Baseline in the signal's unit, its observation numbers; ``sum``: S, in sd, while open."""
        got = {"baseline": self.own(self.mu), "first": self.skip + 1, "last": self.skip + self.n0}
        return got if self.mu is None else {**got, "sd": self.sd, "phi": self.phi, "sum": self.c - self.m if self.on else 0.0}
