"""What a source hands to the engine: logged cells as columns, configuration, events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Steps: TypeAlias = NDArray[np.int64]
Rows: TypeAlias = NDArray[np.intp]
Json: TypeAlias = Any


class Column(NamedTuple):
    """One key's cells in a chunk.

    ``rows`` are positions in the chunk, strictly rising; None means every row. ``values`` has one float64 a cell;
    NaN and infinities are kept as logged, a null is NaN. A key that was not logged in a row has no cell there.
    """

    rows: Rows | None
    values: Floats

    def at(self, n: int) -> Rows:
        """The positions of the cells in a chunk of ``n`` rows."""
        return np.arange(n, dtype=np.intp) if self.rows is None else self.rows


@dataclass(frozen=True, slots=True)
class Chunk:
    """Logged cells in log order, one row a (step, wall time); neighbouring rows may share a step.

    ``axis`` is the step clock that new keys start on (a file's name, "" where there is only one).
    """

    steps: Steps
    columns: Mapping[str, Column]
    walls: Floats | None = None
    axis: str = ""


@dataclass(frozen=True, slots=True)
class Config:
    """A configuration as nested plain values, and where it came from."""

    values: Mapping[str, Any]
    source: str = ""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to the log itself.

    Kinds: ``resume``, ``gap``, ``clock`` (a key moved to a step clock of its own), ``incomplete`` (the last record is cut off),
    ``lossy`` (what a format cannot hold), ``note`` (a fact about the file), ``finished`` (an exit record).
    """

    kind: str
    step: int | None
    text: str


Item: TypeAlias = Chunk | Config | Event
Cursor: TypeAlias = dict[str, Json]


class Source(Protocol):
    """A log that can be read from where the last reading ended.

    ``read`` yields items in log order and keeps ``cursor`` (plain JSON) up to date: after each item it says where to go on.
    """

    path: str
    format: str

    def read(self, cursor: Cursor) -> Iterator[Item]: ...
