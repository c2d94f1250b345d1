"""Rule step-not-monotonic."""

from __future__ import annotations

from collections.abc import Iterable

from rl_diag_plugin.api import check
from rl_diag_plugin.model import Report
from rl_diag_plugin.rules.logging.step_not_monotonic import step_not_monotonic as rule
from rl_diag_plugin.testing import check_rule

from ..recordings import diagnose, ended, found


def logged(steps: Iterable[int]) -> Report:
    (report,) = check([{"step": step, "loss": 1.0} for step in steps], select=(rule.id,))
    return report


def test_it_keeps_the_contract() -> None:
    check_rule(rule)


def test_one_resume_is_information_and_over() -> None:
    finding = found(logged([*range(40), *range(30, 60)]), rule.id)
    assert ("info", False, 30) == (finding.worst, finding.active, finding.onset.step)
    assert "Steps go back once, to step 30: a resume" == finding.headline


def test_two_writers_are_a_warning() -> None:
    finding = found(logged(step for pair in zip(range(50, 100), range(50), strict=True) for step in pair), rule.id)
    assert ("warning", True) == (finding.worst, finding.active)
    assert finding.headline.endswith("suspected two writers") and len(finding.headline) <= 66


def test_a_job_that_is_preempted_now_and_then_is_information() -> None:
    assert "info" == ended(logged(step for k in range(5) for step in range(200 * k, 200 * k + 250)), rule.id)


def test_equal_steps_are_one_row() -> None:
    assert "passed" == ended(logged([0, 0, 1, 1, 2, 2, 3, 3]), rule.id)


def test_recorded_runs_pass() -> None:
    for name in ("healthy_s0", "truncated_all", "dynamic_filter"):
        assert "passed" == ended(diagnose(name), rule.id)
