"""The settings that matter to a diagnosis, under one name for all trainers. Every public constant is one Knob."""

from __future__ import annotations

import difflib

from . import logging, loss, offpolicy, optimizer, sampling
from .base import Knob, Knobs, KnobValue

KNOBS: dict[str, Knob] = {
    k.name: k for module in (sampling, offpolicy, optimizer, loss, logging) for k in vars(module).values() if isinstance(k, Knob)
}


def find_knob(name: str) -> Knob:
    """The knob of a standard name. Raises KeyError that names the nearest."""
    if name in KNOBS:
        return KNOBS[name]
    close = difflib.get_close_matches(name, KNOBS, 3, 0.5)
    raise KeyError(f"no setting {name}\nnearest: {', '.join(close) or ', '.join(sorted(KNOBS))}")


__all__ = ["KNOBS", "Knob", "KnobValue", "Knobs", "find_knob"]
