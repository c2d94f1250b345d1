"""Proportion: a share of counted samples is over the limit, by more than chance explains."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..model import Floats, Limit, Steps
from .base import Judged
from .grid import Grid
from .running import FIRST, SMALL, Bulk, One, columns, oriented, quiet
from .statistics import narrowed, rolling_mean

ASSUMED = 16  # samples behind a share whose n is not known
MOST = 2**40  # larger n count as this, so that sums stay exact


@dataclass(frozen=True, slots=True)
class Proportion:
    """Counts pooled over w rows: K - N t > z √(N t (1 - t) · design effect), that is, Wilson's lower bound is over the limit t.

    The score interval inverts the score test (Wilson 1927), so one integer test replaces the bound. ``count`` names the metric
    that logs how many samples a row's share is of; here it is only kept for whoever passes ``counts``.
    """

    window: int = 10
    z: float = 3.0
    hold: int = 5
    clear: int = 10
    count: object | None = None

    @property
    def warmup(self) -> int:
        return 0

    def start(self, limits: Sequence[Limit], *, n: int | None = None, design_effect: float = 1.0) -> ProportionStream:
        """``n``: samples a row according to the settings. ``design_effect``: 1 + (group - 1) * correlation within groups (Kish 1965)."""
        oriented(limits)
        if not all(0 <= limit.value <= 1 for limit in limits):
            raise ValueError(f"Proportion limits are shares within 0 … 1, got {[limit.value for limit in limits]}")
        if n is not None and n < 1:
            raise ValueError(f"Proportion takes n ≥ 1 samples a row, got {n}; leave it out where it is not known")
        return ProportionStream(limits, self.window, self.z, None if n is None else min(int(n), MOST), design_effect)

    def statistic(self, values: Floats, width: int = 1) -> Floats:
        return rolling_mean(values, narrowed(self.window, width))

    def label(self) -> str:
        return f"share pooled over {self.window} rows"


class ProportionStream:
    """n of a row: logged, else from the settings, else from the grid of the values so far, else assumed."""

    def __init__(self, limits: Sequence[Limit], window: int, z: float, n: int | None, design_effect: float) -> None:
        self.sign = 1.0 if limits[0].side == "above" else -1.0
        self.limits = [float(limit.value) for limit in limits]
        self.window, self.z, self.given, self.design_effect = window, z, n, design_effect
        self.seen = 0
        self.k: list[int] = []
        self.n: list[int] = []
        self.n_from = "assumed" if n is None else "settings"
        self.grid = Grid()

    def advance(self, steps: Steps, values: Floats, counts: Floats | None = None) -> Judged:
        v = np.asarray(values, float)
        if v.size <= SMALL:
            return self._singly(v, counts)
        at = np.flatnonzero(np.isfinite(v))
        if at.size <= SMALL:
            return self._singly(v, counts)
        logged = np.asarray(counts, float)[at] if counts is not None else None
        got = self._bulk(np.minimum(np.maximum(v[at], 0.0), 1.0), logged)
        return Judged(at, got.cond, got.safe, got.stat)

    def _singly(self, values: Floats, counts: Floats | None) -> Judged:
        at, rows = [], []
        for i, x in enumerate(values.tolist()):
            if x - x == 0.0:
                at.append(i)
                rows.append(self._one(min(max(x, 0.0), 1.0), None if counts is None else float(counts[i])))
        got = columns(rows)
        return Judged(FIRST if at == [0] else np.array(at, np.intp), got.cond, got.safe, got.stat)

    def _one(self, x: float, logged: float | None) -> One:
        n = self._samples(x, logged)
        self.k.append(round(x * n))
        self.n.append(n)
        if len(self.k) > self.window:
            del self.k[0], self.n[0]
        self.seen += 1
        k, total = float(sum(self.k)), float(sum(self.n))
        cond = 0
        for t in self.limits:
            cond += self.sign * (k - total * t) > self._noise(total, t)
        t = self.limits[0]
        safe = not cond and (self._well_within(k, total) or self.sign * (total * t - k) > self._noise(total, t))
        return One(cond, safe, k / max(total, 1.0))

    def _samples(self, x: float, logged: float | None) -> int:
        if logged is not None and math.isfinite(logged):
            self.n_from = "logged"
            return round(min(max(logged, 0.0), MOST))
        if self.given is not None:
            self.n_from = "settings"
            return self.given
        n = self.grid.see(x)
        self.n_from = "grid" if n else "assumed"
        return n or ASSUMED

    def _noise(self, total: float, t: float) -> float:
        return self.z * math.sqrt(total * (t * (1 - t)) * self.design_effect)

    def _well_within(self, k: Any, total: Any) -> Any:
        """The share alone, where few samples leave the test undecided."""
        t = self.limits[0]
        return k < 0.8 * t * total if self.sign > 0 else 0.8 * k > t * total

    def _bulk(self, x: Floats, logged: Floats | None) -> Bulk:
        w, m = self.window, x.size
        n = self._samples_of_many(x, logged)
        k, total = _pooled(self.k, np.rint(x * n), w), _pooled(self.n, n, w)
        self.seen += m
        self.k = (self.k + np.rint(x[-w:] * n[-w:]).astype(np.int64).tolist())[-w:]
        self.n = (self.n + n[-w:].astype(np.int64).tolist())[-w:]
        cond, _, _ = quiet(m)
        for t in self.limits:
            hit = self.sign * (k - total * t) > self._noises(total, t)
            if not hit.any():
                break
            cond += hit

        def safe() -> NDArray[np.bool_]:
            t = self.limits[0]
            found: NDArray[np.bool_] = (self.sign * (total * t - k) > self._noises(total, t)) | self._well_within(k, total)
            return found

        return Bulk(cond, safe, k / np.maximum(total, 1.0))

    def _noises(self, total: Floats, t: float) -> Floats:
        return self.z * np.sqrt(total * (t * (1 - t)) * self.design_effect)

    def _samples_of_many(self, x: Floats, logged: Floats | None) -> Floats:
        have = np.isfinite(logged) if logged is not None else np.zeros(x.size, bool)
        n = np.empty(x.size)
        if logged is not None:
            n[have] = np.rint(np.minimum(np.maximum(logged[have], 0.0), MOST))
        rest = ~have
        if self.given is not None:
            n[rest] = self.given
        else:
            n[rest] = self.grid.see_many(x[rest])
        last = "logged" if have[-1] else "settings" if self.given is not None else "grid" if n[-1] else "assumed"
        n[rest & (n == 0)] = ASSUMED
        self.n_from = last
        return n

    def state(self) -> dict[str, Any]:
        return {"seen": self.seen, "k": list(self.k), "n": list(self.n), "n_from": self.n_from, "grid": self.grid.state()}

    def restore(self, state: Mapping[str, Any]) -> None:
        self.seen, self.k, self.n, self.n_from = state["seen"], list(state["k"]), list(state["n"]), state["n_from"]
        self.grid.restore(state["grid"])

    def facts(self) -> dict[str, Any]:
        """``n``: samples of the last row, ``n_from``: logged, settings, grid, assumed; ``k`` of ``pooled_n`` in the window."""
        n = self.n[-1] if self.n else self.given or ASSUMED
        return {"n": n, "n_from": self.n_from, "k": sum(self.k), "pooled_n": sum(self.n)}


def _pooled(tail: list[int], new: Floats, window: int) -> Floats:
    """Sums of the last ``window`` counts, integers throughout."""
    full = np.concatenate((np.zeros(window - len(tail), np.int64), np.array(tail, np.int64), new.astype(np.int64)))
    c = np.cumsum(full)
    sums: Floats = (c[window:] - c[:-window]).astype(float)
    return sums
