"""Rule importance-weight-drift."""

from __future__ import annotations

import pytest

from rl_diag_plugin.authoring import Example, constant
from rl_diag_plugin.knobs.optimizer import N_EPOCHS, N_MINIBATCHES
from rl_diag_plugin.metrics.update import IMPORTANCE_WEIGHT
from rl_diag_plugin.rules.update.importance_weight_drift import importance_weight_drift as rule
from rl_diag_plugin.testing import check_rule, run_example

from ..recordings import diagnose, ended, found


def judged(mean: float, minibatches: float = 4, epochs: float = 1) -> str:
    example = Example({IMPORTANCE_WEIGHT: constant(mean)}, {N_MINIBATCHES: minibatches, N_EPOCHS: epochs})
    return ended(run_example(rule, example), rule.id)


def test_it_keeps_the_contract() -> None:
    check_rule(rule)


def test_severity_is_by_the_distance_from_one_on_both_sides() -> None:
    assert ["passed", "warning", "error", "critical"] == [judged(w) for w in (1.01, 1.05, 1.2, 2.5)]
    assert ["passed", "warning", "error", "critical"] == [judged(w) for w in (0.99, 0.95, 0.8, 0.1)]


def test_one_optimizer_step_cannot_drift() -> None:
    assert judged(1.05, minibatches=1).startswith("not applicable")
    assert "warning" == judged(1.05, minibatches=1, epochs=2)


def test_the_guides_first_remedy_is_fewer_minibatches() -> None:
    finding = run_example(rule, rule.bad).findings[0]
    assert finding.remedies[0].text.startswith("lower n_minibatches")


def test_eight_harmless_minibatches_pass() -> None:
    assert "passed" == ended(diagnose("minibatches_8"), rule.id)


def test_a_high_learning_rate_shows_and_follows_from_the_size_of_the_updates() -> None:
    finding = found(diagnose("lr_high"), rule.id)
    assert finding.onset.lo == 0
    assert "update-too-large" == finding.symptom_of


@pytest.mark.parametrize("name", ["healthy_s0", "healthy_s1", "dynamic_filter"])
def test_healthy_runs_pass(name: str) -> None:
    assert "passed" == ended(diagnose(name), rule.id)
