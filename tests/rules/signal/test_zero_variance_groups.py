from __future__ import annotations

from rl_diag_plugin.authoring import Example, constant, ramp, step_change
from rl_diag_plugin.metrics.actor import TASK_REWARD
from rl_diag_plugin.metrics.rollout import ZERO_VARIANCE_RATIO
from rl_diag_plugin.rules.signal.zero_variance_groups import zero_variance_groups
from rl_diag_plugin.testing import check_rule, run_example

from ..recordings import diagnose, ended, finding, found


def test_keeps_the_contract() -> None:
    check_rule(zero_variance_groups)


def test_severity_grows_with_the_share() -> None:
    for level, severity in ((0.6, "warning"), (0.8, "error"), (0.95, "critical")):
        (alarm,) = run_example(zero_variance_groups, Example({ZERO_VARIANCE_RATIO: constant(level)})).findings
        assert severity == alarm.severity


def test_all_wrong_and_all_right_are_told_apart_by_the_rewards_level() -> None:
    for last, kind in ((0.04, "all wrong"), (0.5, "no spread")):
        series = {ZERO_VARIANCE_RATIO: constant(0.8), TASK_REWARD: ramp(0.5, last)}
        (alarm,) = run_example(zero_variance_groups, Example(series)).findings
        assert alarm.headline.endswith(kind)
    solved = {ZERO_VARIANCE_RATIO: constant(0.95), TASK_REWARD: ramp(0.4, 0.97)}
    (alarm,) = run_example(zero_variance_groups, Example(solved)).findings
    assert alarm.headline.endswith("all right") and "warning" == alarm.severity


def test_a_batch_with_one_reward_for_all_proves_a_share_of_one() -> None:
    batch = {TASK_REWARD: constant(0), TASK_REWARD.min: constant(0), TASK_REWARD.max: step_change(1, 0, at=40)}
    (alarm,) = run_example(zero_variance_groups, Example(batch)).findings
    assert ("critical", 40) == (alarm.severity, alarm.onset.step)
    assert "100 % of the groups give no signal: all score 0" == alarm.headline


def test_a_batch_with_several_rewards_proves_nothing() -> None:
    batch = {TASK_REWARD: constant(0.5), TASK_REWARD.min: constant(0), TASK_REWARD.max: constant(1)}
    report = run_example(zero_variance_groups, Example(batch))
    assert not report.findings and not report.passed and "not logged" in report.skipped[0].reason


def test_follows_from_what_took_the_signal() -> None:
    roots = {"all_wrong": "reward-constant", "constant_reward": "reward-constant", "verifier_breaks_40": "reward-constant"}
    for run, root in (roots | {"truncated_all": "truncated-responses"}).items():
        alarm = found(diagnose(run), "zero-variance-groups")
        assert ("critical", root) == (alarm.own, alarm.symptom_of), run


def test_healthy_runs_are_a_blind_spot_and_no_finding() -> None:
    for run in ("healthy_s0", "healthy_s1", "sync_guide", "one_minibatch", "dynamic_filter"):
        assert "only a lower bound" in ended(diagnose(run), "zero-variance-groups"), run
    assert finding(diagnose("minibatches_8"), "zero-variance-groups") is None
