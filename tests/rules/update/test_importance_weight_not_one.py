"""Rule importance-weight-not-one."""

from __future__ import annotations

from typing import Any

import pytest

from rl_diag_plugin.authoring import Example, constant, noise
from rl_diag_plugin.knobs import Knob
from rl_diag_plugin.knobs.offpolicy import DECOUPLED_LOSS, PROX_LOGP, RECOMPUTE_LOGPROB
from rl_diag_plugin.knobs.optimizer import N_EPOCHS, N_MINIBATCHES
from rl_diag_plugin.metrics.update import IMPORTANCE_WEIGHT
from rl_diag_plugin.rules.update.importance_weight_not_one import importance_weight_not_one as rule
from rl_diag_plugin.testing import check_rule, run_example

from ..recordings import diagnose, diagnose_short, ended, found

ONE = {N_MINIBATCHES: 1, DECOUPLED_LOSS: True}


def run(knobs: dict[Knob, Any], low: float = 1.0, mean: float = 1.0, high: float = 1.0) -> str:
    series = {IMPORTANCE_WEIGHT: constant(mean), IMPORTANCE_WEIGHT.min: constant(low), IMPORTANCE_WEIGHT.max: constant(high)}
    return ended(run_example(rule, Example(series, knobs)), rule.id)


def test_it_keeps_the_contract() -> None:
    check_rule(rule)


def test_it_applies_only_where_the_ratio_is_one_by_construction() -> None:
    assert "warning" == run(ONE, mean=1.005)
    assert "warning" == run({N_MINIBATCHES: 1, DECOUPLED_LOSS: False, RECOMPUTE_LOGPROB: True}, mean=1.005)
    assert run({N_MINIBATCHES: 2, DECOUPLED_LOSS: True}, mean=1.005).startswith("not applicable: 2 optimizer steps")
    assert run({**ONE, N_EPOCHS: 2}, mean=1.005).startswith("not applicable: 2 optimizer steps")
    assert run({**ONE, PROX_LOGP: "loglinear"}, mean=1.005).startswith("not applicable: the proximal policy is interpolated")
    sync = {N_MINIBATCHES: 1, DECOUPLED_LOSS: False, RECOMPUTE_LOGPROB: False}
    assert run(sync, mean=1.005).startswith("not applicable: the denominator is the sampler's")


def test_unknown_settings_are_asked_for() -> None:
    assert run({}, mean=1.005).startswith("could not be judged: how many minibatches")
    assert run({N_MINIBATCHES: 1}, mean=1.005).startswith("could not be judged: whether the ratio's denominator")


def test_a_mean_of_one_does_not_hide_single_tokens() -> None:
    assert "warning" == run(ONE, low=0.7, high=1.5)
    assert "error" == run(ONE, high=3.0)
    assert "passed" == run(ONE, low=0.95, high=1.05)


def test_a_missing_minimum_is_no_evidence() -> None:
    series = {IMPORTANCE_WEIGHT: noise(1.0, 1e-5), IMPORTANCE_WEIGHT.max: constant(1.0)}
    assert "passed" == ended(run_example(rule, Example(series, ONE)), rule.id)


def test_nondeterminism_is_named_from_the_first_row_with_its_key() -> None:
    finding = found(diagnose("nondeterministic"), rule.id)
    assert (0, 0, 1) == (finding.onset.step, finding.onset.lo, finding.onset.hi)
    assert "actor.megatron.use_deterministic_algorithms  false → true" == finding.remedies[0].text


@pytest.mark.parametrize("name", ["one_minibatch", "mismatch_one_minibatch"])
def test_rejected_tokens_are_no_deviation(name: str) -> None:
    assert "passed" == ended(diagnose(name), rule.id)


@pytest.mark.parametrize("name", ["mismatch_sync", "sync_guide"])
def test_the_synchronous_recipe_gauges_the_mismatch(name: str) -> None:
    assert "see rollout-training-mismatch" in ended(diagnose(name), rule.id)


def test_the_guides_own_recipe_is_left_to_the_mismatch() -> None:
    knobs = ((N_MINIBATCHES, 1), (DECOUPLED_LOSS, False), (RECOMPUTE_LOGPROB, False))
    assert ended(diagnose_short("k_sync_seed", *knobs), rule.id).startswith("not applicable")


def test_ratios_that_cannot_move_are_not_called_healthy() -> None:
    assert ended(diagnose("recompute_coupled"), rule.id).startswith("could not be judged")
