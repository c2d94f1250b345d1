"""Writes rows as a TensorBoard event file, one event a scalar, as AReaL does: bytes by hand, no TensorBoard needed.

The framing is TensorFlow's (tensorflow/core/lib/io/record_writer.cc), the messages event.proto's and summary.proto's.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..sources.crc32c import masked_crc

_WALL, _STEP, _FILE_VERSION, _SUMMARY = 1, 2, 3, 5  # fields of Event
_VALUE = 1  # of Summary
_TAG, _SIMPLE_VALUE = 1, 2  # of Summary.Value


def write_event_file(path: Path, rows: Iterable[Mapping[str, float]], started: float, seconds_a_row: float) -> None:
    """``rows``: what was logged at step 0, 1, …"""
    events = [_double(_WALL, started) + _bytes(_FILE_VERSION, b"brain.Event:2")]
    for step, row in enumerate(rows):
        wall = _double(_WALL, started + seconds_a_row * step)
        events += [wall + _varint(_STEP, step) + _bytes(_SUMMARY, _scalar(key, value)) for key, value in row.items()]
    path.write_bytes(b"".join(map(_record, events)))


def _scalar(tag: str, value: float) -> bytes:
    return _bytes(_VALUE, _bytes(_TAG, tag.encode()) + bytes([_SIMPLE_VALUE << 3 | 5]) + struct.pack("<f", value))


def _record(data: bytes) -> bytes:
    length = struct.pack("<Q", len(data))
    return length + struct.pack("<I", masked_crc(length)) + data + struct.pack("<I", masked_crc(data))


def _double(field: int, value: float) -> bytes:
    return bytes([field << 3 | 1]) + struct.pack("<d", value)


def _varint(field: int, value: int) -> bytes:
    return bytes([field << 3]) + _number(value)


def _bytes(field: int, data: bytes) -> bytes:
    return bytes([field << 3 | 2]) + _number(len(data)) + data


def _number(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])
