"""Shapes: one a severity and a verdict, filled while it lasts, outlined when it is over. Every shape stands beside its word."""

from __future__ import annotations

from typing import Literal, TypeAlias

from ...model import Finding, Report, Role, Severity, rank

Look: TypeAlias = Literal["", "bold", "dim", "critical", "error", "warning", "info", "note", "passed"]

FILLED: dict[Severity, str] = {"critical": "◆", "error": "■", "warning": "▲", "info": "●", "note": "–"}
OUTLINED: dict[Severity, str] = {"critical": "◇", "error": "□", "warning": "△", "info": "○", "note": "–"}
HEALTHY, CANNOT_TELL = "✓", "?"
ROLES: dict[Role, str] = {"signal": "·", "confirms": "+", "against": "−", "context": "·"}


def finding_mark(finding: Finding) -> str:
    return (FILLED if finding.active else OUTLINED)[finding.severity]


def verdict_mark(report: Report) -> tuple[str, Look]:
    """The shape of a verdict and its colour."""
    if report.verdict == "healthy":
        return HEALTHY, "passed"
    if report.verdict == "cannot-tell":
        return CANNOT_TELL, ""
    if report.verdict == "watch":
        return FILLED["warning"], "warning"
    severity: Severity = report.rank if report.rank is not None and rank(report.rank) >= rank("error") else "error"
    return FILLED[severity], severity


def run_mark(report: Report, worst: Finding | None) -> tuple[str, Look]:
    """In a list of runs: the shape of the worst finding where there is one, so that what is over is seen to be over."""
    if worst is None or report.verdict in ("healthy", "cannot-tell"):
        return verdict_mark(report)
    return finding_mark(worst), worst.severity
