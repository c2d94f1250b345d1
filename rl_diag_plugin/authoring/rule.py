"""``@rule``: one failure as data — what it reads, when it applies, a memoryless signal, one detector, limits, words."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from ..detectors import Detector
from ..examples import Example
from ..metrics import Metric
from ..model import Floats, Limit, Severity, rank
from .actions import Cause, Effect, Next, Remedy, Witness
from .facts import Applies, Facts, always
from .reads import Read, RowView, metric_names

Signal: TypeAlias = Callable[[RowView], Floats]


@dataclass(frozen=True, slots=True)
class Found:
    """What a message may use. Values are in the signal's unit; ``before`` is None where the fault was there from the start."""

    value: float  # the statistic now, or its worst where the episode is over
    peak: float
    before: float | None
    after: float  # median of the last rows of the episode
    limit: Limit
    active: bool
    start: int
    last: int
    rows: int  # judged rows since the onset
    facts: Mapping[str, Any]  # of the detector
    run: Facts
    unit: str = ""


Message: TypeAlias = str | Callable[[Found], str]


@dataclass(frozen=True, slots=True)
class Fired:
    """A failure that was read from facts (configuration, events, the ledger of keys)."""

    severity: Severity
    headline: str
    step: int | None = None
    active: bool = True
    end: int | None = None
    episodes: tuple[tuple[int, int], ...] = ()
    measured: str = ""
    evidence: tuple[tuple[str, str | None, str], ...] = ()  # (role, key, text)
    config: tuple[str, ...] = ()
    metric: Metric | None = None
    key: str | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Clear:
    """Judged, and nothing found; ``first`` is the step from which it could be."""

    first: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class CannotTell:
    """It could matter here and cannot be judged. ``missing``: metrics; ``give``: what would end it, in words."""

    reason: str
    missing: tuple[Metric, ...] = ()
    give: str = ""
    rows_needed: int | None = None


@dataclass(frozen=True, slots=True)
class NotHere:
    """This algorithm or configuration has no such failure."""

    reason: str


Outcome: TypeAlias = Fired | Clear | CannotTell | NotHere
Judge: TypeAlias = Callable[[Facts], Outcome]


@dataclass(frozen=True, slots=True)
class Rule:
    """One failure. Either ``signal`` with ``reads``, ``detector`` and ``limits``, or ``judge`` over facts."""

    id: str
    chapter: str
    doc: str
    severities: tuple[Severity, ...]
    message: Message = ""
    reads: tuple[Read, ...] = ()
    detector: Detector | None = None
    limits: tuple[Limit, ...] = ()
    signal: Signal | None = None
    judge: Judge | None = None
    applies: Callable[[Facts], Applies] = always
    unit: str = ""
    label: str = ""
    measured: Message = ""  # the number in words, where the statistic itself says little (an indicator)
    log_onset: bool = False
    exact_onset: bool = False
    onset_method: Literal["split", "hinge"] = "split"
    witnesses: tuple[Witness, ...] = ()
    causes: tuple[Cause, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    explains: tuple[Effect, ...] = ()
    next: Next | None = None
    checked: Callable[[Found], Sequence[tuple[str, str]]] | None = None
    severity_cap: Callable[[Facts], Severity | None] | None = None
    bad: Example = field(default_factory=Example)
    good: Example = field(default_factory=Example)

    @property
    def title(self) -> str:
        return self.doc.strip().splitlines()[0]

    @property
    def metrics(self) -> tuple[str, ...]:
        """Standard names of all that it may read, in the order of ``reads``."""
        return tuple(dict.fromkeys(name for read in self.reads for name in metric_names(read)))

    def sections(self) -> dict[str, str]:
        """The docstring's named paragraphs: ``Why it matters: …`` → text on one line."""
        body = inspect.cleandoc(self.doc)
        found = re.findall(r"^([A-Z][A-Za-z ]+): (.+?)(?=^\s*$|\Z)", body, re.M | re.S)
        return {name: " ".join(text.split()) for name, text in found}


SECTIONS = ("Why it matters", "How it is measured", "What it misses", "Known false alarms", "Source")


def rule(
    *,
    detector: Detector,
    reads: Sequence[Read],
    limits: Sequence[Limit],
    message: Message,
    bad: Example | Mapping[Metric, Floats],
    good: Example | Mapping[Metric, Floats],
    **more: Any,
) -> Callable[[Signal], Rule]:
    """A rule over series. Further arguments are fields of ``Rule`` (applies, unit, witnesses, causes, remedies …).

    The function's name gives the id, its module's package the chapter, its docstring the documentation.
    """

    def make(signal: Signal) -> Rule:
        ordered = tuple(sorted(limits, key=lambda limit: rank(limit.severity)))
        return Rule(
            detector=detector,
            reads=tuple(reads),
            limits=ordered,
            signal=signal,
            message=message,
            severities=tuple(limit.severity for limit in ordered),
            bad=Example.of(bad),
            good=Example.of(good),
            **_identity(signal),
            **more,
        )

    return make


def fact_rule(
    *,
    severities: Sequence[Severity],
    bad: Example | Mapping[Metric, Floats],
    good: Example | Mapping[Metric, Floats],
    reads: Sequence[Read] = (),
    **more: Any,
) -> Callable[[Judge], Rule]:
    """A rule over what is known of a run: its configuration, its events, which keys there are. Judged when a report is made."""

    def make(judge: Judge) -> Rule:
        return Rule(
            judge=judge,
            reads=tuple(reads),
            severities=tuple(sorted(severities, key=rank)),
            bad=Example.of(bad),
            good=Example.of(good),
            **_identity(judge),
            **more,
        )

    return make


def _identity(function: Callable[..., Any]) -> dict[str, Any]:
    if not function.__doc__:
        raise ValueError(f"rule {function.__name__} has no docstring; it is the rule's documentation")
    return {
        "id": function.__name__.replace("_", "-"),
        "chapter": function.__module__.rsplit(".", 2)[-2],
        "doc": inspect.cleandoc(function.__doc__),
    }
