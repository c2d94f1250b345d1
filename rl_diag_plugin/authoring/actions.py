"""Remedies, causes and experiments as data: what a rule proposes, in words of no particular trainer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from ..knobs import Knob
from ..metrics import Metric
from .facts import Facts

Applicability: TypeAlias = Literal["safe", "review", "experiment", "code"]
When: TypeAlias = Callable[[Facts], bool]  # a remedy is shown only where this holds
Move: TypeAlias = Literal["rises", "falls", "steady", "moves"]


@dataclass(frozen=True, slots=True)
class Set:
    """Set a knob to a value."""

    knob: Knob
    to: Any
    why: str
    applicability: Applicability = "review"
    when: When | None = None


@dataclass(frozen=True, slots=True)
class Raise:
    knob: Knob
    factor: float
    why: str
    applicability: Applicability = "review"
    when: When | None = None


@dataclass(frozen=True, slots=True)
class Lower:
    """Divide a knob by ``factor``, but not below ``least``."""

    knob: Knob
    factor: float
    why: str
    least: float = 0.0
    applicability: Applicability = "review"
    when: When | None = None


@dataclass(frozen=True, slots=True)
class Enable:
    """Switch a mechanism on; in many trainers that is code, not a key."""

    knob: Knob
    why: str
    to: Any = True
    applicability: Applicability = "review"
    when: When | None = None


@dataclass(frozen=True, slots=True)
class Code:
    """A change in the user's program. ``by_framework`` overrides the general sentence."""

    text: str
    why: str
    by_framework: Mapping[str, str] = field(default_factory=dict)
    when: When | None = None


@dataclass(frozen=True, slots=True)
class Advice:
    """Something to do that is neither a key nor code."""

    text: str
    why: str = ""
    applicability: Applicability = "review"
    when: When | None = None


Remedy: TypeAlias = Set | Raise | Lower | Enable | Code | Advice


@dataclass(frozen=True, slots=True)
class Witness:
    """A metric to look at beside the finding: did it move with the onset?

    ``confirms``: the move that supports the finding; any other move speaks against it where ``otherwise`` is given and is
    context where not. ``says`` and ``otherwise`` end the evidence's sentence.
    """

    metric: Metric
    confirms: Move | None = None
    says: str = ""
    otherwise: str = ""


@dataclass(frozen=True, slots=True)
class Clue:
    """A move of a metric at the onset that speaks for or against a cause; at most 60 characters of text."""

    metric: Metric
    move: Move
    text: str


@dataclass(frozen=True, slots=True)
class Cause:
    """A suspected cause. ``rule``: the rule that would find it. ``when``: facts under which it can be."""

    title: str
    rule: str | None = None
    supports: tuple[Clue, ...] = ()
    against: tuple[Clue, ...] = ()
    unobserved: tuple[str, ...] = ()
    when: Callable[[Facts], bool] | None = None


@dataclass(frozen=True, slots=True)
class Next:
    """The next experiment: what to run, what it costs, what each outcome would mean (if, then)."""

    title: str
    cost: str
    predict: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Effect:
    """A rule whose finding follows from this one, ``lag`` steps later (first, last)."""

    rule: str
    lag: tuple[int, int] = (0, 100)
