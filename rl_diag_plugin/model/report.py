"""The report: the one contract that every view draws. Plain frozen data; ``to_json`` gives strict JSON values."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from .limits import Severity, Side

Verdict: TypeAlias = Literal["healthy", "watch", "unhealthy", "cannot-tell"]
RunState: TypeAlias = Literal["running", "finished", "stopped"]
Measures: TypeAlias = Literal["exact", "upper-bound", "lower-bound", "diluted", "smoothed", "lagged", "post-cap", "proxy"]
Role: TypeAlias = Literal["signal", "confirms", "against", "context"]


@dataclass(frozen=True, slots=True)
class Episode:
    """One stretch of one severity. ``end`` is the last row over the limit; ``resolved`` the row at which that was known."""

    start: int
    fired: int
    end: int | None
    resolved: int | None
    peak: float | None
    severity: Severity


@dataclass(frozen=True, slots=True)
class Onset:
    """``lo`` … ``hi`` hold the first step of the fault; ``method``: exact, split, start (already so in the first row), config."""

    step: int | None
    lo: int | None
    hi: int | None
    method: str
    time: float | None = None


@dataclass(frozen=True, slots=True)
class LimitShown:
    value: float
    side: Side
    severity: Severity
    source: str
    text: str  # "5 %", "0.1 nats"
    binding: bool


@dataclass(frozen=True, slots=True)
class Statistic:
    """What the limits are for: its name in words, the trace it is drawn from and its rolling window in rows."""

    trace: str
    label: str
    points: tuple[float | None, ...]  # parallel to the trace's buckets
    value: float | None


@dataclass(frozen=True, slots=True)
class Baseline:
    first: int
    last: int
    value: float


@dataclass(frozen=True, slots=True)
class Evidence:
    metric: str | None
    key: str | None
    role: Role
    text: str
    rank: int = 0
    label: str = ""


@dataclass(frozen=True, slots=True)
class Confidence:
    level: Literal["high", "medium", "low"]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SuspectedCause:
    title: str
    rank: int
    rule: str | None = None
    supporting: tuple[str, ...] = ()
    contradicting: tuple[str, ...] = ()
    unobserved: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RemedyShown:
    """``kind``: set (key, old, new), code (a change in the program), advice. ``copy`` is exactly what to paste."""

    kind: Literal["set", "code", "advice"]
    applicability: Literal["safe", "review", "experiment", "code"]
    text: str
    why: str
    key: str | None = None
    old: str | None = None
    new: str | None = None
    copy: str | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class NextExperiment:
    title: str
    cost: str
    predict: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Finding:
    id: str
    rule: str
    severity: Severity
    own: Severity
    worst: Severity
    active: bool
    symptom_of: str | None
    headline: str
    onset: Onset
    episodes: tuple[Episode, ...]
    metric: str | None
    key: str | None
    measured: str
    limits: tuple[LimitShown, ...]
    statistic: Statistic | None
    baseline: Baseline | None
    evidence: tuple[Evidence, ...]
    confidence: Confidence
    causes: tuple[SuspectedCause, ...]
    remedies: tuple[RemedyShown, ...]
    next: NextExperiment | None
    checked: tuple[tuple[str, str], ...]
    config: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Enabling:
    """What to switch on so that rules can speak: a key of the run's configuration with its value, or a sentence."""

    text: str
    key: str | None = None
    value: str | None = None
    was: str | None = None
    copy: str | None = None
    cost: str = ""
    shows: str = ""


@dataclass(frozen=True, slots=True)
class Skipped:
    """Rules that could matter here and could not be judged, with what would end it."""

    rules: tuple[str, ...]
    reason: str
    missing: tuple[str, ...] = ()
    rows_needed: int | None = None
    enable: Enabling | None = None


@dataclass(frozen=True, slots=True)
class NotApplicable:
    rule: str
    reason: str


@dataclass(frozen=True, slots=True)
class Passed:
    rule: str
    first: int | None  # the step from which the rule could judge; JSON calls it "from"
    note: str = ""


@dataclass(frozen=True, slots=True)
class ReadingUsed:
    key: str
    metric: str
    measures: Measures
    caveat: str
    points: int
    nonfinite: int
    last: float | None


@dataclass(frozen=True, slots=True)
class Trace:
    """At most 2,000 buckets of ``width`` logged points. ``min`` and ``max`` are left out where ``width`` is 1."""

    steps: tuple[int, ...]
    points: int
    width: int
    mean: tuple[float | None, ...]
    min: tuple[float | None, ...] | None
    max: tuple[float | None, ...] | None
    nonfinite: tuple[dict[str, Any], ...] = ()
    gaps: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class EventShown:
    step: int | None
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Report:
    """The diagnosis of one run."""

    run: str
    source: str
    path: str
    framework: str | None
    version: str | None
    trainer: str
    state: RunState
    provisional: bool
    updated: float | None
    planned: int | None
    steps: tuple[int, int] | None
    rows: int
    verdict: Verdict
    rank: Severity | None
    summary: str
    counts: dict[str, int]
    main: str | None
    findings: tuple[Finding, ...]
    skipped: tuple[Skipped, ...]
    not_applicable: tuple[NotApplicable, ...]
    passed: tuple[Passed, ...]
    readings: tuple[ReadingUsed, ...]
    caveats: tuple[str, ...]
    unmapped: tuple[str, ...]
    events: tuple[EventShown, ...]
    config: dict[str, Any]
    traces: dict[str, Trace]
    metrics: dict[str, dict[str, str]] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Strict JSON values: no NaN, no infinity; a value that is not finite is null."""
        out: dict[str, Any] = plain(self)
        out.pop("metrics")
        return out


_RENAMED = {"first": "from", "last": "to"}


def plain(value: Any) -> Any:
    """Dataclasses → dicts, tuples → lists, floats that are not finite → None."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        rename = _RENAMED if isinstance(value, (Passed, Baseline)) else {}
        return {rename.get(f.name, f.name): plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value
