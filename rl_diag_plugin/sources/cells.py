"""Cells in log order → chunks of columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ..model import Chunk, Column, Event, Floats, Rows

MAX_ROWS = 4096
MAX_CELLS = 1 << 20
MAX_KEYS = 20_000
MAX_KEY_LENGTH = 1024
_DROPPED_COUNTED = 100_000


class KeyLimit:
    """Admits the first 20,000 different keys of a source, none longer than 1,024 characters.

    ``known`` is the list of keys admitted so far; it grows in place, so that a cursor can hold it.
    """

    def __init__(self, known: list[str]) -> None:
        self._known = known
        self._admitted = set(known)
        self._dropped: set[int] = set()

    def admits(self, key: str) -> bool:
        if key in self._admitted:
            return True
        if len(self._known) >= MAX_KEYS or len(key) > MAX_KEY_LENGTH or not _is_text(key):
            if len(self._dropped) < _DROPPED_COUNTED:
                self._dropped.add(hash(key))
            return False
        self._known.append(key)
        self._admitted.add(key)
        return True

    def note(self) -> Event | None:
        """How many keys were dropped, if any."""
        n = len(self._dropped)
        if not n:
            return None
        count = "1 key was" if n == 1 else f"{n:,}{' or more' if n == _DROPPED_COUNTED else ''} keys were"
        return Event("note", None, f"{count} dropped: {MAX_KEYS:,} different keys of {MAX_KEY_LENGTH:,} characters are read")


def _is_text(key: str) -> bool:
    """Whether the key can be written as UTF-8; lone surrogates cannot."""
    try:
        key.encode()
    except UnicodeEncodeError:
        return False
    return True


class _Group(NamedTuple):
    """Rows that logged the same keys."""

    keep: list[int] | None  # positions of the admitted keys; None for all
    rows: list[int]
    values: list[list[float]]


class RowBuffer:
    """Collects rows, or cells that it puts together to rows, until ``full``; ``take`` hands them over as one chunk.

    Consecutive cells of one step form a row unless a key would repeat in it. A row's wall time is its last cell's.
    """

    def __init__(self, keys: KeyLimit, axis: str = "") -> None:
        self._limit = keys
        self._axis = axis
        self._step = 0
        self._wall = float("nan")
        self._open: dict[str, float] = {}
        self._clear()

    def _clear(self) -> None:
        self._steps: list[int] = []
        self._walls: list[float] = []
        self._groups: dict[tuple[str, ...], _Group] = {}
        self._cells = 0
        self.full = False

    def cell(self, step: int, wall: float, key: str, value: float) -> None:
        if step != self._step or key in self._open:
            self._close()
            self._step = step
            if len(self._steps) >= MAX_ROWS - 1:
                self.full = True
        if self._limit.admits(key):
            self._open[key] = value
            self._wall = wall

    def row(self, step: int, wall: float, keys: tuple[str, ...], values: list[float]) -> None:
        """A whole row; ``values`` are parallel to ``keys``, which do not repeat. A row without cells is none."""
        group = self._groups.get(keys)
        if group is None:
            keep = [i for i, key in enumerate(keys) if self._limit.admits(key)]
            if not keep:
                return
            group = self._groups[keys] = _Group(None if len(keep) == len(keys) else keep, [], [])
        if group.keep is not None:
            values = [values[i] for i in group.keep]
        group.rows.append(len(self._steps))
        group.values.append(values)
        self._steps.append(step)
        self._walls.append(wall)
        self._cells += len(values)
        if len(self._steps) >= MAX_ROWS or self._cells >= MAX_CELLS:
            self.full = True

    def take(self) -> Chunk | None:
        """All rows so far, the open one too; None if there are none."""
        self._close()
        n = len(self._steps)
        if not n:
            return None
        parts: dict[str, list[tuple[Rows, Floats]]] = {}
        for keys, group in self._groups.items():
            names = keys if group.keep is None else [keys[i] for i in group.keep]
            _spread(parts, names, group)
        walls = np.array(self._walls, dtype=np.float64)
        chunk = Chunk(
            np.array(self._steps, dtype=np.int64),
            {key: _column(found, n) for key, found in parts.items()},
            None if np.isnan(walls).all() else walls,
            self._axis,
        )
        self._clear()
        return chunk

    def _close(self) -> None:
        if self._open:
            self.row(self._step, self._wall, tuple(self._open), list(self._open.values()))
            self._open = {}


def _spread(parts: dict[str, list[tuple[Rows, Floats]]], names: Iterable[str], group: _Group) -> None:
    rows = np.array(group.rows, dtype=np.intp)
    by_key = np.ascontiguousarray(np.array(group.values, dtype=np.float64).T)
    for name, values in zip(names, by_key, strict=True):
        parts.setdefault(name, []).append((rows, values))


def _column(parts: list[tuple[Rows, Floats]], n: int) -> Column:
    """One key's cells from all groups of rows, in the order of the rows."""
    if len(parts) == 1:
        rows, values = parts[0]
        return Column(None if len(rows) == n else rows, values)
    rows = np.concatenate([part[0] for part in parts])
    order = np.argsort(rows, kind="stable")
    values = np.concatenate([part[1] for part in parts])[order]
    return Column(None if len(rows) == n else rows[order], values)
