"""Severities, and the limits of a rule with their sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Severity: TypeAlias = Literal["note", "info", "warning", "error", "critical"]
Side: TypeAlias = Literal["above", "below"]
SEVERITIES: tuple[Severity, ...] = ("note", "info", "warning", "error", "critical")


def rank(severity: Severity | None) -> int:
    """0 for none, 1 for note … 5 for critical."""
    return 0 if severity is None else SEVERITIES.index(severity) + 1


@dataclass(frozen=True, slots=True)
class Limit:
    """A value that the detector's statistic must not pass, the severity it then has, and where the number comes from.

    ``se`` is the second gate of detectors that test against their own noise (drawdown): standard errors. ``source`` is a
    short citation or the word "practice".
    """

    value: float
    severity: Severity
    source: str
    side: Side = "above"
    se: float | None = None


def above(value: float, severity: Severity, source: str) -> Limit:
    """The statistic must stay at or below ``value``."""
    return Limit(value, severity, source)


def below(value: float, severity: Severity, source: str) -> Limit:
    """The statistic must stay at or above ``value``."""
    return Limit(value, severity, source, "below")


def loses(share: float, severity: Severity, source: str, *, se: float) -> Limit:
    """Drawdown: must not lose ``share`` of the rise since the start, by more than ``se`` standard errors of its mean."""
    return Limit(share, severity, source, "above", se)
