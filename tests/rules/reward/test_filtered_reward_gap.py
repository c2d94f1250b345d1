from __future__ import annotations

from rl_diag_plugin.authoring import Example, constant
from rl_diag_plugin.knobs.sampling import DYNAMIC_FILTER
from rl_diag_plugin.metrics.actor import TASK_REWARD
from rl_diag_plugin.metrics.rollout import ROLLOUT_REWARD
from rl_diag_plugin.rules.reward.filtered_reward_gap import filtered_reward_gap
from rl_diag_plugin.testing import check_rule, run_example

from ..recordings import diagnose, ended, found


def test_keeps_the_contract() -> None:
    check_rule(filtered_reward_gap)


def test_without_a_filter_the_two_rewards_cover_different_episodes() -> None:
    apart = {TASK_REWARD: constant(0.4), ROLLOUT_REWARD: constant(0.9)}
    report = run_example(filtered_reward_gap, Example(apart))
    assert not report.findings and "different episodes" in report.not_applicable[0].reason


def test_says_which_groups_are_dropped_and_warns_of_a_wide_gap() -> None:
    for trained, sampled, which, severity in ((0.5, 0.9, "easy", "warning"), (0.5, 0.1, "hard", "warning"), (0.85, 0.95, "easy", "note")):
        apart = Example({TASK_REWARD: constant(trained), ROLLOUT_REWARD: constant(sampled)}, {DYNAMIC_FILTER: True})
        (alarm,) = run_example(filtered_reward_gap, apart).findings
        assert which in alarm.headline and severity == alarm.severity


def test_explains_the_trained_reward_of_the_filtered_run_in_a_note() -> None:
    assert "note" == found(diagnose("dynamic_filter"), "filtered-reward-gap").worst
    assert ended(diagnose("healthy_s0"), "filtered-reward-gap").startswith("not applicable")
