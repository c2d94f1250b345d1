"""A series at a bounded size: min, mean, max in at most 2,000 buckets whose width doubles as the run grows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..model import Floats, Steps, Trace

BUCKETS = 2000
LISTED = 100  # values that are not finite
_COLUMNS = ("_steps", "_sum", "_count", "_low", "_high")


class TraceBuffer:
    """``push`` observations (NaN and infinities are counted apart); the sums are sequential, so that no cut can change them."""

    def __init__(self) -> None:
        self.width, self.points, self.size = 1, 0, 0
        self.fill = 0  # observations in the last bucket, those that are not finite included
        self.nonfinite: list[list[Any]] = []
        self._steps = np.zeros(BUCKETS, np.int64)
        self._count = np.zeros(BUCKETS, np.int64)
        self._sum, self._low, self._high = np.zeros(BUCKETS), np.zeros(BUCKETS), np.zeros(BUCKETS)

    def push(self, steps: Steps, values: Floats) -> None:
        at, n = 0, len(values)
        self.points += n
        if n == 1:
            self._one(int(steps[0]), float(values[0]))
            return
        self._note_nonfinite(steps, values)
        while at < n:
            self._make_room()
            if self.fill in (0, self.width):
                whole = min(n - at, (BUCKETS - self.size) * self.width) // self.width
                if whole:
                    self._whole(steps[at : at + whole * self.width], values[at : at + whole * self.width], whole)
                    at += whole * self.width
                    continue
                self._open(int(steps[at]))
            stop = min(n, at + self.width - self.fill)
            self._part(values[at:stop].tolist())
            at = stop

    def _one(self, step: int, x: float) -> None:
        """A single observation, without arrays: what a live row costs."""
        self._make_room()
        if self.fill in (0, self.width):
            self._open(step)
        self._part([x])
        if x - x != 0.0 and len(self.nonfinite) < LISTED:
            self.nonfinite.append([step, _kind(x)])

    def _part(self, values: list[float]) -> None:
        """Observations for the open bucket, one after the other in Python floats."""
        i = self.size - 1
        total, count, low, high = float(self._sum[i]), int(self._count[i]), float(self._low[i]), float(self._high[i])
        for x in values:
            if x - x == 0.0:
                total, count = total + x, count + 1
                low, high = min(low, x), max(high, x)
        self._sum[i], self._count[i], self._low[i], self._high[i] = total, count, low, high
        self.fill += len(values)

    def _open(self, step: int) -> None:
        i = self.size
        self._steps[i], self._sum[i], self._count[i], self._low[i], self._high[i] = step, 0.0, 0, np.inf, -np.inf
        self.size, self.fill = i + 1, 0

    def _whole(self, steps: Steps, values: Floats, buckets: int) -> None:
        width, new = self.width, slice(self.size, self.size + buckets)
        block = values.reshape(buckets, width)
        finite = np.isfinite(block)
        if finite.all():
            clean, self._count[new] = block, width
            self._low[new], self._high[new] = block.min(axis=1), block.max(axis=1)
        else:
            clean, self._count[new] = np.where(finite, block, 0.0), np.count_nonzero(finite, axis=1)
            self._low[new] = np.where(finite, block, np.inf).min(axis=1)
            self._high[new] = np.where(finite, block, -np.inf).max(axis=1)
        # an accumulate is strictly sequential along its axis: the same bits as one addition after the other, from 0.0
        self._sum[new] = (np.add.accumulate(clean, axis=1)[:, -1] if width > 1 else clean[:, 0]) + 0.0
        self._steps[new] = steps[::width]
        self.size, self.fill = self.size + buckets, width

    def _make_room(self) -> None:
        """All buckets are full: neighbours merge, the width doubles."""
        if self.size < BUCKETS or self.fill < self.width:
            return
        half = BUCKETS // 2
        self._steps[:half] = self._steps[::2]
        self._sum[:half] = self._sum[::2] + self._sum[1::2]
        self._count[:half] = self._count[::2] + self._count[1::2]
        self._low[:half] = np.minimum(self._low[::2], self._low[1::2])
        self._high[:half] = np.maximum(self._high[::2], self._high[1::2])
        self.width, self.size = 2 * self.width, half
        self.fill = self.width

    def _note_nonfinite(self, steps: Steps, values: Floats) -> None:
        bad = np.flatnonzero(~np.isfinite(values)) if len(self.nonfinite) < LISTED else np.empty(0, int)
        for i in bad[: LISTED - len(self.nonfinite)].tolist():
            self.nonfinite.append([int(steps[i]), _kind(float(values[i]))])

    def steps(self) -> Steps:
        """The first step of each bucket."""
        return self._steps[: self.size]

    def mean(self) -> Floats:
        """One value a bucket; NaN where no value of it is finite."""
        with np.errstate(all="ignore"):
            out: Floats = self._sum[: self.size] / self._count[: self.size]
        return out

    def trace(self) -> Trace:
        low, high = (None, None) if self.width == 1 else (_finite(self._low[: self.size]), _finite(self._high[: self.size]))
        kinds = tuple({"step": s, "kind": k} for s, k in self.nonfinite)
        steps = tuple(self.steps().tolist())
        return Trace(steps, self.points, self.width, _finite(self.mean()), low, high, kinds, _gaps(steps))

    def state(self) -> dict[str, Any]:
        columns = [getattr(self, name)[: self.size].tolist() for name in _COLUMNS]
        return {"width": self.width, "points": self.points, "fill": self.fill, "nonfinite": list(self.nonfinite), "columns": columns}

    def restore(self, state: Mapping[str, Any]) -> None:
        self.width, self.points, self.fill = state["width"], state["points"], state["fill"]
        self.nonfinite = [list(entry) for entry in state["nonfinite"]]
        self.size = len(state["columns"][0])
        for name, values in zip(_COLUMNS, state["columns"], strict=True):
            getattr(self, name)[: self.size] = values


def _kind(x: float) -> str:
    return "NaN" if x != x else ("inf" if x > 0 else "-inf")


def _finite(values: Floats) -> tuple[float | None, ...]:
    return tuple(v if v - v == 0.0 else None for v in values.tolist())


def _gaps(steps: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """Distances over three times the usual one."""
    if len(steps) < 4:
        return ()
    apart = np.diff(np.array(steps))
    usual = float(np.median(apart))
    return tuple((steps[i], steps[i + 1]) for i in np.flatnonzero(apart > 3 * usual)[:100].tolist()) if usual > 0 else ()
