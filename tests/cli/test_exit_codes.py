"""The exit code of ``check`` is promised: 0 nothing, 1 something at --fail-on, 2 unusable, which wins."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rl_diag_plugin import Report, check
from rl_diag_plugin.cli.exits import FAIL_ON, exit_code
from rl_diag_plugin.model import Confidence, Finding, Onset, Severity, Verdict


def report(*findings: Finding, verdict: Verdict = "unhealthy") -> Report:
    (empty,) = check([{"step": 0, "loss": 1.0}])
    return replace(empty, findings=findings, verdict=verdict)


def finding(severity: Severity, *, active: bool = True) -> Finding:
    return Finding(
        id="x", rule="x", severity=severity, own=severity, worst=severity, active=active, symptom_of=None, headline="x",
        onset=Onset(0, 0, 0, "exact"), episodes=(), metric=None, key=None, measured="", limits=(), statistic=None, baseline=None,
        evidence=(), confidence=Confidence("high", ()), causes=(), remedies=(), next=None, checked=(),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("severity", "failing"),
    [
        ("critical", {"critical", "error", "warning", "cannot-tell"}),
        ("error", {"error", "warning", "cannot-tell"}),
        ("warning", {"warning", "cannot-tell"}),
        ("info", set()),
        ("note", set()),
    ],
)
def test_an_active_finding_fails_at_its_severity_and_the_milder_words(severity: Severity, failing: set[str]) -> None:
    codes = {word: exit_code([report(), report(finding(severity))], False, word) for word in FAIL_ON}

    assert {word: int(word in failing) for word in FAIL_ON} == codes


@pytest.mark.parametrize("word", FAIL_ON)
def test_a_finding_that_is_over_never_fails(word: str) -> None:
    assert 0 == exit_code([report(finding("critical", active=False))], False, word)


def test_cannot_tell_fails_only_where_that_is_asked_for() -> None:
    codes = [exit_code([report(verdict="cannot-tell")], False, word) for word in FAIL_ON]

    assert [int(word == "cannot-tell") for word in FAIL_ON] == codes


@pytest.mark.parametrize("word", FAIL_ON)
def test_an_input_that_cannot_be_used_wins_over_findings(word: str) -> None:
    assert 2 == exit_code([report(finding("critical"))], True, word)


def test_no_run_at_all_is_no_failure_by_itself() -> None:
    assert 0 == exit_code([], False, "cannot-tell")
