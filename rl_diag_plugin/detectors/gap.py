"""Gap: a step follows its predecessor at an unusual distance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..model import Floats, Limit, Steps
from .base import Flags, Judged
from .running import SMALL, oriented, quiet
from .statistics import lower_medians


@dataclass(frozen=True, slots=True)
class Gap:
    """Δstep > factor * lower median of the previous ``window`` Δ; the limits are factors. Values do not matter."""

    window: int = 9
    hold: int = 1
    clear: int = 1

    @property
    def warmup(self) -> int:
        return self.window + 1

    def start(self, limits: Sequence[Limit]) -> GapStream:
        sign, factors = oriented(limits)
        if sign < 0 or factors[0] <= 0:
            raise ValueError(f"Gap takes positive factors above, got {limits[0].side} {limits[0].value:g}")
        return GapStream(factors, self.window)

    def statistic(self, values: Floats, width: int = 1) -> Floats:
        return values

    def label(self) -> str:
        return ""


class GapStream:
    """Rank by counting: a distance is over factor * the median if a majority of the window is under distance / factor."""

    def __init__(self, factors: Sequence[float], window: int) -> None:
        self.factors, self.window = tuple(factors), window
        self.seen = 0
        self.last: int | None = None
        self.tail: list[int] = []

    def advance(self, steps: Steps, values: Floats, counts: Floats | None = None) -> Judged:
        s = np.asarray(steps, np.int64)
        k = s.size if s.size <= SMALL else min(max(self.window + 1 - self.seen, 0), s.size)
        cond, _, stat = quiet(s.size)
        for i, step in enumerate(s[:k].tolist()):
            cond[i], stat[i] = self._one(step)
        if k < s.size:
            cond[k:], stat[k:] = self._bulk(s[k:])
        return Judged(np.arange(s.size), cond, lambda: cond == 0, stat)

    def _one(self, step: int) -> tuple[int, float]:
        previous, self.last = self.last, step
        self.seen += 1
        if previous is None:
            return 0, float("nan")
        gap, tail, need = float(step - previous), self.tail, self.window // 2 + 1
        cond = sum(sum(d < gap / f for d in tail) >= need for f in self.factors) if len(tail) == self.window else 0
        stat = gap / max(sorted(tail)[(self.window - 1) // 2], 1) if cond else float("nan")
        self.tail = [*tail, step - previous][-self.window :]
        return cond, stat

    def _bulk(self, s: Steps) -> tuple[np.ndarray, Floats]:
        w, n = self.window, s.size
        before = s[0] if self.last is None else np.int64(self.last)
        gaps = s - np.concatenate(([before], s[:-1]))
        full = np.concatenate((np.array(self.tail, np.int64), gaps))
        self.last, self.seen, self.tail = int(s[-1]), self.seen + n, full[-w:].tolist()
        cond, _, stat = quiet(n)
        for f in self.factors:
            hit = self._over(full, gaps / f)
            if not hit.any():
                break
            cond += hit
        i = np.flatnonzero(cond)
        if i.size:
            rows = sliding_window_view(full, w)[i].astype(float)
            stat[i] = gaps[i] / np.maximum(lower_medians(rows, np.full(i.size, w)), 1.0)
        return cond, stat

    def _over(self, full: Steps, bounds: Floats) -> Flags:
        under = np.zeros(bounds.size, np.int16)
        for j in range(self.window):
            under += full[j : j + bounds.size] < bounds
        return under >= self.window // 2 + 1

    def state(self) -> dict[str, Any]:
        return {"seen": self.seen, "last": self.last, "tail": list(self.tail)}

    def restore(self, state: Mapping[str, Any]) -> None:
        self.seen, self.last, self.tail = state["seen"], state["last"], list(state["tail"])

    def facts(self) -> dict[str, Any]:
        return {}
