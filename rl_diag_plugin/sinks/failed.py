"""An input that gave no report."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Failed:
    """``kind`` and ``reason`` are what files with the same trouble are listed under; ``do``: what to do."""

    path: str
    kind: str
    reason: str
    do: str = ""
