"""A canonical setting of a trainer, and the values that a run's configuration gives it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Knob:
    """``name`` is what ``--set`` takes."""

    name: str
    meaning: str


@dataclass(frozen=True, slots=True)
class KnobValue:
    """What a run's configuration says of one knob, in the configuration's own words.

    ``source``: "config", "set" (given by the user), "log" (echoed in the metrics) or "default" (the trainer's own, unset).
    """

    value: Any
    key: str | None = None
    source: str = "config"


class Knobs(Mapping[Knob, KnobValue]):
    """The settings known of a run. ``get`` gives the entry, ``value`` the bare value or None where it is not known.

    A setting that is known to be null (``rejection_sampling: null``) is present with the value None.
    """

    def __init__(self, values: Mapping[Knob, KnobValue] | None = None) -> None:
        self._values = dict(values or {})

    def __getitem__(self, knob: Knob) -> KnobValue:
        return self._values[knob]

    def __iter__(self) -> Iterator[Knob]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def value(self, knob: Knob) -> Any:
        entry = self._values.get(knob)
        return None if entry is None else entry.value

    def number(self, knob: Knob) -> float | None:
        """The value where it is a number (booleans are none), else None."""
        value = self.value(knob)
        return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None

    def over(self, other: Mapping[Knob, KnobValue]) -> Knobs:
        """These settings, with ``other`` where this one is silent."""
        return Knobs({**other, **self._values})
