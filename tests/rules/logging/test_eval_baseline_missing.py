"""Rule eval-baseline-missing."""

from __future__ import annotations

import numpy as np

from rl_diag_plugin.authoring import Example, constant
from rl_diag_plugin.knobs.logging import EVAL_INTERVAL
from rl_diag_plugin.metrics.rollout import EVAL_REWARD, ROLLOUT_REWARD
from rl_diag_plugin.rules.logging.eval_baseline_missing import eval_baseline_missing as rule
from rl_diag_plugin.testing import check_rule, run_example

from ..recordings import diagnose, ended, found

REWARD = constant(0.4, 60)


def test_it_keeps_the_contract() -> None:
    check_rule(rule)


def test_a_value_at_the_first_step_is_a_baseline() -> None:
    first = np.where(np.arange(60) == 0, 0.3, np.nan)
    assert "passed" == ended(run_example(rule, Example({ROLLOUT_REWARD: REWARD, EVAL_REWARD: first})), rule.id)


def test_no_evaluation_is_a_blind_spot_and_no_finding() -> None:
    report = run_example(rule, Example({ROLLOUT_REWARD: REWARD}))
    assert "could not be judged: no held-out evaluation is logged" == ended(report, rule.id)
    assert (EVAL_REWARD.name,) == report.skipped[0].missing


def test_an_evaluation_that_is_not_due_is_waited_for() -> None:
    report = run_example(rule, Example({ROLLOUT_REWARD: REWARD}, {EVAL_INTERVAL: 100}))
    assert 40 == report.skipped[0].rows_needed


def test_the_trainers_own_switch_is_proposed() -> None:
    finding = found(diagnose("healthy_s0"), rule.id)
    assert ("info", "No held-out score of the start: the first is at step 9") == (finding.worst, finding.headline)
    assert "evaluator.eval_before_train=true" in [remedy.copy for remedy in finding.remedies]


def test_it_does_not_change_the_verdict_of_a_healthy_run() -> None:
    assert "healthy" == diagnose("healthy_s0").verdict
