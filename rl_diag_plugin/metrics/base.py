"""A canonical quantity: standard name, meaning, unit and domain."""

from __future__ import annotations

import dataclasses
import functools
import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Metric:
    """A bare ``name`` is the mean over the batch; other statistics are a suffix (``.max`` → ``…/max``).

    ``label``: at most 25 characters. ``unit``: "" (pure number), "%" (a share in [0, 1], shown in percent), nats, tokens …
    ``lo`` and ``hi`` bound what the quantity can be by definition.
    """

    name: str
    label: str
    meaning: str
    unit: str = ""
    lo: float = -math.inf
    hi: float = math.inf

    @property
    def max(self) -> Metric:
        return _part(self, "max", "max")

    @property
    def min(self) -> Metric:
        return _part(self, "min", "min")

    @property
    def std(self) -> Metric:
        return _part(self, "std", "spread")

    @property
    def lower(self) -> Metric:
        """A proven lower bound of the quantity, where the log holds no more."""
        return _part(self, "lower", "least")

    @property
    def upper(self) -> Metric:
        """A proven upper bound of the quantity, where the log holds no more."""
        return _part(self, "upper", "most")


@functools.cache
def _part(metric: Metric, suffix: str, word: str) -> Metric:
    label = f"{metric.label}, {word}"
    return dataclasses.replace(metric, name=f"{metric.name}/{suffix}", label=label if len(label) <= 25 else label[:24] + "…")


def share(name: str, label: str, meaning: str) -> Metric:
    """A fraction in [0, 1]."""
    return Metric(name, label, meaning, "%", 0.0, 1.0)


def positive(name: str, label: str, meaning: str, unit: str = "") -> Metric:
    """A quantity that is never negative."""
    return Metric(name, label, meaning, unit, 0.0)
