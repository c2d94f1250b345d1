"""The exit code of ``check``: part of what is promised to stay."""

from __future__ import annotations

from collections.abc import Sequence

from ..model import Report, rank
from .errors import UNUSABLE

FAIL_ON = ("critical", "error", "warning", "cannot-tell", "never")


def exit_code(reports: Sequence[Report], unusable: bool, fail_on: str) -> int:
    """0: nothing active at ``fail_on``; 1: something is; 2: an input that was named gave no report, which wins over 1.

    Each word includes those before it: ``cannot-tell`` fails on an active warning and on a run that could not be judged.
    """
    if unusable:
        return UNUSABLE
    return int(any(_fails(report, fail_on) for report in reports))


def _fails(report: Report, fail_on: str) -> bool:
    if fail_on == "never":
        return False
    least = rank("warning") if fail_on == "cannot-tell" else rank(fail_on)  # type: ignore[arg-type]
    if any(finding.active and rank(finding.severity) >= least for finding in report.findings):
        return True
    return fail_on == "cannot-tell" and report.verdict == "cannot-tell"
