from __future__ import annotations

import numpy as np

from rl_diag_plugin.authoring import Example, constant
from rl_diag_plugin.metrics.actor import CORRECT_RATIO, N_SEQS, TASK_REWARD
from rl_diag_plugin.rules.reward.task_reward_variance import task_reward_variance
from rl_diag_plugin.testing import check_rule, run_example

from ..recordings import LONG, diagnose, finding, found


def batch(p: float, n: int, share: float | None = None) -> Example:
    return Example({TASK_REWARD: constant(p), CORRECT_RATIO: constant(p if share is None else share), N_SEQS: constant(n)})


def test_keeps_the_contract() -> None:
    check_rule(task_reward_variance)


def test_says_how_much_larger_the_batch_must_be() -> None:
    (alarm,) = run_example(task_reward_variance, batch(0.5, 16)).findings
    assert "Sampling noise of the reward is 0.125; 7× the batch gives 0.05" == alarm.headline
    assert np.sqrt(0.25 / (7 * 16)) <= 0.05


def test_a_batch_of_64_and_one_that_is_all_wrong_pass() -> None:
    for p, n in ((0.5, 64), (0.0, 16)):
        assert run_example(task_reward_variance, batch(p, n)).passed


def test_rewards_that_are_not_0_or_1_have_no_known_scatter() -> None:
    report = run_example(task_reward_variance, batch(0.5, 16, share=1.0))
    assert not report.findings and "0 and 1" in report.skipped[0].reason


def test_names_the_small_batch_and_no_other_recording() -> None:
    alarm = found(diagnose("small_batch"), "task-reward-variance")
    assert ("warning", 0) == (alarm.severity, alarm.onset.lo)
    for run in sorted(path.name for path in LONG.iterdir()):
        if run != "small_batch":
            assert finding(diagnose(run), "task-reward-variance") is None, run
