"""TensorBoard's event files: one file, or all files of a run's directory."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import DecodeError

from ..model import Cursor, Event, Item
from . import event_proto
from .blocks import Blocks, head_of, resume
from .cells import MAX_KEYS, KeyLimit, RowBuffer
from .errors import UnreadableError, empty, from_os, is_lfs_pointer, lfs_pointer, unknown_format
from .events import damaged_gzip_event, incomplete_event, renewed_event
from .records import Batch, Damage, Records
from .tensors import scalar

LACKS = "event files hold float32: whole numbers are exact up to 16,777,216; a value that was None is not in them"
_PLUGINS = {"images": "image", "histograms": "histogram", "text": "text", "audio": "audio clip", "hparams": "hparams record"}
_OLD_KINDS = {"image": "image", "histo": "histogram", "audio": "audio clip"}


def is_event_file(name: str) -> bool:
    """TensorBoard itself takes every file whose name holds ``tfevents``."""
    return "tfevents" in os.path.basename(name)


@dataclass(slots=True)
class EventFileSource:
    """One event file, plain or gzip. Scalars only: simple values, and tensors of one number."""

    path: str
    verify: bool = False
    format: str = "tensorboard"
    lacks: str = LACKS

    def read(self, cursor: Cursor) -> Iterator[Item]:
        """Raises UnreadableError for a file that cannot be opened, is empty, is no event file or holds no scalar at all."""
        blocks, renewed = resume(self.path, cursor)
        if renewed:
            yield renewed_event()
        yield from _Reading(self.path, cursor, self.verify).items(blocks)


@dataclass(slots=True)
class EventDirectory:
    """All event files that lie in a run's directory, by name, which holds their start time. New ones are found at each reading."""

    path: str
    verify: bool = False
    format: str = "tensorboard"
    lacks: str = LACKS

    def read(self, cursor: Cursor) -> Iterator[Item]:
        """Raises UnreadableError if no file holds a scalar."""
        files: dict[str, Cursor] = cursor.setdefault("files", {})
        failed: list[UnreadableError] = []
        for name in self._names():
            part = files.setdefault(name, {})
            try:
                yield from EventFileSource(os.path.join(self.path, name), self.verify).read(part)
            except UnreadableError as error:
                failed.append(error)
                if error.kind != "no-scalars" and part.get("told") != error.kind:
                    part["told"] = error.kind
                    yield Event("note", None, f"{name}{': ' if error.kind == 'permission' else ' '}{error.reason}")
        if not any(part.get("keys") for part in files.values()):
            raise self._nothing(failed, files)

    def _names(self) -> list[str]:
        try:
            with os.scandir(self.path) as entries:
                names = [entry.name for entry in entries if is_event_file(entry.name) and os.path.isfile(entry.path)]
        except OSError as error:
            raise from_os(self.path, error) from error
        return sorted(names, key=natural)

    def _nothing(self, failed: list[UnreadableError], files: dict[str, Cursor]) -> UnreadableError:
        if len(failed) == 1:
            return failed[0]
        if not failed:
            return UnreadableError(self.path, "empty-directory", "holds no event file")
        if len({error.kind for error in failed}) == 1 and failed[0].kind != "no-scalars":
            return UnreadableError(self.path, failed[0].kind, f"holds {len(files)} event files and none can be read", str(failed[0]))
        others: Counter[str] = sum((Counter(part.get("others", {})) for part in files.values()), Counter())
        return _no_scalars(self.path, others)


def natural(name: str) -> list[tuple[int, str]]:
    """A sorting key under which 10 comes after 9."""
    return [(int(part), "") if part.isascii() and part.isdigit() else (-1, part) for part in re.split(r"(\d{1,18})", name)]


