from __future__ import annotations

from rl_diag_plugin.authoring import Example, constant
from rl_diag_plugin.metrics.actor import TASK_REWARD
from rl_diag_plugin.metrics.rollout import ROLLOUT_REWARD
from rl_diag_plugin.rules.reward.reward_saturated import reward_saturated
from rl_diag_plugin.testing import check_rule, run_example

from ..recordings import diagnose, finding, found


def test_keeps_the_contract() -> None:
    check_rule(reward_saturated)


def test_is_an_info_from_nine_tenths_and_a_warning_where_next_to_nothing_is_left() -> None:
    for level, severity in ((0.93, "info"), (0.999, "warning")):
        (alarm,) = run_example(reward_saturated, Example({ROLLOUT_REWARD: constant(level)})).findings
        assert severity == alarm.severity


def test_a_reward_of_another_range_has_no_known_ceiling() -> None:
    assert run_example(reward_saturated, Example({ROLLOUT_REWARD: constant(3.0)})).not_applicable
    partial = Example({ROLLOUT_REWARD: constant(0.95), TASK_REWARD.max: constant(0.97)})
    assert run_example(reward_saturated, partial).not_applicable


def test_healthy_runs_that_have_learnt_get_an_info_at_most() -> None:
    for run in ("healthy_s0", "healthy_s1", "minibatches_8", "dynamic_filter"):
        assert "info" == found(diagnose(run), "reward-saturated").worst, run
    assert finding(diagnose("sync_guide"), "reward-saturated") is None


def test_follows_from_a_constant_and_from_overfitting() -> None:
    assert "reward-constant" == found(diagnose("constant_reward"), "reward-saturated").symptom_of
    assert "train-eval-divergence" == found(diagnose("overfit"), "reward-saturated").symptom_of
