"""Rule impossible-value."""

from __future__ import annotations

import numpy as np

from rl_diag_plugin.authoring import Example, constant, step_change
from rl_diag_plugin.metrics.critic import EXPLAINED_VARIANCE
from rl_diag_plugin.metrics.rollout import EPISODE_RETURN, ROLLOUT_REWARD
from rl_diag_plugin.metrics.update import BEHAVE_KL, CLIP_RATIO, ENTROPY
from rl_diag_plugin.rules.logging.impossible_value import impossible_value as rule
from rl_diag_plugin.testing import check_rule, run_example

from ..recordings import LONG, diagnose, ended, found


def test_it_keeps_the_contract() -> None:
    check_rule(rule)


def test_the_headline_names_metric_value_and_domain() -> None:
    percent = found(run_example(rule, Example({CLIP_RATIO: constant(12.0, 30)})), rule.id)
    over = found(run_example(rule, Example({EXPLAINED_VARIANCE: step_change(0.5, 3.0, at=20, n=30)})), rule.id)
    assert "Clipped tokens is 12, but must be 0 to 1" == percent.headline
    assert ("Explained variance is 3, but must be at most 1", 20) == (over.headline, over.onset.step)


def test_single_rows_that_are_over_are_a_warning() -> None:
    report = run_example(rule, Example({BEHAVE_KL: np.where(np.arange(60) == 30, -0.5, 0.001)}))
    assert ("warning", False) == (found(report, rule.id).worst, found(report, rule.id).active)


def test_rounding_to_single_precision_is_none() -> None:
    assert "passed" == ended(run_example(rule, Example({CLIP_RATIO: constant(1.0000001, 30), BEHAVE_KL: constant(-1e-8, 30)})), rule.id)


def test_the_entropy_of_continuous_actions_may_be_negative() -> None:
    assert "error" == ended(run_example(rule, Example({ENTROPY: constant(-1.0, 30)})), rule.id)
    continuous = Example({ENTROPY: constant(-1.0, 30), EPISODE_RETURN: constant(-900.0, 30), CLIP_RATIO: constant(0.1, 30)})
    assert "passed" == ended(run_example(rule, continuous), rule.id)


def test_values_that_are_not_finite_are_another_rule() -> None:
    report = run_example(rule, Example({CLIP_RATIO: constant(np.nan, 30), ENTROPY: constant(1.0, 30)}, logged_nan=frozenset({CLIP_RATIO})))
    assert "passed" == ended(report, rule.id)


def test_without_any_bounded_metric_it_says_so() -> None:
    assert "could not be judged" in ended(run_example(rule, Example({ROLLOUT_REWARD: constant(0.4, 30)})), rule.id)


def test_no_recorded_run_has_one() -> None:
    for path in sorted(LONG.iterdir()):
        if path.is_dir():
            assert "passed" == ended(diagnose(path.name), rule.id), path.name
