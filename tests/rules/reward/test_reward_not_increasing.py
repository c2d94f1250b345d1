from __future__ import annotations

import numpy as np

from rl_diag_plugin.authoring import Example, constant, noise, ramp, shares
from rl_diag_plugin.knobs.optimizer import PLANNED_STEPS
from rl_diag_plugin.knobs.sampling import DYNAMIC_FILTER
from rl_diag_plugin.metrics.actor import N_SEQS, TASK_REWARD
from rl_diag_plugin.metrics.rollout import ROLLOUT_REWARD
from rl_diag_plugin.rules.reward.reward_not_increasing import reward_not_increasing
from rl_diag_plugin.testing import check_rule, run_example

from ..recordings import LONG, diagnose, finding, found


def test_keeps_the_contract() -> None:
    check_rule(reward_not_increasing)


def test_the_minimum_detectable_rise_stands_in_the_headline() -> None:
    (alarm,) = run_example(reward_not_increasing, Example({ROLLOUT_REWARD: shares(0.35, 128, 100)})).findings
    assert alarm.headline.startswith("Reward rose by at most 0.0") and alarm.headline.endswith("would show")


def test_is_an_info_before_300_rows_and_a_warning_after() -> None:
    short, long = (run_example(reward_not_increasing, Example({ROLLOUT_REWARD: constant(0.35, n)})).findings for n in (290, 300))
    assert ["info"] == [f.severity for f in short]
    assert ["warning"] == [f.severity for f in long]


def test_is_a_warning_after_30_percent_of_the_planned_steps() -> None:
    flat = {ROLLOUT_REWARD: constant(0.35, 60)}
    for planned, severity in ((60, "warning"), (200, "warning"), (201, "info")):
        (alarm,) = run_example(reward_not_increasing, Example(flat, {PLANNED_STEPS: planned})).findings
        assert severity == alarm.severity, planned


def test_a_long_run_is_given_a_thousand_rows() -> None:
    for rows, severity in ((999, "info"), (1000, "warning")):
        (alarm,) = run_example(reward_not_increasing, Example({ROLLOUT_REWARD: constant(0.35, rows)}, {PLANNED_STEPS: 10_000})).findings
        assert severity == alarm.severity, rows


def test_a_noisy_reward_is_undecided_and_not_flat() -> None:
    assert not run_example(reward_not_increasing, Example({ROLLOUT_REWARD: noise(0.5, 0.25, 60)})).findings


def test_never_on_a_rising_run() -> None:
    for seed in range(20):
        report = run_example(reward_not_increasing, Example({ROLLOUT_REWARD: shares(ramp(0.3, 0.6, 0, 100), 128, seed=seed)}))
        assert not report.findings, seed


def test_a_reward_at_its_ceiling_from_the_start_is_another_rules_affair() -> None:
    report = run_example(reward_not_increasing, Example({ROLLOUT_REWARD: shares(0.95, 128, 400)}))
    assert not report.findings and "ceiling" in report.not_applicable[0].reason


def test_a_rise_in_the_first_hundredth_of_a_run_is_no_warning() -> None:
    p = 0.2 + 0.5 * (1 - np.exp(-np.arange(5000) / 30))
    report = run_example(reward_not_increasing, Example({ROLLOUT_REWARD: shares(p, 128), N_SEQS: constant(128, 5000)}))
    assert ["info"] == [f.worst for f in report.findings]
    assert report.findings[0].headline.startswith("Reward rose early on")


def test_the_filtered_reward_alone_says_nothing_under_a_dynamic_filter() -> None:
    report = run_example(reward_not_increasing, Example({TASK_REWARD: constant(0.5, 400)}, {DYNAMIC_FILTER: True}))
    assert not report.findings and "rollout/reward" in report.skipped[0].reason


def test_says_so_of_every_flat_recording() -> None:
    for run in ("lr_0", "all_wrong", "constant_reward", "truncated_all", "lr_high"):
        alarm = found(diagnose(run), "reward-not-increasing")
        assert 0 == alarm.onset.lo, run


def test_no_recording_that_learns_is_called_flat() -> None:
    flat = ("lr_0", "all_wrong", "constant_reward", "truncated_all", "lr_high")
    for run in sorted(path.name for path in LONG.iterdir()):
        if run not in flat:
            assert finding(diagnose(run), "reward-not-increasing") is None, run
