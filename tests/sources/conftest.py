from __future__ import annotations

import gzip
import json
import math
import struct
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from rl_diag_plugin.model import Chunk, Cursor, Event, Source
from rl_diag_plugin.sources.crc32c import masked_crc
from rl_diag_plugin.sources.event_proto import Event as EventProto


class Reading:
    """All cells of the items in log order (value and wall time as text, so that NaN equals NaN), and the events."""

    def __init__(self, items: Iterable[Any]) -> None:
        self.cells: list[tuple[int, str, str]] = []
        self.walls: list[float] = []
        self.events: list[Event] = []
        self.chunks: list[Chunk] = []
        for item in items:
            if isinstance(item, Event):
                self.events.append(item)
            elif isinstance(item, Chunk):
                self._add(item)

    def _add(self, chunk: Chunk) -> None:
        self.chunks.append(chunk)
        n = len(chunk.steps)
        assert 0 < n <= 4096
        rows: list[list[tuple[int, str, str]]] = [[] for _ in range(n)]
        for key, column in chunk.columns.items():
            at = column.at(n)
            assert len(at) == len(column.values)
            assert (at[1:] > at[:-1]).all()
            for row, value in zip(at.tolist(), column.values.tolist(), strict=True):
                rows[row].append((int(chunk.steps[row]), key, repr(value)))
        assert all(rows)
        self.cells += [cell for row in rows for cell in sorted(row)]
        self.walls += [math.nan] * n if chunk.walls is None else chunk.walls.tolist()

    def texts(self, kind: str) -> list[str]:
        return [event.text for event in self.events if event.kind == kind]

    def values(self, key: str) -> list[tuple[int, float]]:
        return [(step, float(value)) for step, name, value in self.cells if name == key]


@pytest.fixture
def read() -> Callable[..., Reading]:
    """Reads a source with a cursor (a new one by default) that goes through JSON before and after."""

    def call(source: Source, cursor: Cursor | None = None) -> Reading:
        cursor = {} if cursor is None else cursor
        copy = json.loads(json.dumps(cursor))
        out = Reading(source.read(copy))
        cursor.clear()
        cursor.update(json.loads(json.dumps(copy)))
        return out

    return call


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., str]:
    """Writes bytes or text to a file, through gzip where its name says so."""

    def call(name: str, content: bytes | str = b"") -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content.encode() if isinstance(content, str) else content
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return str(path)

    return call


@pytest.fixture
def reading() -> type[Reading]:
    return Reading


@pytest.fixture
def record() -> Callable[[bytes], bytes]:
    """One TFRecord."""

    def call(payload: bytes) -> bytes:
        length = struct.pack("<Q", len(payload))
        return length + struct.pack("<I", masked_crc(length)) + payload + struct.pack("<I", masked_crc(payload))

    return call


@pytest.fixture
def events(record: Callable[[bytes], bytes]) -> Callable[..., bytes]:
    """An event file of (step, tag, value) scalars after its header; the wall time is 1,000 + step."""

    def call(*scalars: tuple[int, str, float], header: bool = True) -> bytes:
        out = record(EventProto(wall_time=1000.0, file_version=b"brain.Event:2").SerializeToString()) if header else b""
        for step, tag, value in scalars:
            summary = {"value": [{"tag": tag.encode(), "simple_value": value}]}
            out += record(EventProto(wall_time=1000.0 + step, step=step, summary=summary).SerializeToString())
        return out

    return call


@pytest.fixture
def recordings() -> Path:
    """Our recordings of real trainers, beside the repository."""
    path = Path(__file__).resolve().parents[3] / "shared" / "data"
    if not path.is_dir():
        pytest.skip("the recordings are not here")
    return path
