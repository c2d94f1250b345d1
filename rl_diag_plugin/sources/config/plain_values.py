"""What every configuration format is held to: a mapping of bounded size and depth."""

from __future__ import annotations

from ..blocks import head_of
from ..errors import UnreadableError, empty, is_lfs_pointer, lfs_pointer

MAX_BYTES = 4 << 20
MAX_VALUES = 50_000
MAX_DEPTH = 100


def text_of(path: str) -> bytes:
    """A configuration file's bytes, decompressed. Raises UnreadableError, also over 4 MiB."""
    data = head_of(path, MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise UnreadableError(path, "too-large", f"is larger than {MAX_BYTES >> 20} MiB: no configuration")
    if not data.strip():
        raise empty(path)
    if is_lfs_pointer(data):
        raise lfs_pointer(path)
    return data


def too_deep(path: str) -> UnreadableError:
    return UnreadableError(path, "too-large", f"nests more than {MAX_DEPTH} levels: no configuration")


def too_many(path: str) -> UnreadableError:
    return UnreadableError(path, "too-large", f"holds more than {MAX_VALUES:,} values: no configuration")


def no_mapping(path: str) -> UnreadableError:
    return UnreadableError(path, "unknown-format", "is no configuration", "expected names with values, e.g. lr: 0.001")
