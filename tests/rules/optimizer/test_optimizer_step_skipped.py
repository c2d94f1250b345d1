"""Rule optimizer-step-skipped."""

from __future__ import annotations

import numpy as np

from rl_diag_plugin.authoring import Example, constant
from rl_diag_plugin.metrics.update import GRAD_NORM, UPDATE_SUCCESSFUL
from rl_diag_plugin.rules.optimizer.optimizer_step_skipped import optimizer_step_skipped as rule
from rl_diag_plugin.testing import check_rule, run_example

from ..recordings import diagnose, ended, found

AT = np.arange(60)


def example(rows: np.ndarray, taken: float = 0.5) -> Example:
    """Steps skipped in these rows, with the gradient norm that goes with it."""
    norm = np.where(rows, np.nan, 0.4)
    return Example({UPDATE_SUCCESSFUL: np.where(rows, taken, 1.0), GRAD_NORM: norm}, logged_nan=frozenset({GRAD_NORM}))


def test_it_keeps_the_contract() -> None:
    check_rule(rule)


def test_one_row_is_a_warning_that_is_over() -> None:
    finding = found(run_example(rule, example(AT == 40)), rule.id)
    assert ("warning", False, 40) == (finding.worst, finding.active, finding.onset.step)
    assert "50 % of the optimizer steps of step 40 were skipped" == finding.headline


def test_three_rows_in_a_row_are_an_error() -> None:
    assert "error" == ended(run_example(rule, example((AT >= 40) & (AT < 43))), rule.id)


def test_three_rows_apart_are_a_warning() -> None:
    assert "warning" == ended(run_example(rule, example(np.isin(AT, (20, 30, 40)))), rule.id)


def test_no_step_ever_taken_is_an_error_by_itself() -> None:
    assert "error" == ended(run_example(rule, Example({UPDATE_SUCCESSFUL: constant(0.0, 20)})), rule.id)


def test_the_recorded_nan_gradient_cost_half_of_one_step() -> None:
    finding = found(diagnose("nan_gradient_40"), rule.id)
    assert ("warning", False, 40) == (finding.worst, finding.active, finding.onset.step)
    assert "non-finite-metric" == finding.symptom_of


def test_healthy_runs_take_every_step() -> None:
    for name in ("healthy_s0", "sync_guide", "minibatches_8", "lr_high"):
        assert "passed" == ended(diagnose(name), rule.id)
