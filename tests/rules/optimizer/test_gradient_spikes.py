"""Rule gradient-spikes."""

from __future__ import annotations

import numpy as np
import pytest

from rl_diag_plugin.authoring import Example, constant, spiky
from rl_diag_plugin.metrics.update import GRAD_NORM
from rl_diag_plugin.rules.optimizer.gradient_spikes import gradient_spikes as rule
from rl_diag_plugin.testing import check_rule, run_example

from ..recordings import LONG, diagnose, ended


def judged(norm: np.ndarray) -> str:
    return ended(run_example(rule, Example({GRAD_NORM: norm})), rule.id)


def test_it_keeps_the_contract() -> None:
    check_rule(rule)


@pytest.mark.parametrize(("at", "severity"), [((95,), "info"), ((30, 60, 90), "warning"), ((60, 61, 63), "error")])
def test_their_number_decides_the_severity(at: tuple[int, ...], severity: str) -> None:
    assert severity == judged(spiky(0.4, 10.0, at))


def test_a_single_one_that_is_over_has_passed_and_is_still_said() -> None:
    report = run_example(rule, Example({GRAD_NORM: constant(0.4, 100) + 3.6 * (np.arange(100) == 60)}))
    assert ["from step 60, over: Gradient norm was 10 times its usual size, once, step 60"] == [p.note for p in report.passed]


def test_steps_without_a_gradient_are_left_out() -> None:
    """59 percent of the rows of one real run are exactly 0; with them every other row would be a spike."""
    norm = np.where(np.arange(300) % 5 < 3, 0.0, spiky(0.4, 1.0, (), n=300, spread=0.3))
    assert "passed" == judged(norm)


def test_a_run_without_any_gradient_has_no_usual_size() -> None:
    assert "not applicable: every gradient norm is 0: there is no usual size" == judged(constant(0.0))


def test_no_recorded_run_has_one() -> None:
    """lr_x20 comes nearest: 0.27 to 1.85."""
    reports = [diagnose(path.name) for path in sorted(LONG.iterdir()) if path.is_dir()]
    assert {
        "passed",
        "not applicable: every gradient norm is 0: there is no usual size",
        "could not be judged: too early, 17 more rows",
    } == {ended(report, rule.id) for report in reports}
