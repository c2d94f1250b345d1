"""Rule stale-rollouts."""

from __future__ import annotations

from typing import Any

import pytest

from rl_diag_plugin.authoring import Example, constant
from rl_diag_plugin.knobs import Knob
from rl_diag_plugin.knobs.offpolicy import DECOUPLED_LOSS, MAX_STALENESS, OFF_POLICY_CORRECTION
from rl_diag_plugin.metrics.update import STALENESS
from rl_diag_plugin.rules.off_policy.stale_rollouts import stale_rollouts as rule
from rl_diag_plugin.testing import check_rule, run_example

from ..recordings import diagnose, ended, found

CORRECTED = {DECOUPLED_LOSS: True, OFF_POLICY_CORRECTION: "mask"}


def judged(mean: float, oldest: float, knobs: dict[Knob, Any]) -> str:
    return ended(run_example(rule, Example({STALENESS: constant(mean), STALENESS.max: constant(oldest)}, knobs)), rule.id)


def test_it_keeps_the_contract() -> None:
    check_rule(rule)


def test_old_samples_are_worse_where_nothing_corrects_for_them() -> None:
    assert ["passed", "info", "warning"] == [judged(age, age, {MAX_STALENESS: 16, **CORRECTED}) for age in (3.0, 6.0, 12.0)]
    assert ["passed", "warning", "error"] == [judged(age, age, {MAX_STALENESS: 16, DECOUPLED_LOSS: False}) for age in (3.0, 6.0, 12.0)]
    assert "warning" == judged(6.0, 6.0, {MAX_STALENESS: 16, DECOUPLED_LOSS: True, OFF_POLICY_CORRECTION: None})


def test_one_version_over_the_bound_is_no_fault() -> None:
    assert "passed" == judged(1.2, 3.0, {MAX_STALENESS: 2, **CORRECTED})
    assert "warning" == judged(1.2, 5.0, {MAX_STALENESS: 2, **CORRECTED})


def test_a_run_that_takes_turns_has_no_old_samples() -> None:
    assert judged(0.0, 0.0, {MAX_STALENESS: 0}).startswith("not applicable")
    assert "warning" == judged(5.0, 5.0, {MAX_STALENESS: 0, **CORRECTED})


@pytest.mark.parametrize(("name", "severity"), [("stale_16", "warning"), ("no_correction", "warning"), ("recompute_coupled", "warning")])
def test_the_recorded_ages_are_named_from_where_they_began(name: str, severity: str) -> None:
    finding = found(diagnose(name), rule.id)
    assert severity == finding.worst and finding.active
    assert finding.onset.lo is not None and finding.onset.hi is not None
    assert finding.onset.lo <= 1 <= finding.onset.hi
    assert "rollout.max_head_offpolicyness" == finding.remedies[0].key


def test_lengths_that_differ_much_let_samples_exceed_the_bound() -> None:
    assert "Samples are up to 7 versions old, 2 are allowed" == found(diagnose("lr_high"), rule.id).headline


@pytest.mark.parametrize("name", ["healthy_s0", "healthy_s1", "minibatches_8", "one_minibatch", "dynamic_filter", "weights_stuck_40"])
def test_what_the_sampler_claims_is_young(name: str) -> None:
    assert "passed" == ended(diagnose(name), rule.id)
