"""Blocks of bytes → lines, however long; JSON objects out of lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import orjson

MAX_LINE = 32 << 20
BOM = b"\xef\xbb\xbf"
_DIGITS_OF_AN_INT64 = 18


class Line(NamedTuple):
    """``text`` without its line end, None where it is longer than 32 MiB; ``size`` with it, in bytes; ``ended``: it has one."""

    text: bytes | None
    size: int
    ended: bool


def lines(blocks: Iterable[bytes]) -> Iterator[Line]:
    """Lines end with LF. At most 32 MiB of a line are held; of a longer one only its size is told."""
    held: list[bytes] = []
    size = 0
    for block in blocks:
        parts = block.split(b"\n")
        for part in parts[:-1]:
            if size:
                held.append(part)
                text = b"".join(held) if size + len(part) <= MAX_LINE else None
                yield Line(text, size + len(part) + 1, True)
                held, size = [], 0
            else:
                yield Line(part, len(part) + 1, True)
        if parts[-1]:
            size += len(parts[-1])
            held = [*held, parts[-1]] if size <= MAX_LINE else []
    if size:
        yield Line(b"".join(held) if size <= MAX_LINE else None, size, False)


def parse_object(text: bytes) -> dict[str, Any] | None:
    """The JSON object of a line; None if it is none. NaN, Infinity and numbers past a float64's range are taken."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        if b"NaN" not in text and b"Infinity" not in text and "infinity" not in error.msg:
            return None
        value = _tolerant(text)
    return value if type(value) is dict else None


def _tolerant(text: bytes) -> Any:
    """The standard library's reader takes the tokens that orjson, being strict, refuses."""
    try:
        return json.loads(text.decode("utf-8"), parse_int=_integer)
    except (ValueError, RecursionError):
        return None


def _integer(digits: str) -> float:
    return int(digits) if len(digits) <= _DIGITS_OF_AN_INT64 else float(digits)
