"""Versions of trainers: comparable tuples of numbers."""

from __future__ import annotations

import re
from typing import TypeAlias

Version: TypeAlias = tuple[int, ...]


def parse_version(text: str) -> Version:
    """``"1.0.4.post1"`` → ``(1, 0, 4)``. Raises ValueError where no number leads."""
    found = re.match(r"v?(\d+(?:\.\d+)*)", text.strip())
    if not found:
        raise ValueError(f"{text!r} is no version; expected numbers with dots, e.g. 1.0.4")
    return tuple(int(part) for part in found.group(1).split("."))


def version_text(version: Version | None) -> str | None:
    return None if version is None else ".".join(map(str, version))


def holds(version: Version | None, since: Version | None, until: Version | None) -> bool:
    """Whether ``since <= version < until``; an unknown version counts as the newest."""
    if version is None:
        return until is None
    return (since is None or version >= since) and (until is None or version < until)
