"""Made-up series for a rule's bad and good example: deterministic, one float64 array each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .knobs import Knob
from .metrics import Metric
from .model import Event, Floats


@dataclass(frozen=True)
class Example:
    """Series by metric, settings and events.

    A NaN is a row without a cell, but for the metrics in ``logged_nan``, where it is logged as NaN. ``every`` gives a metric a
    sparser cadence (rows between two cells). ``walls``: seconds between rows; ``silent_for``: seconds from the last row to the
    caller's clock.
    """

    series: Mapping[Metric, Floats] = field(default_factory=dict)
    knobs: Mapping[Knob, Any] = field(default_factory=dict)
    events: tuple[Event, ...] = ()
    every: Mapping[Metric, int] = field(default_factory=dict)
    logged_nan: frozenset[Metric] = frozenset()
    walls: float | None = None
    silent_for: float | None = None
    framework: str = "canonical"
    version: str | None = None

    @classmethod
    def of(cls, given: Example | Mapping[Metric, Floats]) -> Example:
        return given if isinstance(given, Example) else cls(series=given)


def noise(level: float, sd: float = 0.0, n: int = 100, seed: int = 0, least: float = -np.inf, most: float = np.inf) -> Floats:
    """Independent normal noise around a level, clipped to [least, most]."""
    return np.clip(level + sd * np.random.default_rng(seed).standard_normal(n), least, most)


def constant(value: float, n: int = 100) -> Floats:
    return np.full(n, float(value))


def step_change(a: float, b: float, at: int = 40, n: int = 100, sd: float = 0.0, seed: int = 0) -> Floats:
    """Level ``a`` before row ``at``, ``b`` from there on."""
    return np.where(np.arange(n) < at, a, b) + sd * np.random.default_rng(seed).standard_normal(n)


def ramp(a: float, b: float, start: int = 0, n: int = 100, end: int | None = None, sd: float = 0.0, seed: int = 0) -> Floats:
    """``a`` until row ``start``, then linearly to ``b`` at row ``end`` (the last one by default)."""
    stop = n - 1 if end is None else end
    x = np.clip((np.arange(n) - start) / max(stop - start, 1), 0.0, 1.0)
    return a + (b - a) * x + sd * np.random.default_rng(seed).standard_normal(n)


def shares(p: Floats | float, count: int, n: int = 100, seed: int = 0) -> Floats:
    """Shares of ``count`` samples, each with probability ``p`` (a number, or one a row)."""
    return np.random.default_rng(seed).binomial(count, p, n if np.isscalar(p) else np.size(p)) / count


def spiky(level: float, factor: float, at: tuple[int, ...], n: int = 100, spread: float = 0.1, seed: int = 0) -> Floats:
    """Log-normal noise around a level, multiplied by ``factor`` at the rows ``at``."""
    out = level * np.exp(spread * np.random.default_rng(seed).standard_normal(n))
    out[list(at)] *= factor
    return out
