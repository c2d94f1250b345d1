"""The trainers that are known. A new one is a new package and one line here."""

from __future__ import annotations

from .areal import AREAL
from .base import CodeKnob, Framework, KnobPath, Reading, lookup, read_knobs
from .canonical import CANONICAL

FRAMEWORKS: dict[str, Framework] = {f.name: f for f in (AREAL, CANONICAL)}

__all__ = ["AREAL", "CANONICAL", "FRAMEWORKS", "CodeKnob", "Framework", "KnobPath", "Reading", "lookup", "read_knobs"]
