"""The rows that a signal over several metrics has: the steps that all of them have, on one clock or on several."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from ..authoring import Earlier, Maybe, Read
from ..model import Column, Floats, Steps
from .columns import common_rows, values_at, values_or_nan

HELD = 20_000  # cells that wait for their counterpart on another clock
PIECES = 64  # arrays that they may lie in
Joined: TypeAlias = tuple[Steps, dict[str, Floats]]


class Join:
    """``names[i]`` serves ``reads[i]``; ``extra`` is a metric taken along where it is there (a count).

    On one clock the join is by row. Metrics on several clocks are joined by equal steps: cells wait for their counterpart.
    """

    def __init__(self, reads: Sequence[Read], names: Sequence[str], extra: str | None) -> None:
        pairs = list(zip(reads, names, strict=True))
        self._need = [n for r, n in pairs if not isinstance(r, (Maybe, Earlier))]
        self._maybe = [n for r, n in pairs if isinstance(r, Maybe)] + ([extra] if extra and extra not in names else [])
        self._earlier = [n for r, n in pairs if isinstance(r, Earlier)]
        self.restart()

    @property
    def alone(self) -> bool:
        """Whether every row of the one needed metric is a row of the signal."""
        return len(self._need) == 1 and not self._earlier

    def restart(self) -> None:
        self._home: dict[str, str] = {}
        self._held: dict[str, list[tuple[Steps, Floats]]] = {}
        self._waiting: dict[str, int] = {}  # cells since the last clearing, by metric
        self._before: dict[str, float] = {}

    def push(self, axis: str, steps: Steps, columns: Mapping[str, Column]) -> Joined | None:
        here = [name for name in (*self._need, *self._earlier) if name in columns]
        if not here:
            return None
        for name in here:
            self._home[name] = axis
        if self.alone:
            return self._by_row(steps, columns)
        if len(self._home) == len(self._need) + len(self._earlier) and len(set(self._home.values())) == 1:
            self._held = {}  # rows that were closed without the counterpart: none will come on this clock
            return self._by_row(steps, columns)
        for name in self._earlier:
            self._forward(name, len(steps), columns.get(name))
        return self._by_step(steps, columns, here)

    def _by_row(self, steps: Steps, columns: Mapping[str, Column]) -> Joined | None:
        n = len(steps)
        complete = all(name in columns for name in self._need)
        rows = common_rows([columns[name] for name in self._need]) if complete else None
        out: dict[str, Floats] = {}
        for name in self._earlier:
            if (filled := self._forward(name, n, columns.get(name))) is not None:
                out[name] = filled if rows is None else filled[rows]
        if not complete or (rows is not None and not len(rows)):
            return None
        out |= {name: values_at(columns[name], rows) for name in self._need}
        out |= {name: values_or_nan(columns.get(name), rows, n) for name in self._maybe}
        return (steps if rows is None else steps[rows]), out

    def _forward(self, name: str, n: int, column: Column | None) -> Floats | None:
        """The nearest value at or before each row, NaN before the first."""
        full = np.full(n + 1, np.nan)
        full[0] = self._before.get(name, np.nan)
        if column is not None:
            full[column.at(n) + 1] = column.values
        last = np.maximum.accumulate(np.where(np.isnan(full), 0, np.arange(n + 1)))
        filled: Floats = full[last]
        self._before[name] = float(filled[-1])
        return filled[1:]

    def _by_step(self, steps: Steps, columns: Mapping[str, Column], here: Sequence[str]) -> Joined | None:
        for name in here:
            rows, values = columns[name]
            held = self._held.setdefault(name, [])
            held.append((steps if rows is None else steps[rows], values))
            self._waiting[name] = self._waiting.get(name, 0) + len(values)
            if len(held) > PIECES or self._waiting[name] > 2 * HELD:
                self._held[name] = [_one_piece(held)]
                self._waiting[name] = len(self._held[name][0][0])
        return self._match(final=False)

    def close(self) -> Joined | None:
        return self._match(final=True) if self._held else None

    def _match(self, *, final: bool) -> Joined | None:
        """Emit the steps that every needed metric has, as far as the earlier-joined ones have come."""
        if any(name not in self._held for name in self._need):
            return None
        for name, held in self._held.items():
            self._held[name] = [_one_piece(held)]
        common = functools.reduce(np.intersect1d, (self._held[name][0][0] for name in self._need))
        for name in self._earlier:
            reached = self._held[name][0][0][-1] if name in self._held else None
            if not final:
                common = common[:0] if reached is None else common[common <= reached]
        if not len(common):
            return None
        out = {name: self._nearest(name, common) for name in (*self._need, *self._earlier)}
        out |= {name: np.full(len(common), np.nan) for name in self._maybe}
        for name in self._need:
            ((steps, values),) = self._held[name]
            later = int(np.searchsorted(steps, common[-1], side="right"))
            self._held[name] = [(steps[later:], values[later:])]
        return common, out

    def _nearest(self, name: str, steps: Steps) -> Floats:
        """The value at each step or the nearest before it; what no later step can need is let go."""
        if name not in self._held:
            return np.full(len(steps), np.nan)
        ((held, values),) = self._held[name]
        at = np.searchsorted(held, steps, side="right") - 1
        nearest: Floats = np.append(values, np.nan)[at]
        keep = max(0, int(at[-1]))
        self._held[name] = [(held[keep:], values[keep:])]
        return nearest

    def state(self) -> dict[str, Any]:
        held = {k: [[s.tolist(), x.tolist()] for s, x in parts] for k, parts in self._held.items()}
        return {"home": dict(self._home), "held": held, "before": dict(self._before)}

    def restore(self, state: Mapping[str, Any]) -> None:
        self._home, self._before = dict(state["home"]), dict(state["before"])
        self._held = {k: [(np.array(s, np.int64), np.array(x, float)) for s, x in parts] for k, parts in state["held"].items()}
        self._waiting = {k: sum(len(s) for s, _ in parts) for k, parts in self._held.items()}


def _one_piece(held: Sequence[tuple[Steps, Floats]]) -> tuple[Steps, Floats]:
    """The last ``HELD`` cells of all pieces."""
    return np.concatenate([s for s, _ in held])[-HELD:], np.concatenate([v for _, v in held])[-HELD:]
