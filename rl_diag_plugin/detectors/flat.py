"""Flat: the run so far does not rise by as much as would matter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..model import Floats, Limit
from .base import Levels
from .running import BOUND, NAN, Bulk, One, Stream, quiet
from .statistics import fitted_line

POWER = 1.645 + 0.842  # one-sided 5 % test, power 0.8, in SE
CONFIDENCE = 1.96  # two-sided 95 %, in SE


@dataclass(frozen=True, slots=True)
class Flat:
    """Upper 95 % bound of the whole run's rise < δ, from least squares on block means, its SE widened by √((1+φ)/(1-φ)).

    δ is ``delta``, else the first limit, in the signal's unit, whichever side the limits name: higher is better here. A verdict
    "flat" needs the interval inside ±δ (equivalence; Schuirmann 1987), so a wide interval is "undecided", never flat.
    Whole-run means of doubling width, at most ``cap``; judged from ``least`` observations, at each ``every``-th mean.
    """

    delta: float | None = None
    cap: int = 128
    least: int = 60
    every: int = 8
    hold: int = 1
    clear: int = 1

    @property
    def warmup(self) -> int:
        return self.least

    def start(self, limits: Sequence[Limit]) -> FlatStream:
        if not limits:
            raise ValueError("a detector needs at least one limit, got none")
        deltas = [float(limit.value) for limit in limits]
        if self.delta is not None:
            deltas[0] = self.delta
        if not all(0 < d <= BOUND for d in deltas) or deltas != sorted(deltas, reverse=True):
            raise ValueError(f"Flat takes positive rises in the signal's unit, the severer the smaller, got {deltas}")
        return FlatStream(deltas, self.cap, self.least, self.every)

    def statistic(self, values: Floats, width: int = 1) -> Floats:
        """The upper bound of the rise at the last judgement."""
        stream = FlatStream([1.0], self.cap, _fewer(self.least, width), self.every)
        out, at = np.full(values.shape, np.nan), np.flatnonzero(np.isfinite(values))
        for i in at.tolist():
            stream.one(float(values[i]))
            out[i] = stream.upper if stream.verdict != "early" else NAN
        return out

    def label(self) -> str:
        return "upper 95 % bound of the rise"


def _fewer(least: int, width: int) -> int:
    """At least four means, so that a line has residuals."""
    return max(4, least // width)


class FlatStream(Stream):
    KEPT = ("total", "fill", "width", "means", "seen", "verdict", "rise", "se", "upper")

    def __init__(self, deltas: Sequence[float], cap: int, least: int, every: int) -> None:
        super().__init__(1.0, deltas)
        self.cap, self.least, self.every = cap, least, every
        self.total, self.fill, self.width = 0.0, 0, 1  # of the open block
        self.means: list[float] = []
        self.verdict, self.rise, self.se, self.upper = "early", 0.0, 0.0, 0.0
        self.level = 0

    def derive(self) -> None:
        self.level = sum(self.upper < d for d in self.limits) if self.verdict != "early" else 0

    def one(self, x: float) -> One:
        self.total += x
        self.fill += 1
        self.seen += 1
        if self.fill == self.width:
            self._block()
        return One(self.level, self.verdict != "early" and not self.level, self.upper if self.level else NAN)

    def _block(self) -> None:
        self.means.append(self.total / self.width)
        self.total, self.fill = 0.0, 0
        if len(self.means) == self.cap:
            self.means = [(a + b) / 2 for a, b in zip(self.means[::2], self.means[1::2], strict=True)]
            self.width *= 2
        if self.seen >= self.least and len(self.means) % self.every == 0:
            self._judge()

    def _judge(self) -> None:
        line, span = fitted_line(np.array(self.means)), len(self.means) - 1
        self.rise, self.se = line.slope * span, line.se * span
        lower, self.upper = self.rise - CONFIDENCE * self.se, self.rise + CONFIDENCE * self.se
        delta = self.limits[0]
        if -delta < lower and self.upper < delta:
            self.verdict = "flat"
        else:
            self.verdict = "falling" if self.upper < 0 else "rising" if lower > 0 else "undecided"
        self.derive()

    def bulk(self, x: Floats) -> Bulk:
        n = x.size
        cond, _, stat = quiet(n)
        ready = np.zeros(n, bool)
        values = x.tolist()
        i = 0
        while i < n:  # to the end of the open block, then block by block
            last = min(i + self.width - self.fill, n) - 1
            self._stretch(cond, stat, i, last)
            ready[i:last] = self.verdict != "early"
            for v in values[i:last]:
                self.total += v
            self.fill += last - i
            self.seen += last - i
            cond[last], _, stat[last] = self.one(values[last])
            ready[last] = self.verdict != "early"
            i = last + 1
        return Bulk(cond, lambda: ready & (cond == 0), stat)

    def _stretch(self, cond: Levels, stat: Floats, start: int, stop: int) -> None:
        if self.level:
            cond[start:stop], stat[start:stop] = self.level, self.upper

    def facts(self) -> dict[str, Any]:
        """``verdict``: early, rising, falling, flat, undecided. ``mdr``: the rise that would be found with power 0.8."""
        return {"verdict": self.verdict, "rise": self.rise, "se": self.se, "mdr": POWER * self.se, "delta": self.limits[0]}
