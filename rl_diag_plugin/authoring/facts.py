"""What is known of a run when a rule asks whether it applies: settings, which series there are, events. No series itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ..knobs import Knob, Knobs
from ..metrics import Metric
from ..model import Event, Measures, Version


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of rows in which something was wrong with one key: first and last step, how many rows, and whether it lasts."""

    start: int
    end: int
    rows: int
    open: bool
    kind: str  # "NaN", "inf", "-inf" or, for a value outside its domain, the value as text


@dataclass(frozen=True, slots=True)
class KeyFacts:
    """One logged key, or one canonical metric, over the whole run."""

    points: int
    first: int
    last: int
    rows_since: int  # rows of its own clock since it was last logged
    max_gap: int  # largest number of rows between two of its cells
    value: float | None  # last logged value
    nonfinite: int = 0
    spans: tuple[Span, ...] = ()
    low: float | None = None  # smallest and largest finite value
    high: float | None = None


@dataclass(frozen=True, slots=True)
class ReadAs:
    """How a canonical metric was had in this run."""

    key: str
    measures: Measures = "exact"
    caveat: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """``keys`` are the logged keys, ``series`` the canonical metrics by name. Steps are the trainer's."""

    knobs: Knobs = field(default_factory=Knobs)
    framework: str | None = None
    version: Version | None = None
    rows: int = 0
    first: int | None = None
    last: int | None = None
    keys: Mapping[str, KeyFacts] = field(default_factory=dict)
    series: Mapping[str, KeyFacts] = field(default_factory=dict)
    readings: Mapping[str, ReadAs] = field(default_factory=dict)
    events: Sequence[Event] = ()
    blind: Mapping[str, str] = field(default_factory=dict)  # metrics that this configuration makes read perfect, and why
    intermittent: frozenset[str] = frozenset()  # keys that vanish without any fault
    finished: bool = False
    silent_for: float | None = None  # seconds since the last row, by the caller's clock
    median_gap: float | None = None  # seconds between rows

    def has(self, metric: Metric) -> bool:
        """Whether the metric was ever logged with a finite value."""
        known = self.series.get(metric.name)
        return known is not None and known.points > known.nonfinite

    def value(self, metric: Metric) -> float | None:
        known = self.series.get(metric.name)
        return None if known is None else known.value

    def key(self, metric: Metric) -> str:
        """The run's own key of a metric; its standard name where it was not read."""
        reading = self.readings.get(metric.name)
        return metric.name if reading is None else reading.key


@dataclass(frozen=True, slots=True)
class Applies:
    """Whether a rule's failure can exist here: yes; no, because …; or it cannot be known before ``give`` is."""

    answer: Literal["yes", "no", "unknown"]
    reason: str = ""
    give: Knob | None = None


YES = Applies("yes")


def no(reason: str) -> Applies:
    return Applies("no", reason)


def unknown(reason: str, give: Knob | None = None) -> Applies:
    return Applies("unknown", reason, give)


def always(run: Facts) -> Applies:
    return YES


def is_true(run: Facts, knob: Knob) -> bool | None:
    """A switch's value; None where it is not known."""
    value: Any = run.knobs.value(knob)
    return value if isinstance(value, bool) else None
