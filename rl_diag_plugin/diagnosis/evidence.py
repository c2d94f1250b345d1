"""What other metrics did at the onset: before and after, in words, as evidence for or against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..authoring import Clue, Facts, Witness
from ..metrics import Metric, find_metric
from ..model import Evidence, Role
from ..wording import change, number, quantity, share

if TYPE_CHECKING:
    from .engine import Diagnosis

BEFORE = 20  # values before the onset
AFTER = 10  # values at the end of the episode
_CLEAR = 3.0  # robust standard deviations that a move must exceed
_LEAST = 0.1  # of the level before, so that a quiet series' jitter is no move


@dataclass(frozen=True, slots=True)
class Moved:
    """A metric around an onset: medians before and at the end of the episode (None where there is nothing before)."""

    before: float | None
    after: float
    rises: bool = False
    falls: bool = False

    def matches(self, move: str) -> bool:
        if move == "moves":
            return self.rises or self.falls
        if move == "steady":
            return self.before is not None and not (self.rises or self.falls)
        return self.rises if move == "rises" else self.falls


class Witnesses:
    """Moves of a run's metrics around one episode."""

    def __init__(self, run: Diagnosis, facts: Facts, onset: int | None, end: int | None) -> None:
        self._run, self._facts, self._onset, self._end = run, facts, onset, end

    def moved(self, metric: Metric) -> Moved | None:
        """None where the metric is not logged or has no finite value in the episode."""
        trace = self._run._traces.get(metric.name)
        if trace is None or self._onset is None:
            return None
        steps, values = trace.steps(), trace.mean()
        good = np.isfinite(values)
        steps, values = steps[good], values[good]
        before = values[steps < self._onset][-BEFORE:]
        inside = values[(steps >= self._onset) & (steps <= (self._end if self._end is not None else np.inf))]
        if not len(inside):
            return None
        after = float(np.median(inside[-AFTER:]))
        if len(before) < 2:
            return Moved(None, after)
        level = float(np.median(before))
        spread = 1.4826 * min(float(np.median(np.abs(before - level))), float(np.median(np.abs(np.diff(before)))) / np.sqrt(2))
        gate = max(_CLEAR * spread, _LEAST * abs(level), 1e-12)
        return Moved(level, after, after - level > gate, level - after > gate)

    def holds(self, clue: Clue) -> bool | None:
        """Whether a clue's move was seen; None where its metric is not logged."""
        moved = self.moved(clue.metric)
        return None if moved is None else moved.matches(clue.move)

    def evidence(self, witness: Witness, rank: int) -> Evidence | None:
        moved = self.moved(witness.metric)
        if moved is None:
            return None
        role: Role = "context"
        says = witness.says if witness.confirms is None else ""
        if witness.confirms is not None and moved.before is not None:
            if moved.matches(witness.confirms):
                role, says = "confirms", witness.says
            elif witness.otherwise:
                role, says = "against", witness.otherwise
        text = _numbers(moved, witness.metric)
        return Evidence(
            witness.metric.name,
            self._facts.key(witness.metric),
            role,
            f"{text}: {says}" if says else text,
            rank,
            label_of(witness.metric.name),
        )


def _numbers(moved: Moved, metric: Metric) -> str:
    if moved.before is None:
        return quantity(moved.after, metric.unit)
    show = share if metric.unit == "%" else number
    if show(moved.before) == show(moved.after):
        return f"{quantity(moved.after, metric.unit)}, as before"
    return change(moved.before, moved.after, metric.unit)


def label_of(name: str) -> str:
    try:
        return find_metric(name).label
    except KeyError:
        return name


def unit_of(name: str) -> str:
    try:
        return find_metric(name).unit
    except KeyError:
        return ""
