"""What a file is, by its name and its first bytes."""

from __future__ import annotations

import os
import stat
from typing import Literal, TypeAlias

from .blocks import head_of
from .crc32c import masked_crc
from .errors import UnreadableError, empty, from_os, is_lfs_pointer, lfs_pointer, unknown_format
from .jsonl import step_key
from .lines import BOM, parse_object
from .records import HEADER
from .tensorboard import is_event_file

Format: TypeAlias = Literal["jsonl", "tensorboard"]

HEAD = 1 << 16
_JSON_LINES = "expected one JSON object a line"


def identify(path: str) -> Format:
    """The format of a file that holds a log. Raises UnreadableError for every other file."""
    try:
        status = os.stat(path)
    except OSError as error:
        raise from_os(path, error) from error
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableError(path, "unknown-format", "is no file and no directory", "standard input is given as -")
    head = head_of(path, HEAD)
    if status.st_size == 0:
        raise empty(path)
    if is_lfs_pointer(head):
        raise lfs_pointer(path)
    if is_event_file(path):
        if _is_record(head):
            return "tensorboard"
    elif _is_record(head) and b"brain.Event" in head[:64]:
        return "tensorboard"
    elif _holds_objects(head, is_jsonl(path)):
        return "jsonl"
    raise unknown_format(path, head, _JSON_LINES if head[:1] in (b"{", b"[") else "")


def is_jsonl(name: str) -> bool:
    return name.removesuffix(".gz").endswith(".jsonl")


def is_json(name: str) -> bool:
    return name.removesuffix(".gz").endswith(".json")


def several_objects(path: str) -> bool:
    """Whether the first two lines are JSON objects; a configuration on one line is no log."""
    try:
        head = head_of(path, HEAD)
    except UnreadableError:
        return False
    found = _lines(head)[:2]
    return len(found) == 2 and parse_object(found[0]) is not None and found[1].startswith(b"{")


def names_steps(path: str) -> bool:
    """Whether the first lines say which step they are of."""
    try:
        head = head_of(path, HEAD)
    except UnreadableError:
        return False
    return step_key(filter(None, map(parse_object, _lines(head)[:100]))) is not None or (len(head) == HEAD and b"\n" not in head)


def _is_record(head: bytes) -> bool:
    """A TFRecord header, or less than one."""
    return len(head) < HEADER or masked_crc(head[:8]) == int.from_bytes(head[8:HEADER], "little")


def _lines(head: bytes) -> list[bytes]:
    return [line.strip() for line in head.removeprefix(BOM).split(b"\n") if line.strip()]


def _holds_objects(head: bytes, named: bool) -> bool:
    """``named`` files may begin with a line that is broken or cut off."""
    found = _lines(head)
    if not found:
        return named
    if parse_object(found[0]) is not None or (len(found) == 1 and found[0].startswith(b'{"')):
        return True
    return named and (found[0].startswith(b"{") or any(parse_object(line) is not None for line in found))
