from __future__ import annotations

import numpy as np

from rl_diag_plugin.authoring import Example, constant, ramp
from rl_diag_plugin.metrics.rollout import EVAL_REWARD, ROLLOUT_REWARD
from rl_diag_plugin.model import Report
from rl_diag_plugin.rules.reward.train_eval_divergence import train_eval_divergence
from rl_diag_plugin.testing import check_rule, run_example

from ..recordings import diagnose, ended, found


def at_evaluations(held_out: np.ndarray) -> np.ndarray:
    return np.where(np.arange(len(held_out)) % 10 == 9, held_out, np.nan)


def judged(training: np.ndarray, held_out: np.ndarray) -> Report:
    return run_example(train_eval_divergence, Example({ROLLOUT_REWARD: training, EVAL_REWARD: at_evaluations(held_out)}))


def test_keeps_the_contract() -> None:
    check_rule(train_eval_divergence)


def test_a_held_out_set_that_is_harder_all_along_is_no_divergence() -> None:
    assert not judged(ramp(0.6, 0.8), ramp(0.1, 0.25)).findings


def test_a_held_out_reward_that_is_ahead_is_no_divergence() -> None:
    assert not judged(ramp(0.3, 0.7), ramp(0.6, 0.7)).findings


def test_one_or_two_bad_evaluations_do_not_fire() -> None:
    held_out = ramp(0.3, 0.7)
    held_out[[39, 49]] -= 0.4
    assert not judged(ramp(0.3, 0.7), held_out).findings


def test_training_that_rises_alone_is_an_error() -> None:
    (alarm,) = judged(ramp(0.3, 0.95), constant(0.3)).findings
    assert "error" == alarm.severity


def test_rewards_that_share_no_scale_are_not_judged() -> None:
    report = judged(ramp(-1, 3), ramp(0.3, 0.3))
    assert not report.findings and "scale" in report.skipped[0].reason


def test_finds_the_wrong_key_where_training_first_draws_away() -> None:
    alarm = found(diagnose("wrong_key"), "train-eval-divergence")
    assert ("error", 29, 19, 39) == (alarm.severity, alarm.onset.step, alarm.onset.lo, alarm.onset.hi)


def test_finds_overfitting_from_the_first_evaluation_on() -> None:
    alarm = found(diagnose("overfit"), "train-eval-divergence")
    assert ("error", 9) == (alarm.severity, alarm.onset.lo)


def test_healthy_runs_pass_and_without_evaluation_it_cannot_be_judged() -> None:
    for run in ("healthy_s0", "healthy_s1", "dynamic_filter"):
        assert "passed" == ended(diagnose(run), "train-eval-divergence"), run
    assert "not logged" in ended(diagnose("sync_guide"), "train-eval-divergence")
