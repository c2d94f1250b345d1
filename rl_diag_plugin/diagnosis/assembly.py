"""Cells in log order → closed rows per step clock. Nothing here depends on where the cells were cut into chunks.

The row of step *s* is closed by the first cell with a larger step on its clock, or by ``close``. Within an open row the last
value wins. A key that stays behind the open row although it never went back itself gets another clock; a key that goes back
below its own last step declares a resume.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..model import Chunk, Column, Event, Floats, Steps
from ..wording import step_text


class Closed(NamedTuple):
    """Closed rows of one clock; steps strictly rising."""

    axis: str
    steps: Steps
    walls: Floats
    columns: dict[str, Column]


Output: TypeAlias = Closed | Event


@dataclass(slots=True)
class _Clock:
    """One step clock with its open row, and the rows closed since the last flush."""

    name: str
    step: int | None = None
    wall: float = float("nan")
    row: dict[str, float] = field(default_factory=dict)
    keys: set[str] = field(default_factory=set)
    closed: list[tuple[int, float, dict[str, float]]] = field(default_factory=list)

    def close_row(self) -> None:
        if self.step is not None and self.row:
            self.closed.append((self.step, self.wall, self.row))
        self.step, self.row, self.wall = None, {}, float("nan")


class Assembler:
    """``push`` chunks, take what they close."""

    def __init__(self) -> None:
        self._clocks: dict[str, _Clock] = {}
        self._home: dict[str, str] = {}
        self._last: dict[str, int] = {}
        self._out: list[Output] = []

    def push(self, chunk: Chunk) -> list[Output]:
        n = len(chunk.steps)
        start, slow = 0, 1
        while start < n:
            stop = start + _rising(chunk.steps[start:])
            clock = self._common_clock(chunk, int(chunk.steps[start]))
            if clock is not None and stop - start > 1:
                self._flush(clock)
                self._take(clock, _part(chunk, start, stop))
                start, slow = stop, 1
                continue
            stop = min(start + slow, n) if clock is None else start + 1
            self._one_by_one(chunk, start, stop)
            start, slow = stop, slow * 2
        return self._hand_over()

    def close(self) -> list[Output]:
        """No more cells will come: the open rows are closed."""
        for clock in self._clocks.values():
            clock.close_row()
        return self._hand_over()

    def _hand_over(self) -> list[Output]:
        for clock in self._clocks.values():
            self._flush(clock)
        out, self._out = self._out, []
        return out

    def _common_clock(self, chunk: Chunk, first: int) -> _Clock | None:
        """The one clock that all of a chunk's keys are on, if none of them has to go back; None otherwise."""
        homes = {self._home.get(key, chunk.axis) for key in chunk.columns}
        if len(homes) != 1:
            return None
        name = homes.pop()
        clock = self._clocks.setdefault(name, _Clock(name))
        return clock if clock.step is None or first >= clock.step else None

    def _one_by_one(self, chunk: Chunk, start: int, stop: int) -> None:
        columns = [(key, c.rows, c.values) for key, c in chunk.columns.items()]
        for i in range(start, stop):
            step = int(chunk.steps[i])
            wall = float(chunk.walls[i]) if chunk.walls is not None else float("nan")
            for key, rows, values in columns:
                if rows is None:
                    self._place(key, chunk.axis, step, wall, float(values[i]))
                    continue
                j = int(np.searchsorted(rows, i))
                if j < len(rows) and rows[j] == i:
                    self._place(key, chunk.axis, step, wall, float(values[j]))

    def _place(self, key: str, axis: str, step: int, wall: float, value: float) -> None:
        name = self._home.setdefault(key, axis)
        clock = self._clocks.get(name)
        if clock is None:
            clock = self._clocks[name] = _Clock(name)
        if clock.step is not None and step < clock.step:
            clock = self._went_back(key, clock, step)
        if clock.step is None or step > clock.step:
            clock.close_row()
            clock.step = step
        clock.keys.add(key)
        clock.row[key], clock.wall = value, wall
        self._last[key] = step

    def _went_back(self, key: str, clock: _Clock, step: int) -> _Clock:
        """Below the open row: a resume if the key goes back below its own last step, else another clock for this key."""
        last = self._last.get(key)
        if last is not None and step < last:
            return self._resume(clock, step, last)
        clock.keys.discard(key)
        fitting = [c for c in self._clocks.values() if c is not clock and c.step is not None and c.step <= step]
        if fitting:
            other = max(fitting, key=lambda c: c.step if c.step is not None else step)
        else:
            other = _Clock(f"{clock.name}#{len(self._clocks)}")
            self._clocks[other.name] = other
        self._home[key] = other.name
        return other

    def _resume(self, clock: _Clock, step: int, last: int) -> _Clock:
        clock.close_row()
        for other in self._clocks.values():
            self._flush(other)
        for key in clock.keys:
            self._last.pop(key, None)
        again = f"{step_text(step)} to {step_text(last)} are superseded"
        text = f"steps go back from {step_text(last)} to {step_text(step)}: a resume; rows {again}, baselines restart"
        self._out.append(Event("resume", step, text))
        return clock

    def _flush(self, clock: _Clock) -> None:
        """The rows that were closed one by one, as one block."""
        if not clock.closed:
            return
        rows, clock.closed = clock.closed, []
        cells: dict[str, tuple[list[int], list[float]]] = {}
        for i, (_, _, row) in enumerate(rows):
            for key, value in row.items():
                at, values = cells.setdefault(key, ([], []))
                at.append(i)
                values.append(value)
        n = len(rows)
        columns = {k: Column(None if len(at) == n else np.array(at, np.intp), np.array(v, float)) for k, (at, v) in cells.items()}
        steps, walls = np.array([r[0] for r in rows], np.int64), np.array([r[1] for r in rows], float)
        self._out.append(Closed(clock.name, steps, walls, columns))

    def _take(self, clock: _Clock, chunk: Chunk) -> None:
        """A block on one clock with rising steps, at once: all rows but the last are closed."""
        n = len(chunk.steps)
        new = np.empty(n, bool)
        new[0] = clock.step is None or int(chunk.steps[0]) > clock.step
        new[1:] = chunk.steps[1:] > chunk.steps[:-1]
        row_of = np.cumsum(new) - 1
        opened = int(row_of[-1]) + 1
        walls = chunk.walls if chunk.walls is not None else np.full(n, np.nan)
        before = {**clock.row}
        offset = 1 if clock.step is not None else 0
        total = offset + opened - 1
        columns: dict[str, Column] = {}
        last_row: dict[str, float] = {}
        all_new, every = bool(new.all()), np.arange(n)
        for key, column in chunk.columns.items():
            at = every if column.rows is None else column.rows
            if not len(at):
                continue
            self._home.setdefault(key, clock.name)
            self._last[key] = int(chunk.steps[at[-1]])
            clock.keys.add(key)
            if column.rows is None and all_new and (not offset or key in before):
                values = column.values[:-1]
                last_row[key] = float(column.values[-1])
                if total:
                    columns[key] = Column(None, np.concatenate(((before[key],), values)) if offset else values)
                continue
            rows = row_of[at]
            final = np.append(rows[1:] != rows[:-1], True)
            rows, values = rows[final], column.values[final]
            if rows[0] < 0:
                before[key] = float(values[0])
                rows, values = rows[1:], values[1:]
            if opened and len(rows) and rows[-1] == opened - 1:
                last_row[key] = float(values[-1])
                rows, values = rows[:-1], values[:-1]
            if key in before and opened and offset:
                rows, values = np.insert(rows + offset, 0, 0), np.insert(values, 0, before[key])
            else:
                rows = rows + offset
            if len(rows):
                columns[key] = Column(None if len(rows) == total else rows, values)
        self._advance(clock, chunk.steps, walls, new, before, last_row, columns)

    def _advance(
        self, clock: _Clock, steps: Steps, walls: Floats, new: Any, before: dict[str, float], last_row: dict[str, float],
        columns: dict[str, Column],
    ) -> None:  # fmt: skip
        firsts = np.flatnonzero(new)
        if not len(firsts):
            clock.row, clock.wall = before, float(walls[-1])
            return
        ends = np.append(firsts[1:], len(steps)) - 1
        closed_steps, closed_walls = steps[firsts[:-1]], walls[ends[:-1]]
        if clock.step is not None:
            closed_steps = np.insert(closed_steps, 0, clock.step)
            wall = float(walls[firsts[0] - 1]) if firsts[0] else clock.wall
            closed_walls = np.insert(closed_walls, 0, wall)
            for key, value in before.items():
                if key not in columns:
                    columns[key] = Column(None if len(closed_steps) == 1 else np.zeros(1, np.intp), np.array([value]))
        if len(closed_steps):
            self._out.append(Closed(clock.name, closed_steps, closed_walls, columns))
        clock.step, clock.row, clock.wall = int(steps[firsts[-1]]), last_row, float(walls[-1])

    def clocks(self) -> list[str]:
        """The step clocks that keys are on now."""
        return list(dict.fromkeys(self._home.values()))

    def state(self) -> dict[str, Any]:
        clocks = [[c.name, c.step, c.wall, c.row, sorted(c.keys)] for c in self._clocks.values()]
        return {"clocks": clocks, "home": dict(self._home), "last": dict(self._last)}

    def restore(self, state: Mapping[str, Any]) -> None:
        self._clocks = {c[0]: _Clock(c[0], c[1], c[2], dict(c[3]), set(c[4])) for c in state["clocks"]}
        self._home, self._last = dict(state["home"]), dict(state["last"])


def _rising(steps: Steps) -> int:
    """How many leading steps never fall."""
    falls = np.flatnonzero(steps[1:] < steps[:-1])
    return int(falls[0]) + 1 if len(falls) else len(steps)


def _part(chunk: Chunk, start: int, stop: int) -> Chunk:
    if start == 0 and stop == len(chunk.steps):
        return chunk
    columns = {}
    for key, (rows, values) in chunk.columns.items():
        if rows is None:
            columns[key] = Column(None, values[start:stop])
            continue
        a, b = np.searchsorted(rows, (start, stop))
        if a < b:
            columns[key] = Column(rows[a:b] - start, values[a:b])
    walls = None if chunk.walls is None else chunk.walls[start:stop]
    return Chunk(chunk.steps[start:stop], columns, walls, chunk.axis)
