"""Saved state as strict JSON: floats that are not finite, numpy scalars and tuples have a plain form."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

_MARK = "~float"


def strict(value: Any) -> Any:
    """Plain lists, dicts, strings and finite numbers."""
    if isinstance(value, dict):
        return {str(k): strict(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [strict(v) for v in value]
    if isinstance(value, np.generic):
        return strict(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return {_MARK: repr(value)}
    return value


def lax(value: Any) -> Any:
    """The inverse of ``strict``."""
    if isinstance(value, dict):
        return float(value[_MARK]) if set(value) == {_MARK} else {k: lax(v) for k, v in value.items()}
    if isinstance(value, list):
        return [lax(v) for v in value]
    return value
