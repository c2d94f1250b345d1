"""Rule value-loss-explosion."""

from __future__ import annotations

import numpy as np

from rl_diag_plugin.authoring import Example, constant, spiky, step_change
from rl_diag_plugin.knobs.loss import ADV_ESTIMATOR
from rl_diag_plugin.knobs.optimizer import CRITIC_LR
from rl_diag_plugin.metrics.critic import CRITIC_LOSS
from rl_diag_plugin.metrics.rollout import ROLLOUT_REWARD
from rl_diag_plugin.rules.value.value_loss_explosion import value_loss_explosion as rule
from rl_diag_plugin.testing import check_rule, run_example

from ..recordings import diagnose, ended, found


def test_it_keeps_the_contract() -> None:
    check_rule(rule)


def test_the_unit_of_the_reward_does_not_matter() -> None:
    for scale in (1e-6, 1.0, 1e9):
        loss = scale * step_change(0.4, 8.0, at=60)
        assert "error" == ended(run_example(rule, Example({CRITIC_LOSS: loss})), rule.id)


def test_it_is_dated_to_the_jump() -> None:
    onset = found(run_example(rule, Example({CRITIC_LOSS: spiky(1.0, 1.0, ()) * step_change(1, 30, at=60)})), rule.id).onset
    assert (59, 60, 61) == (onset.lo, onset.step, onset.hi)


def test_single_rows_are_none() -> None:
    """A2C's loss is a hundredfold in the rows in which an episode ends."""
    assert "passed" == ended(run_example(rule, Example({CRITIC_LOSS: spiky(3.0, 300.0, tuple(range(30, 100, 6)))})), rule.id)


def test_a_fifth_of_the_limit_passes() -> None:
    assert "passed" == ended(run_example(rule, Example({CRITIC_LOSS: step_change(0.4, 0.8)})), rule.id)


def test_without_a_critic_it_does_not_apply() -> None:
    no_critic = Example({ROLLOUT_REWARD: constant(0.4)})
    assert "not applicable: no critic is trained" == ended(run_example(rule, no_critic), rule.id)
    grpo = Example({CRITIC_LOSS: np.ones(60)}, {ADV_ESTIMATOR: "grpo"})
    assert "not applicable: no critic is trained (grpo)" == ended(run_example(rule, grpo), rule.id)


def test_a_critic_that_is_not_logged_is_a_blind_spot() -> None:
    unseen = Example({ROLLOUT_REWARD: constant(0.4)}, {CRITIC_LR: 1e-5})
    assert f"could not be judged: {CRITIC_LOSS.name} not logged" == ended(run_example(rule, unseen), rule.id)


def test_recorded_runs_without_a_critic_are_told_apart() -> None:
    assert "not applicable: no critic is trained" == ended(diagnose("healthy_s0"), rule.id)
