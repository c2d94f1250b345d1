"""A series at a bounded size: min, mean, max in at most 2,000 buckets whose width doubles as the run grows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..model import Floats, Steps, Trace

BUCKETS = 1998  # whole ones; the one that is filling comes on top
LISTED = 100  # values that are not finite
TOGETHER = 64  # live rows that are added at once
_COLUMNS = ("_steps", "_sum", "_count", "_low", "_high")


class TraceBuffer:
    """``push`` observations; NaN and infinities are counted apart.

    A bucket's sum is a fixed tree over its positions (pairs, pairs of pairs …), so that neither the cut into chunks nor the
    row at which buckets were merged can change a bit of it.
    """

    def __init__(self) -> None:
        self.width, self.points, self.size = 1, 0, 0
        self.nonfinite: list[list[Any]] = []
        self._steps = np.zeros(BUCKETS, np.int64)
        self._count = np.zeros(BUCKETS, np.int64)
        self._sum, self._low, self._high = np.zeros(BUCKETS), np.zeros(BUCKETS), np.zeros(BUCKETS)
        self._tail: tuple[Steps, Floats] = (np.empty(0, np.int64), np.empty(0))  # less than a bucket
        self._late: tuple[list[int], list[float]] = ([], [])

    def push(self, steps: Steps, values: Floats) -> None:
        if len(values) == 1:
            self._wait(int(steps[0]), float(values[0]))
            return
        self._catch_up()
        self._add(steps, values)

    def _wait(self, step: int, x: float) -> None:
        """A live row costs two appends; the arrays are touched once in ``TOGETHER`` rows, or when somebody looks."""
        self._late[0].append(step)
        self._late[1].append(x)
        if len(self._late[0]) >= TOGETHER:
            self._catch_up()

    def _catch_up(self) -> None:
        if self._late[0]:
            steps, values = self._late
            self._late = ([], [])
            self._add(np.array(steps, np.int64), np.array(values, float))

    def _add(self, steps: Steps, values: Floats) -> None:
        self.points += len(values)
        before = len(self._tail[0])
        if before:
            steps, values = np.concatenate((self._tail[0], steps)), np.concatenate((self._tail[1], values))
        clean = bool(np.isfinite(values).all())
        if not clean:
            self._note_nonfinite(steps[before:], values[before:])
        at = 0
        while len(values) - at >= self.width:
            if self.size == BUCKETS:
                self._halve()
                continue
            buckets = min((len(values) - at) // self.width, BUCKETS - self.size)
            stop = at + buckets * self.width
            self._whole(steps[at:stop], values[at:stop], buckets, clean)
            at = stop
        self._tail = (steps[at:].copy(), values[at:].copy())

    def _whole(self, steps: Steps, values: Floats, buckets: int, clean: bool) -> None:
        new = slice(self.size, self.size + buckets)
        self._steps[new] = steps[:: self.width]
        self._sum[new], self._count[new], self._low[new], self._high[new] = _summary(values, self.width, clean)
        self.size += buckets

    def _halve(self) -> None:
        """All buckets are full: neighbours merge, the width doubles."""
        half = BUCKETS // 2
        self._steps[:half] = self._steps[::2]
        self._sum[:half] = self._sum[::2] + self._sum[1::2]
        self._count[:half] = self._count[::2] + self._count[1::2]
        self._low[:half] = np.minimum(self._low[::2], self._low[1::2])
        self._high[:half] = np.maximum(self._high[::2], self._high[1::2])
        self.width, self.size = 2 * self.width, half

    def _note_nonfinite(self, steps: Steps, values: Floats) -> None:
        bad = np.flatnonzero(~np.isfinite(values))
        for i in bad[: LISTED - len(self.nonfinite)].tolist():
            self.nonfinite.append([int(steps[i]), _kind(float(values[i]))])

    def _columns(self) -> dict[str, Any]:
        """All buckets, the one that is filling as the last."""
        self._catch_up()
        columns = {name: getattr(self, name)[: self.size] for name in _COLUMNS}
        steps, values = self._tail
        if len(steps):
            finite = values[np.isfinite(values)]
            ends = (finite.min(), finite.max()) if len(finite) else (np.inf, -np.inf)
            last = (steps[0], finite.sum(), len(finite), *ends)
            columns = {name: np.append(columns[name], x) for name, x in zip(_COLUMNS, last, strict=True)}
        return columns

    def steps(self) -> Steps:
        """The first step of each bucket."""
        steps: Steps = self._columns()["_steps"]
        return steps

    def mean(self) -> Floats:
        """One value a bucket; NaN where no value of it is finite."""
        columns = self._columns()
        with np.errstate(all="ignore"):
            out: Floats = columns["_sum"] / columns["_count"]
        return out

    def trace(self, of: Callable[[Floats], Floats] | None = None, *, finite_only: bool = False) -> Trace:
        """``of``: a memoryless function that is drawn in place of the values, of a bucket's mean and ends.

        ``finite_only``: without the buckets that hold no finite value, as a signal is judged.
        """
        columns, mean = self._columns(), self.mean()
        low, high = columns["_low"], columns["_high"]
        if of is not None:
            three = np.stack((of(mean), of(low), of(high)))
            mean, low, high = three[0], np.fmin.reduce(three), np.fmax.reduce(three)
        keep = np.isfinite(mean) if finite_only else np.ones(len(mean), bool)
        ends = [_finite(end[keep]) if self.width > 1 else None for end in (low, high)]
        kinds = tuple({"step": s, "kind": k} for s, k in self.nonfinite)
        steps = tuple(columns["_steps"][keep].tolist())
        return Trace(steps, self.points, self.width, _finite(mean[keep]), ends[0], ends[1], kinds, _gaps(steps))

    def state(self) -> dict[str, Any]:
        self._catch_up()
        columns = [getattr(self, name)[: self.size].tolist() for name in _COLUMNS]
        tail = [part.tolist() for part in self._tail]
        return {"width": self.width, "points": self.points, "nonfinite": list(self.nonfinite), "columns": columns, "tail": tail}

    def restore(self, state: Mapping[str, Any]) -> None:
        self.width, self.points = state["width"], state["points"]
        self.nonfinite = [list(entry) for entry in state["nonfinite"]]
        self.size = len(state["columns"][0])
        for name, values in zip(_COLUMNS, state["columns"], strict=True):
            getattr(self, name)[: self.size] = values
        self._tail = (np.array(state["tail"][0], np.int64), np.array(state["tail"][1], float))


def _summary(values: Floats, width: int, clean: bool) -> tuple[Floats, Any, Floats, Floats]:
    """Sum, count, min and max of each ``width`` values (a power of two): whole vectors of pairs, log2(width) times."""
    count: Any = width
    total = low = high = values
    if not clean:
        finite = np.isfinite(values)
        count = np.count_nonzero(finite.reshape(-1, width), axis=1)
        total, low, high = np.where(finite, values, 0.0), np.where(finite, values, np.inf), np.where(finite, values, -np.inf)
    while width > 1:
        total = total[::2] + total[1::2]
        low, high = np.minimum(low[::2], low[1::2]), np.maximum(high[::2], high[1::2])
        width //= 2
    return total, count, low, high


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
