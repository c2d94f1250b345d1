"""When it began: the best split of the last values up to the alarm, and the splits that are nearly as good.

A ramp of L rows is dated about L/3 late by a split into two levels; rules over trends fit a hinge instead.
Likelihood: Gaussian, one variance; ``lo … hi`` are the splits within 2 log-likelihood units (Hinkley 1970).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from ..model import Floats, Steps

RING = 150  # observations that are looked at
UNITS = 2.0  # log-likelihood units
GAIN = 6.0  # log-likelihood units that a split must win over none, else the fault was there from the start
Method: TypeAlias = Literal["split", "hinge"]


class Split(NamedTuple):
    """Positions among the values: the first of the fault, and the interval. ``found`` is False where there is no split."""

    at: int
    lo: int
    hi: int
    found: bool


class Ring:
    """The last ``RING`` observations (steps, values), appended in place."""

    def __init__(self) -> None:
        self._steps, self._values = np.zeros(4 * RING, np.int64), np.zeros(4 * RING)
        self._end = 0

    def push(self, steps: Steps, values: Floats) -> None:
        n = len(steps)
        if self._end + n > len(self._steps):
            kept_steps, kept_values = self.with_more(steps, values)
            self._end = len(kept_steps)
            self._steps[: self._end], self._values[: self._end] = kept_steps, kept_values
            return
        self._steps[self._end : self._end + n], self._values[self._end : self._end + n] = steps, values
        self._end += n

    def with_more(self, steps: Steps, values: Floats) -> tuple[Steps, Floats]:
        """The last ``RING`` observations if these came too."""
        keep = max(0, min(self._end, RING - len(steps)))
        old = slice(self._end - keep, self._end)
        return np.concatenate((self._steps[old], steps[-RING:])), np.concatenate((self._values[old], values[-RING:]))

    def state(self) -> list[Any]:
        last = slice(max(0, self._end - RING), self._end)
        return [self._steps[last].tolist(), self._values[last].tolist()]

    def restore(self, state: Sequence[Any]) -> None:
        self._end = 0
        self.push(np.array(state[0], np.int64), np.array(state[1], float))


def best_split(values: Floats, method: Method = "split", sign: float = 1.0) -> Split:
    """``values``: 1-D, the last one is the alarm's. ``sign`` −1 where the harm is downwards."""
    y = np.ascontiguousarray(values, float) * sign
    n = len(y)
    if n < 4:
        return Split(0, 0, min(1, n - 1), False)
    y = (y - np.median(y)) / (float(np.max(np.abs(y))) or 1.0)
    residual, harmful = _levels(y) if method == "split" else _hinges(y)
    total = float(np.sum((y - np.sum(y) / n) ** 2))
    floor = 1e-9 * total + 1e-30
    likelihood = np.where(harmful, -0.5 * n * np.log((residual + floor) / n), -np.inf)
    flat = -0.5 * n * np.log((total + floor) / n)
    best = int(np.argmax(likelihood))
    if not likelihood[best] - flat > GAIN:
        return Split(0, 0, 1, False)
    near = np.flatnonzero(likelihood >= likelihood[best] - UNITS)
    near = _around(near, best)
    at = best + 1
    return Split(at, max(0, int(near[0]) + 1 - 1), min(n - 1, int(near[-1]) + 1 + 1), True)


def _levels(y: Floats) -> tuple[Floats, np.ndarray]:
    """Residual of two levels, split after each position j (0 … n−2); harmful where the second is higher."""
    n = len(y)
    j = np.arange(1, n)
    sums, squares = np.cumsum(y), np.cumsum(y * y)
    left, right = sums[:-1] / j, (sums[-1] - sums[:-1]) / (n - j)
    residual = np.maximum(squares[-1] - j * left * left - (n - j) * right * right, 0.0)
    return residual, right > left


def _hinges(y: Floats) -> tuple[Floats, np.ndarray]:
    """Residual of level, then line, hinged at each position; harmful where the line rises."""
    n = len(y)
    residual, rising = np.full(n - 1, np.inf), np.zeros(n - 1, bool)
    x = np.maximum(np.arange(n, dtype=float) - np.arange(n - 3, dtype=float)[:, None], 0.0)
    dx, dy = x - x.mean(axis=1, keepdims=True), y - np.sum(y) / n
    slope = (dx * dy).sum(axis=1) / (dx * dx).sum(axis=1)
    residual[: n - 3] = ((dy - slope[:, None] * dx) ** 2).sum(axis=1)
    rising[: n - 3] = slope > 0
    return residual, rising


def _around(near: np.ndarray, best: int) -> np.ndarray:
    """The connected stretch of near-best splits that holds the best one."""
    gaps = np.flatnonzero(np.diff(near) > 1)
    parts = np.split(near, gaps + 1)
    return next(part for part in parts if part[0] <= best <= part[-1])
