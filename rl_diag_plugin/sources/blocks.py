"""A file's bytes from an offset on, plain or gzip, as blocks; and whether it is still the file that a cursor was made for."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from ..model import Cursor
from .errors import from_os

BLOCK = 1 << 20
GZIP = b"\x1f\x8b"
_HEAD = 1024


class Blocks:
    """Iterating gives the bytes from ``offset`` on; a gzip file's offsets count bytes after decompression.

    After the last block ``cut`` says that a gzip stream ends too early, ``damaged`` that it cannot be decompressed further.
    """

    def __init__(self, path: str, offset: int = 0) -> None:
        self.path = path
        self.offset = offset
        self.cut = False
        self.damaged = False

    def __iter__(self) -> Iterator[bytes]:
        try:
            with open(self.path, "rb") as file:
                packed = file.read(2) == GZIP
                file.seek(0 if packed else self.offset)
                yield from _skip(self._inflate(_raw(file)), self.offset) if packed else _raw(file)
        except OSError as error:
            raise from_os(self.path, error) from error

    def _inflate(self, raw: Iterator[bytes]) -> Iterator[bytes]:
        inflate, begun = zlib.decompressobj(31), False
        for data in raw:
            while data:
                begun = True
                try:
                    out = inflate.decompress(data, BLOCK)
                except zlib.error:
                    self.damaged = True
                    return
                if out:
                    yield out
                if inflate.eof:
                    data = inflate.unused_data.lstrip(b"\0")
                    inflate, begun = zlib.decompressobj(31), False
                else:
                    data = inflate.unconsumed_tail
        self.cut = begun


def _raw(file: BinaryIO) -> Iterator[bytes]:
    while block := file.read(BLOCK):
        yield block


def _skip(blocks: Iterator[bytes], offset: int) -> Iterator[bytes]:
    for block in blocks:
        if offset < len(block):
            yield block[offset:]
        offset = max(0, offset - len(block))


def head_of(path: str, size: int) -> bytes:
    """The first bytes, decompressed. Raises UnreadableError."""
    out = b""
    for block in Blocks(path):
        out += block
        if len(out) >= size:
            break
    return out[:size]


def resume(path: str, cursor: Cursor) -> tuple[Blocks, bool]:
    """The blocks from where ``cursor`` stands, and whether it had to be emptied because the file was cut or replaced.

    A file is taken for another one if its inode or its first kilobyte changed, or if it ends before the cursor.
    """
    try:
        with open(path, "rb") as file:
            stat, head = os.fstat(file.fileno()), file.read(_HEAD)
    except OSError as error:
        raise from_os(path, error) from error
    known = cursor.get("file")
    renewed = known is not None and not _same(known, stat, head, cursor.get("offset", 0))
    if renewed:
        cursor.clear()
    cursor["file"] = {"inode": stat.st_ino, "size": stat.st_size, "head": [len(head), zlib.crc32(head)]}
    return Blocks(path, cursor.setdefault("offset", 0)), renewed


def _same(known: Cursor, stat: os.stat_result, head: bytes, offset: int) -> bool:
    n, crc = known["head"]
    least = known["size"] if head.startswith(GZIP) else offset
    return bool(known["inode"] == stat.st_ino and stat.st_size >= least and len(head) >= n and zlib.crc32(head[:n]) == crc)
