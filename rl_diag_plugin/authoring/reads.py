"""What a rule reads, and the view of one stretch of rows that its signal gets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ..knobs import Knob, Knobs
from ..metrics import Metric
from ..model import Floats


@dataclass(frozen=True, slots=True)
class AnyOf:
    """The first of these metrics that the run has: where one is absent the next stands for it."""

    options: tuple[Metric, ...]


@dataclass(frozen=True, slots=True)
class Maybe:
    """Read where it is there; the signal gets NaN in rows without it."""

    metric: Metric


@dataclass(frozen=True, slots=True)
class Earlier:
    """A metric on another cadence, joined at its nearest earlier step."""

    metric: Metric


Read: TypeAlias = Metric | AnyOf | Maybe | Earlier


def any_of(*metrics: Metric) -> AnyOf:
    return AnyOf(metrics)


def maybe(metric: Metric) -> Maybe:
    return Maybe(metric)


def earlier(metric: Metric) -> Earlier:
    return Earlier(metric)


def metric_names(read: Read) -> tuple[str, ...]:
    """The standard names that can serve this reading."""
    if isinstance(read, AnyOf):
        return tuple(m.name for m in read.options)
    return ((read.metric if isinstance(read, (Maybe, Earlier)) else read).name,)


class RowView:
    """A stretch of rows in which all that a rule must read was logged: one float64 array a metric, equal lengths.

    A signal is memoryless: entry *i* of its result depends on entry *i* of what it reads and on settings alone.
    """

    def __init__(self, values: Mapping[str, Floats], knobs: Knobs) -> None:
        self._values, self._knobs = values, knobs

    def __getitem__(self, read: Read) -> Floats:
        for name in metric_names(read):
            if name in self._values:
                return self._values[name]
        raise KeyError(f"{metric_names(read)[0]} is not among what this rule reads")

    def number(self, knob: Knob) -> float | None:
        """A setting's value where it is known and a number."""
        return self._knobs.number(knob)
