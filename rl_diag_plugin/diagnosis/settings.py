"""What is known of a run's settings: given by the user, from its configuration, echoed in its metrics, the trainer's defaults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..frameworks import read_knobs
from ..knobs import Knob, Knobs, KnobValue
from .detection import Detected


def merged(a: Mapping[str, Any], b: Mapping[str, Any]) -> dict[str, Any]:
    """Nested mappings, ``b`` over ``a``."""
    out = dict(a)
    for key, value in b.items():
        old = out.get(key)
        out[key] = merged(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return out


def settings(detected: Detected, config: Mapping[str, Any], given: Mapping[Knob, KnobValue], row: Mapping[str, float]) -> Knobs:
    """The user's word first, then the configuration, then what the metrics echo, then the trainer's defaults."""
    framework = detected.framework
    read = read_knobs(framework, config, detected.version)
    sure = {k: v for k, v in read.items() if v.source != "default"}
    keyed = {k: _with_key(v, k, detected) for k, v in given.items()}
    return Knobs(keyed).over(sure).over(framework.infer(row)).over(read)


def _with_key(value: KnobValue, knob: Knob, detected: Detected) -> KnobValue:
    """A value from the user, with the key that the trainer has for it."""
    path = detected.framework.path_of(knob, detected.version)
    return KnobValue(value.value, None if path is None else path.path, value.source)
