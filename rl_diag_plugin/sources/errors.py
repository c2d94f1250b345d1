"""Why a path gives no report: what was given, what is wrong, what was expected or what to do."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from itertools import islice
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["missing", "empty-directory", "unknown-format", "empty", "permission", "lfs", "no-scalars", "broken", "too-large"]

EXPECTED = "expected TensorBoard event files (*tfevents*) or JSON lines (*.jsonl), plain or .gz"
NAMES_COMPARED = 10_000

_GROUPS: Mapping[Kind, str] = {
    "missing": "does not exist",
    "empty-directory": "directory without a log",
    "unknown-format": "in no format that is read",
    "empty": "empty file",
    "permission": "permission denied",
    "lfs": "Git LFS pointer: git lfs pull",
    "no-scalars": "file without scalars",
    "broken": "broken file",
    "too-large": "too large to be read",
}


class UnreadableError(Exception):
    """``str`` gives one line, or two: what is wrong with ``path``, then what was expected or what to do.

    ``reason`` continues the sentence that the path begins ("is empty"); ``do`` is the second line, "" where there is none.
    """

    def __init__(self, path: str, kind: Kind, reason: str, do: str = "") -> None:
        super().__init__(path, kind, reason, do)
        self.path = path
        self.kind = kind
        self.reason = reason
        self.do = do

    def __str__(self) -> str:
        mark = ": " if self.kind in ("permission", "broken") else " "
        return f"{self.path}{mark}{self.reason}" + (f"\n{self.do}" if self.do else "")

    @property
    def group(self) -> str:
        """What files with the same trouble are listed under."""
        return "event file without scalars" if self.kind == "no-scalars" and "tfevents" in self.path else _GROUPS[self.kind]


def missing(path: str) -> UnreadableError:
    """The path does not exist; the nearest name in the deepest directory that does is named."""
    parent, wanted = os.path.split(path.rstrip(os.sep) or path)
    while parent and not os.path.isdir(parent):
        parent, wanted = os.path.split(parent)
    near = difflib.get_close_matches(wanted, _names(parent), n=1, cutoff=0.5)
    return UnreadableError(path, "missing", "does not exist", f"nearest: {os.path.join(parent, near[0])}" if near else "")


def _names(directory: str) -> list[str]:
    try:
        with os.scandir(directory or os.curdir) as entries:
            return [entry.name for entry in islice(entries, NAMES_COMPARED)]
    except OSError:
        return []


def from_os(path: str, error: OSError) -> UnreadableError:
    """What the operating system refused, as one of ours."""
    if isinstance(error, FileNotFoundError):
        return missing(path)
    if isinstance(error, PermissionError):
        try:
            mode = f" (mode {os.stat(path).st_mode & 0o7777:04o})"
        except OSError:
            mode = ""
        return UnreadableError(path, "permission", f"permission denied{mode}")
    return UnreadableError(path, "broken", (error.strerror or "cannot be read").lower())


def unknown_format(path: str, head: bytes, do: str = "") -> UnreadableError:
    """The first four bytes are shown in hexadecimal."""
    return UnreadableError(path, "unknown-format", f"is in no format that is read (begins {head[:4].hex(' ')})", do)


def empty(path: str) -> UnreadableError:
    """A file of 0 bytes, with the reason where its name tells it."""
    name = os.path.basename(path)
    if "tfevents" in name:
        return UnreadableError(path, "empty", "is empty: event files are flushed late, as a rule every 120 s")
    if name == "progress.csv":
        return UnreadableError(path, "empty", "is empty: SB3 writes its first row when an episode ends")
    return UnreadableError(path, "empty", "is empty")


def lfs_pointer(path: str) -> UnreadableError:
    """What a repository cloned without Git LFS holds in a file's place."""
    return UnreadableError(path, "lfs", "is a Git LFS pointer", f"git lfs pull --include {os.path.normpath(path)}")


def is_lfs_pointer(head: bytes) -> bool:
    return head.startswith(b"version https://git-lfs.github.com/spec/")