class _Reading:
    """One reading of a file from where its cursor stands."""

    def __init__(self, path: str, cursor: Cursor, verify: bool) -> None:
        self.path = path
        self.cursor = cursor
        self.verify = verify
        self.last: int | None = cursor.get("last")
        self.events: int = cursor.get("events", 0)
        self.others: Counter[str] = Counter(cursor.get("others", {}))
        self.plugins: dict[str, str] = cursor.setdefault("plugins", {})
        self.limit = KeyLimit(cursor.setdefault("keys", []))
        self.rows = RowBuffer(self.limit, axis=os.path.basename(path))
        self.tags: dict[bytes, str] = {}
        self.undecodable = 0

    def items(self, blocks: Blocks) -> Iterator[Item]:
        records = Records(blocks, self.cursor["offset"], self.verify)
        for part in records:
            if isinstance(part, Damage):
                yield from self._damage(part)
            else:
                yield from self._batch(part)
        yield from self._chunk(records.offset)
        yield from self._events(records, blocks)
        if not self.cursor["keys"]:
            self._refuse(records)

    def _batch(self, batch: Batch) -> Iterator[Item]:
        decode, tags, rows = event_proto.Event.FromString, self.tags, self.rows
        for payload, end in zip(batch.payloads, batch.ends, strict=True):
            try:
                event = decode(payload)
            except DecodeError:
                self.undecodable += 1
                continue
            self.events += 1
            step, wall = event.step, event.wall_time
            for value in event.summary.value:
                number = value.simple_value if value.HasField("simple_value") else self._number(value)
                if number is not None:
                    rows.cell(step, wall, tags.get(value.tag) or self._tag(value.tag), number)
                    self.last = step
            if rows.full:
                yield from self._chunk(end)

    def _number(self, value: Any) -> float | None:
        """The number of a value that is no simple one; what it is instead is counted."""
        kind = value.WhichOneof("kind")
        plugin = value.metadata.plugin_data.plugin_name.decode("utf-8", "replace")
        tag = self._tag(value.tag)
        if plugin not in ("", "scalars") and len(self.plugins) < MAX_KEYS:
            self.plugins[tag] = plugin  # writers may name the plugin in a tag's first record only
        plugin = plugin or self.plugins.get(tag, "")
        number = scalar(value.tensor) if kind == "tensor" and plugin in ("", "scalars") else None
        if number is None:
            self.others[_PLUGINS.get(plugin) or _OLD_KINDS.get(kind or "") or plugin or "tensor"] += 1
        return number

    def _tag(self, raw: bytes) -> str:
        tag = self.tags.get(raw)
        if tag is None:
            tag = raw.decode("utf-8", "replace")
            if len(self.tags) < MAX_KEYS:
                self.tags[raw] = tag
        return tag

    def _chunk(self, offset: int) -> Iterator[Item]:
        chunk = self.rows.take()
        self.cursor.update(offset=offset, last=self.last, events=self.events, others=dict(self.others))
        if chunk is not None:
            yield chunk

    def _damage(self, part: Damage) -> Iterator[Item]:
        """Told once for a place, however often the bytes there are read again."""
        yield from self._chunk(part.start)
        if self.cursor.get("damaged") != part.start:
            self.cursor["damaged"] = part.start
            on = "no record follows" if part.stop is None else f"reading goes on at byte {part.stop:,}"
            yield Event("note", self.last, f"damaged at byte {part.start:,}: {on}")

    def _events(self, records: Records, blocks: Blocks) -> Iterator[Event]:
        for count, what in ((self.undecodable, "cannot be decoded"), (records.wrong, "fail their checksum")):
            if count:
                yield Event("note", None, f"records that {what} and were left out: {count:,}")
        dropped = None if self.cursor.get("dropped") else self.limit.note()
        if dropped is not None:
            self.cursor["dropped"] = True
            yield dropped
        if blocks.damaged:
            yield damaged_gzip_event(self.last)
        if records.rest or blocks.cut:
            yield incomplete_event(self.last)

    def _refuse(self, records: Records) -> None:
        """Raise for what holds nothing to read."""
        if self.cursor["file"]["size"] == 0:
            raise empty(self.path)
        if not self.events and self.cursor.get("damaged") == 0:
            head = head_of(self.path, 64)
            raise lfs_pointer(self.path) if is_lfs_pointer(head) else unknown_format(self.path, head)
        bad = self.undecodable + records.wrong
        if bad and not self.others:
            raise UnreadableError(self.path, "broken", f"no record can be read ({bad:,} are damaged)")
        if not records.rest:
            raise _no_scalars(self.path, self.others)


def _no_scalars(path: str, others: Counter[str]) -> UnreadableError:
    counts = ", ".join(f"{n:,} {name if n == 1 else name + 's'}" for name, n in others.most_common(4))
    return UnreadableError(path, "no-scalars", f"holds no scalars ({counts or 'nothing but its header'})")
