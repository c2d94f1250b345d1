"""Logs that carry the standard names themselves: what our own wrapper emits, and runs mapped by hand."""

from __future__ import annotations

from ..metrics import METRICS
from .base import Framework, Reading

_SUFFIXES = ("", "/max", "/min", "/std", "/lower", "/upper")

CANONICAL = Framework(
    name="canonical",
    title="standard names",
    readings=tuple(
        Reading(name + suffix, (name + suffix,)) for name in METRICS for suffix in _SUFFIXES if name + suffix not in METRICS or not suffix
    ),
    decisive=frozenset(),
    typical=frozenset(),
    knob_paths={},
)
