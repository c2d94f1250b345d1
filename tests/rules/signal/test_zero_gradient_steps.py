from __future__ import annotations

import numpy as np

from rl_diag_plugin.authoring import Example, constant, step_change
from rl_diag_plugin.knobs.loss import REWARD_CLIP, REWARD_SCALE
from rl_diag_plugin.metrics.actor import N_SEQS, TASK_REWARD
from rl_diag_plugin.metrics.update import GRAD_NORM
from rl_diag_plugin.rules.signal.zero_gradient_steps import zero_gradient_steps
from rl_diag_plugin.testing import check_rule, run_example

from ..recordings import diagnose, finding, found


def steps(norm: np.ndarray, low: float = 0.0, high: float = 1.0) -> Example:
    n = len(norm)
    series = {GRAD_NORM: norm, N_SEQS: constant(64, n), TASK_REWARD.min: constant(low, n), TASK_REWARD.max: constant(high, n)}
    return Example(series, {REWARD_CLIP: 20.0, REWARD_SCALE: 10.0})


def test_keeps_the_contract() -> None:
    check_rule(zero_gradient_steps)


def test_speaks_on_a_run_of_sixty_rows() -> None:
    (alarm,) = run_example(zero_gradient_steps, steps(step_change(0.4, 0, at=21, n=60))).findings
    assert ("error", 21) == (alarm.severity, alarm.onset.step)


def test_three_steps_in_ten_warn_and_one_in_ten_does_not() -> None:
    often, rarely = constant(0.4, 200), constant(0.4, 200)
    often[::3] = 0
    rarely[5::10] = 0
    assert ["warning"] == [f.severity for f in run_example(zero_gradient_steps, steps(often)).findings]
    assert not run_example(zero_gradient_steps, steps(rarely)).findings


def test_a_single_zero_in_the_first_row_is_no_share_of_all_steps() -> None:
    norm = constant(0.4, 60)
    norm[0] = 0
    assert not run_example(zero_gradient_steps, steps(norm)).findings


def test_rewards_over_the_clip_are_named_as_plumbing() -> None:
    (alarm,) = run_example(zero_gradient_steps, steps(constant(0), 2.8, 3.0)).findings
    assert "over the clip of 20" in alarm.headline
    assert any(cause.title.startswith("Plumbing: rewards that differ are clipped") for cause in alarm.causes)
    (other,) = run_example(zero_gradient_steps, steps(constant(0))).findings
    assert "although rewards differ" in other.headline
    assert not any("clipped" in cause.title for cause in other.causes)


def test_finds_the_clip_that_silences_a_paying_reward() -> None:
    alarm = found(diagnose("entropy_collapse"), "zero-gradient-steps")
    assert ("error", 20, 22) == (alarm.own, alarm.onset.lo, alarm.onset.hi)
    assert "over the clip" in alarm.headline


def test_finds_every_recording_without_signal_and_when_it_began() -> None:
    onsets = {"all_wrong": 0, "constant_reward": 0, "truncated_all": 0, "lr_high": 8, "verifier_breaks_40": 42}
    for run, onset in onsets.items():
        alarm = found(diagnose(run), "zero-gradient-steps")
        assert onset == alarm.onset.step, run


def test_controls_are_quiet() -> None:
    for run in ("healthy_s0", "healthy_s1", "sync_guide", "one_minibatch", "dynamic_filter", "minibatches_8", "lr_x20"):
        assert finding(diagnose(run), "zero-gradient-steps") is None, run
