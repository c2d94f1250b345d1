from __future__ import annotations

import numpy as np

from rl_diag_plugin.authoring import Example, constant, step_change
from rl_diag_plugin.metrics.actor import TASK_REWARD
from rl_diag_plugin.metrics.rollout import REWARD_STD
from rl_diag_plugin.rules.reward.reward_constant import reward_constant
from rl_diag_plugin.testing import check_rule, run_example

from ..recordings import diagnose, ended, finding, found


def batch(low: np.ndarray, high: np.ndarray, mean: np.ndarray) -> Example:
    return Example({TASK_REWARD.min: low, TASK_REWARD.max: high, TASK_REWARD: mean})


def test_keeps_the_contract() -> None:
    check_rule(reward_constant)


def test_names_the_constant_and_its_first_row() -> None:
    report = run_example(reward_constant, batch(constant(0), step_change(1, 0, at=40), step_change(0.7, 0, at=40)))
    (alarm,) = report.findings
    assert "Every response of the batch scores 0 since step 40" == alarm.headline
    assert ("error", 40) == (alarm.severity, alarm.onset.step)


def test_ten_rows_of_a_constant_fire_and_nine_do_not() -> None:
    nine, ten = (batch(constant(1, n), constant(1, n), constant(1, n)) for n in (9, 10))
    assert not run_example(reward_constant, nine).findings
    assert run_example(reward_constant, ten).findings


def test_a_row_with_one_other_reward_does_not_hide_a_constant() -> None:
    high = constant(0, 60)
    high[[8, 47, 51, 56]] = 1
    (alarm,) = run_example(reward_constant, batch(constant(0, 60), high, high / 128)).findings
    assert ("error", 0) == (alarm.severity, alarm.onset.step)


def test_a_reward_that_came_to_its_ceiling_by_learning_is_an_info() -> None:
    (alarm,) = run_example(reward_constant, batch(step_change(0, 1, at=60), constant(1), step_change(0.6, 1.0, at=60))).findings
    assert "info" == alarm.severity


def test_the_standard_deviation_stands_in_where_it_is_all_there_is() -> None:
    assert run_example(reward_constant, Example({REWARD_STD: step_change(0.4, 0, at=40)})).findings
    assert run_example(reward_constant, Example({REWARD_STD: constant(0.4)})).passed


def test_is_the_root_of_a_broken_verifier() -> None:
    report = diagnose("verifier_breaks_40")
    alarm = found(report, "reward-constant")
    assert ("error", "critical", None) == (alarm.own, alarm.severity, alarm.symptom_of)
    assert (41, 43) == (alarm.onset.lo, alarm.onset.hi)
    followers = {"reward-collapse", "zero-variance-groups", "zero-gradient-steps"}
    assert followers <= {f.id for f in report.findings if f.symptom_of == "reward-constant"}


def test_finds_every_constant_of_the_recordings_from_the_first_row() -> None:
    for run in ("constant_reward", "all_wrong", "truncated_all"):
        alarm = found(diagnose(run), "reward-constant")
        assert ("error", 0) == (alarm.own, alarm.onset.lo), run


def test_is_quiet_where_single_batches_are_all_right() -> None:
    for run in ("minibatches_8", "overfit", "lr_high", "healthy_s0"):
        assert finding(diagnose(run), "reward-constant") is None, run
        assert "passed" == ended(diagnose(run), "reward-constant")
