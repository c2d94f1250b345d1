"""Rule explained-variance-nonpositive."""

from __future__ import annotations

import pytest

from rl_diag_plugin.authoring import Example, constant, noise
from rl_diag_plugin.metrics.critic import CRITIC_LOSS, CRITIC_RETURNS, EXPLAINED_VARIANCE
from rl_diag_plugin.metrics.rollout import EPISODE_RETURN, REWARD_STD, ROLLOUT_REWARD
from rl_diag_plugin.rules.value.explained_variance_nonpositive import explained_variance_nonpositive as rule
from rl_diag_plugin.testing import check_rule, run_example

from ..recordings import ended

BAD = noise(-0.2, 0.05, n=120)


def test_it_keeps_the_contract() -> None:
    check_rule(rule)


@pytest.mark.parametrize(("explained", "severity"), [(0.1, "passed"), (-0.1, "warning"), (-0.9, "error")])
def test_the_level_decides(explained: float, severity: str) -> None:
    assert severity == ended(run_example(rule, Example({EXPLAINED_VARIANCE: noise(explained, 0.02, n=120)})), rule.id)


def test_the_first_fifty_rows_are_a_warm_up() -> None:
    assert "could not be judged: too early, 20 more rows" == ended(run_example(rule, Example({EXPLAINED_VARIANCE: BAD[:40]})), rule.id)


def test_equal_returns_have_no_variance_to_explain() -> None:
    for series in ({CRITIC_RETURNS.min: constant(1.0, 120), CRITIC_RETURNS.max: constant(1.0, 120)}, {REWARD_STD: constant(0.0, 120)}):
        assert "could not" in ended(run_example(rule, Example({EXPLAINED_VARIANCE: BAD, **series})), rule.id)


def test_a_solved_task_is_none() -> None:
    """CartPole at 500 every time: value loss 0.0007, explained variance around 0 (recorded, Stable-Baselines3)."""
    solved = {CRITIC_LOSS: constant(7e-4, 120), EPISODE_RETURN: constant(348.0, 120)}
    assert "could not" in ended(run_example(rule, Example({EXPLAINED_VARIANCE: BAD, **solved})), rule.id)
    wrong = {CRITIC_LOSS: constant(230.0, 120), EPISODE_RETURN: constant(280.0, 120)}
    assert "warning" == ended(run_example(rule, Example({EXPLAINED_VARIANCE: BAD, **wrong})), rule.id)


def test_without_a_critic_it_does_not_apply() -> None:
    assert "not applicable: no critic is trained" == ended(run_example(rule, Example({ROLLOUT_REWARD: constant(0.4)})), rule.id)
