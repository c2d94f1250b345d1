"""TFRecord framing: length (8), its masked CRC-32C (4), payload, the payload's masked CRC-32C (4); little-endian."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from .crc32c import masked_crc, masked_crcs

HEADER = 12
FOOTER = 4
MAX_PAYLOAD = 64 << 20
_MAX_LENGTH = 1 << 31  # a protocol buffer is never larger
_KNOWN_HEADERS = 1 << 16
_SHORT = 4096


class Batch(NamedTuple):
    """Payloads in file order with their stored CRCs, and the offset at which each one's record ends.

    A record over 64 MiB, which holds no scalar, is left out.
    """

    payloads: list[bytes]
    footers: list[bytes]
    ends: list[int]


class Damage(NamedTuple):
    """Bytes from ``start`` to ``stop`` that are no record; ``stop`` None: no record was found after them."""

    start: int
    stop: int | None


class Records:
    """Iterating gives the records of ``blocks``, which begin at ``offset`` in the file.

    After the last item ``offset`` is where the first record begins that is not complete, ``rest`` how many of its bytes
    are there. ``verify`` checks every payload, too, leaves out those that fail and counts them in ``wrong``.
    """

    def __init__(self, blocks: Iterable[bytes], offset: int = 0, verify: bool = False) -> None:
        self.offset = offset
        self.rest = 0
        self.wrong = 0
        self._verify = verify
        self._blocks = blocks
        self._buffer = bytearray()
        self._known: dict[bytes, int] = {}
        self._damaged_from: int | None = None
        self._skip_from = 0
        self._skip_to: int | None = None

    def __iter__(self) -> Iterator[Batch | Damage]:
        for block in self._blocks:
            self._buffer += block
            while True:
                if self._damaged_from is not None and not self._search():
                    break
                if self._damaged_from is not None:
                    yield Damage(self._damaged_from, self.offset)
                    self._damaged_from = None
                batch = self._walk()
                if batch.ends:
                    yield self._checked(batch) if self._verify else batch
                if self._damaged_from is None:
                    break
        self.rest = len(self._buffer)
        if self._skip_to is not None:
            self.offset, self.rest = self._skip_from, 1
        if self._damaged_from is not None:
            self.offset, self.rest = self._damaged_from, 0
            yield Damage(self.offset, None)

    def _walk(self) -> Batch:
        """The complete records at the buffer's start; stops at its end or where a length is not confirmed by its CRC."""
        base, batch = self.offset, Batch([], [], [])
        position = self._skipped()
        if self._skip_to is None and self._whole(position):
            position = self._cut(batch, position)
        del self._buffer[:position]
        self.offset = base + position
        return batch

    def _whole(self, position: int) -> bool:
        """Whether it is worth copying the buffer: not while the first record's end is still to come."""
        header = bytes(self._buffer[position : position + HEADER])
        length = self._length(header) if len(header) == HEADER else 0
        return len(header) == HEADER and (
            length is None or length > MAX_PAYLOAD or position + HEADER + length + FOOTER <= len(self._buffer)
        )

    def _cut(self, batch: Batch, position: int) -> int:
        """Fills ``batch`` from ``position`` on; gives the position of the first record that is not complete."""
        data, base, known = bytes(self._buffer), self.offset, self._known
        payloads, footers, ends = batch
        size = len(data)
        while size - position >= HEADER:
            header = data[position : position + HEADER]
            length = known.get(header)
            if length is None:
                length = self._length(header)
                if length is None:
                    self._damaged_from = base + position
                    break
            end = position + HEADER + length + FOOTER
            if end > size:
                if length > MAX_PAYLOAD:
                    self._skip_from, self._skip_to = base + position, base + end
                    position = size
                break
            if length <= MAX_PAYLOAD:
                payloads.append(data[position + HEADER : end - FOOTER])
                footers.append(data[end - FOOTER : end])
                ends.append(base + end)
            position = end
        return position

    def _skipped(self) -> int:
        """Where in the buffer the record ends that is too long to be held; the buffer's length if that is still to come."""
        if self._skip_to is None:
            return 0
        position = self._skip_to - self.offset
        if position > len(self._buffer):
            return len(self._buffer)
        self._skip_to = None
        return position

    def _checked(self, batch: Batch) -> Batch:
        wrong = wrong_payloads(batch.payloads, batch.footers)
        if not wrong:
            return batch
        self.wrong += len(wrong)
        keep = [i for i in range(len(batch.ends)) if i not in wrong]
        return Batch(*([column[i] for i in keep] for column in batch))  # type: ignore[arg-type]

    def _length(self, header: bytes) -> int | None:
        """The payload's length; None if its CRC is wrong. Lengths repeat, so that few CRCs are computed."""
        length = self._known.get(header)
        if length is None:
            length, crc = struct.unpack("<QI", header)
            if length >= _MAX_LENGTH or crc != masked_crc(header[:8]):
                return None
            if len(self._known) < _KNOWN_HEADERS:
                self._known[header] = length
        return length

    def _search(self) -> bool:
        """Goes on to the next bytes that are a length with its CRC; False if the buffer holds none."""
        first = 1 if self._damaged_from == self.offset else 0
        found = _next_header(np.frombuffer(bytes(self._buffer), dtype=np.uint8)[first:])
        move = max(0, len(self._buffer) - HEADER + 1) if found is None else found + first
        del self._buffer[:move]
        self.offset += move
        return found is not None


def _next_header(data: np.ndarray[tuple[int], np.dtype[np.uint8]]) -> int | None:
    if len(data) < HEADER:
        return None
    windows = np.lib.stride_tricks.sliding_window_view(data, HEADER)
    stored = np.ascontiguousarray(windows[:, 8:]).view("<u4")[:, 0]
    lengths = np.ascontiguousarray(windows[:, :8]).view("<u8")[:, 0]
    found = np.flatnonzero((lengths < _MAX_LENGTH) & (stored == masked_crcs(windows[:, :8])))
    return int(found[0]) if len(found) else None


def wrong_payloads(payloads: list[bytes], footers: list[bytes]) -> set[int]:
    """Positions of the payloads that differ from their CRC."""
    wrong = {i for i, (payload, footer) in enumerate(zip(payloads, footers, strict=True)) if _long_and_wrong(payload, footer)}
    by_length: dict[int, list[int]] = {}
    for i, payload in enumerate(payloads):
        if 0 < len(payload) <= _SHORT:
            by_length.setdefault(len(payload), []).append(i)
    for length, at in by_length.items():
        rows = np.frombuffer(b"".join(payloads[i] for i in at), dtype=np.uint8).reshape(-1, length)
        stored = np.frombuffer(b"".join(footers[i] for i in at), dtype="<u4")
        wrong |= {at[j] for j in np.flatnonzero(masked_crcs(rows) != stored)}
    return wrong


def _long_and_wrong(payload: bytes, footer: bytes) -> bool:
    return len(payload) > _SHORT and masked_crc(payload) != int.from_bytes(footer, "little")
