"""What there is of every key: how often, since when, with which gaps, and where it was not finite or impossible."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..authoring import KeyFacts, Span
from ..model import Column, Floats, Steps

MAX_KEYS = 20_000
_SPANS = 25


class _Entry:
    """One key. ``row`` counts closed rows of the key's clock."""

    __slots__ = ("bad", "first", "hi", "high", "last", "last_row", "lo", "low", "max_gap", "nonfinite", "points", "spans", "value")

    def __init__(self, lo: float, hi: float) -> None:
        self.lo, self.hi = lo, hi
        self.points = self.nonfinite = self.max_gap = 0
        self.first = self.last = 0
        self.last_row = -1
        self.value = math.nan
        self.low, self.high = math.inf, -math.inf
        self.spans: list[list[Any]] = []  # start, end, rows, open, kind
        self.bad = False

    def push(self, steps: Steps, rows: np.ndarray, values: Floats) -> None:
        if self.points:
            self.max_gap = max(self.max_gap, int(rows[0]) - self.last_row)
        if len(rows) > 1:
            dense = int(rows[-1]) - int(rows[0]) == len(rows) - 1
            self.max_gap = max(self.max_gap, 1 if dense else int(np.diff(rows).max()))
        if not self.points:
            self.first = int(steps[0])
        self.points += len(values)
        self.last, self.last_row, self.value = int(steps[-1]), int(rows[-1]), float(values[-1])
        low, high = float(values.min()), float(values.max())
        if low >= self.lo and high <= self.hi and math.isfinite(low) and math.isfinite(high):
            self.low, self.high = min(self.low, low), max(self.high, high)
            if self.bad:
                self.spans[-1][3] = self.bad = False
            return
        self._walk(steps, values)

    def push_one(self, step: int, row: int, x: float) -> None:
        """``push`` of a single cell, without arrays: what a live row costs."""
        if self.points:
            self.max_gap = max(self.max_gap, row - self.last_row)
        else:
            self.first = step
        self.points += 1
        self.last, self.last_row, self.value = step, row, x
        self._judge(step, x)

    def _walk(self, steps: Steps, values: Floats) -> None:
        for step, x in zip(steps.tolist(), values.tolist(), strict=True):
            self._judge(step, x)

    def _judge(self, step: int, x: float) -> None:
        finite = x - x == 0.0
        if finite:
            self.low, self.high = min(self.low, x), max(self.high, x)
        else:
            self.nonfinite += 1
        wrong = not finite or not self.lo <= x <= self.hi
        if wrong and self.bad:
            self.spans[-1][1] = step
            self.spans[-1][2] += 1
        elif wrong:
            self.spans.append([step, step, 1, True, _kind(x)])
            if len(self.spans) > 2 * _SPANS:
                del self.spans[_SPANS]
        elif self.bad:
            self.spans[-1][3] = False
        self.bad = wrong

    def facts(self, rows: int) -> KeyFacts:
        spans = tuple(Span(*span) for span in self.spans)
        value = self.value if math.isfinite(self.value) else None
        low, high = (self.low, self.high) if self.low <= self.high else (None, None)
        since = max(0, rows - 1 - self.last_row)
        return KeyFacts(self.points, self.first, self.last, since, self.max_gap, value, self.nonfinite, spans, low, high)


class Ledger:
    """``bounds`` gives a key's domain; outside it (beyond rounding to float32) a value is impossible."""

    def __init__(self, bounds: Mapping[str, tuple[float, float]] | None = None) -> None:
        self._bounds = bounds
        self._entries: dict[str, _Entry] = {}
        self._clock: dict[str, str] = {}
        self._rows: dict[str, int] = {}
        self.left_out = 0

    def push(self, axis: str, steps: Steps, columns: Mapping[str, Column]) -> None:
        n, base = len(steps), self._rows.get(axis, 0)
        self._rows[axis] = base + n
        every = np.arange(base, base + n)
        for key, (rows, values) in columns.items():
            entry = self._entries.get(key)
            if entry is None:
                if len(self._entries) >= MAX_KEYS:
                    self.left_out += 1
                    continue
                entry = self._entries[key] = _Entry(*self._domain(key))
            self._clock[key] = axis
            if n == 1:
                if len(values):
                    entry.push_one(int(steps[0]), base, float(values[0]))
            elif rows is None:
                entry.push(steps, every, values)
            elif len(rows):
                entry.push(steps[rows], rows + base, values)

    def _domain(self, key: str) -> tuple[float, float]:
        lo, hi = (self._bounds or {}).get(key, (-math.inf, math.inf))
        return lo - 1e-6 * max(1.0, abs(lo)), hi + 1e-6 * max(1.0, abs(hi))

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    def keys(self) -> list[str]:
        return list(self._entries)

    def facts(self) -> dict[str, KeyFacts]:
        return {key: entry.facts(self._rows[self._clock[key]]) for key, entry in self._entries.items()}

    def last_values(self) -> dict[str, float]:
        return {key: entry.value for key, entry in self._entries.items()}

    def state(self) -> dict[str, Any]:
        entries = {k: [getattr(e, name) for name in _Entry.__slots__] for k, e in self._entries.items()}
        return {"entries": entries, "clock": dict(self._clock), "rows": dict(self._rows), "left_out": self.left_out}

    def restore(self, state: Mapping[str, Any]) -> None:
        self._entries = {}
        for key, values in state["entries"].items():
            entry = self._entries[key] = _Entry(0.0, 0.0)
            for name, value in zip(_Entry.__slots__, values, strict=True):
                setattr(entry, name, [list(s) for s in value] if name == "spans" else value)
        self._clock, self._rows, self.left_out = dict(state["clock"]), dict(state["rows"]), state["left_out"]


def _kind(x: float) -> str:
    if x - x == 0.0:
        return repr(x)
    return "NaN" if x != x else ("inf" if x > 0 else "-inf")
