"""JSON lines: ``{"step": 3, "reward": 0.5}`` or ``{"step": 3, "data": {"reward": 0.5}}``, one object a line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, BinaryIO, TypeAlias

from ..model import Cursor, Event, Item
from .blocks import BLOCK, resume
from .cells import MAX_KEY_LENGTH, KeyLimit, RowBuffer
from .errors import UnreadableError, empty
from .events import damaged_gzip_event, incomplete_event, renewed_event
from .lines import BOM, Line, lines, parse_object

STEP_KEYS = ("step", "_step", "global_step", "training_step", "train_step", "iteration", "iter")
WALL_KEYS = ("_timestamp", "timestamp", "time")
LINE_NUMBER = "line number"  # stands in the cursor in a step key's place; no candidate is called so

_BESIDE_DATA = frozenset((*STEP_KEYS, *WALL_KEYS, "data"))
_NUMBERS = frozenset((float, int))
_WORDS = {word: float(word) for word in ("NaN", "nan", "Infinity", "inf", "-Infinity", "-inf")}
_LOOKED_AHEAD = 100
_INT64 = 1 << 63

Cells: TypeAlias = dict[str, Any]


@dataclass(slots=True)
class JsonlSource:
    """One file of JSON lines, plain or gzip."""

    path: str
    format: str = "jsonl"

    def read(self, cursor: Cursor) -> Iterator[Item]:
        """Raises UnreadableError for a file that cannot be opened, is empty, holds no JSON object or no number at all."""
        blocks, renewed = resume(self.path, cursor)
        if renewed:
            yield renewed_event()
        yield from _Reading(self.path, cursor).items(blocks)


def read_stream(stream: BinaryIO, name: str = "-") -> Iterator[Item]:
    """JSON lines from a stream that cannot be read twice, such as standard input. Raises UnreadableError as a file does."""
    read = getattr(stream, "read1", stream.read)
    return _Reading(name, {"offset": 0}).items(iter(lambda: read(BLOCK), b""))


def step_key(records: Iterable[Cells]) -> str | None:
    """The candidate that most records have as their step, the first of equals; None if none has one."""
    found = Counter(key for record in records for key in STEP_KEYS if _whole(record.get(key)) is not None)
    return max(STEP_KEYS, key=lambda key: found[key]) if found else None


class _Reading:
    """One reading of a file from where its cursor stands."""

    def __init__(self, path: str, cursor: Cursor) -> None:
        self.path = path
        self.cursor = cursor
        self.offset: int = cursor["offset"]
        self.line: int = cursor.get("line", 0)
        self.last: int | None = cursor.get("last")
        self.by: str | None = cursor.get("by")
        self.records: int = cursor.get("records", 0)
        self.keys = KeyLimit(cursor.setdefault("keys", []))
        self.rows = RowBuffer(self.keys)
        self.faults: dict[str, list[int]] = {}

    def items(self, blocks: Iterable[bytes]) -> Iterator[Item]:
        found = lines(blocks)
        ahead = [] if self.by else _ahead(found)
        self._decide(filter(None, (parse_object(_clean(line.text)) for line in ahead if line.text)))
        cut = False
        for line in chain(ahead, found):
            record = None if line.text is None else parse_object(_clean(line.text))
            if record is None and not line.ended:
                cut = line.text is None or bool(_clean(line.text).strip())
                break
            self.offset += line.size
            self.line += 1
            self._take(record, line)
            if self.rows.full:
                yield from self._chunk()
        yield from self._chunk()
        cut = cut or getattr(blocks, "cut", False)
        damaged = getattr(blocks, "damaged", False)
        yield from self._events(cut, damaged)
        if not self.cursor["keys"] and not cut:
            self._refuse()

    def _decide(self, records: Iterable[Cells]) -> None:
        """Which key is the step. A record without any number does not decide."""
        records = list(records)
        if self.by is None and records:
            self.by = step_key(records) or (LINE_NUMBER if any(flatten(record) for record in records) else None)

    def _take(self, record: Cells | None, line: Line) -> None:
        if record is None:
            if line.text is None or _clean(line.text).strip():
                self._fault("no JSON object")
            return
        self.records += 1
        if self.by is None:
            self._decide([record])
            if self.by is None:
                return
        step = self.line if self.by == LINE_NUMBER else _whole(record.pop(self.by, None))
        if step is None:
            self._fault("without a whole number as step")
            return
        wall = _wall(record)
        data = record.get("data")
        cells = data if type(data) is dict and self.by != LINE_NUMBER and record.keys() <= _BESIDE_DATA else record
        if not _NUMBERS.issuperset(map(type, cells.values())):
            cells = flatten(cells)
        self.rows.row(step, wall, tuple(cells), list(cells.values()))
        self.last = step

    def _fault(self, what: str) -> None:
        self.faults.setdefault(what, [0, self.line])[0] += 1

    def _chunk(self) -> Iterator[Item]:
        if self.by == LINE_NUMBER and self.cursor.get("by") is None:
            self.cursor["by"] = self.by
            yield Event("note", None, "its lines name no step: the line number stands for it")
        chunk = self.rows.take()
        self.cursor.update(offset=self.offset, line=self.line, last=self.last, by=self.by, records=self.records)
        if chunk is not None:
            yield chunk

    def _events(self, incomplete: bool, damaged: bool) -> Iterator[Event]:
        for what, (count, first) in self.faults.items():
            number = "1 line is" if count == 1 else f"{count:,} lines are"
            yield Event("note", None, f"{number} {what} and left out, the first is line {first:,}")
        dropped = None if self.cursor.get("dropped") else self.keys.note()
        if dropped is not None:
            self.cursor["dropped"] = True
            yield dropped
        if damaged:
            yield damaged_gzip_event(self.last)
        if incomplete:
            yield incomplete_event(self.last)

    def _refuse(self) -> None:
        """Raise for what holds nothing to read."""
        if self.records:
            raise UnreadableError(self.path, "no-scalars", f"holds no numbers ({self.records:,} records)")
        if self.faults:
            raise UnreadableError(self.path, "broken", "no line is a JSON object", 'expected {"step": 3, "reward": 0.5} or the like a line')
        raise empty(self.path)


def _ahead(found: Iterator[Line]) -> list[Line]:
    """The first lines, for deciding which key is the step: at most 100, and no more bytes than four blocks hold."""
    out: list[Line] = []
    size = 0
    for line in found:
        out.append(line)
        size += line.size
        if len(out) >= _LOOKED_AHEAD or size > 4 * BLOCK:
            break
    return out


def _clean(text: bytes) -> bytes:
    return text.removeprefix(BOM)


def _whole(value: object) -> int | None:
    """A step: an int, or a float that is whole, within int64."""
    if type(value) is float and value.is_integer():
        value = int(value)
    return value if type(value) is int and -_INT64 <= value < _INT64 else None


def _wall(record: Cells) -> float:
    """Takes the record's wall time out of it; NaN if it has none."""
    for key in WALL_KEYS:
        if type(record.get(key)) in _NUMBERS:
            return _float(record.pop(key))
    return float("nan")


def _number(value: object) -> float | None:
    if value is None:
        return float("nan")
    if isinstance(value, (float, int)):
        return _float(value)
    return _WORDS.get(value) if isinstance(value, str) else None


def _float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def flatten(record: Cells) -> dict[str, float]:
    """Nested objects by "/"; what is no number is left out. Without recursion: a line may nest a thousand levels."""
    out: dict[str, float] = {}
    stack = [("", iter(record.items()))]
    while stack:
        prefix, entries = stack[-1]
        for name, value in entries:
            if type(value) is dict:
                if len(prefix) <= MAX_KEY_LENGTH:
                    stack.append((f"{prefix}{name}/", iter(value.items())))
                    break
                continue
            number = _number(value)
            if number is not None:
                out[prefix + name] = number
        else:
            stack.pop()
    return out
