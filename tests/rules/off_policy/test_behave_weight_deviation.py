"""Rule behave-weight-deviation."""

from __future__ import annotations

import pytest

from rl_diag_plugin.authoring import Example, constant
from rl_diag_plugin.knobs.offpolicy import DECOUPLED_LOSS
from rl_diag_plugin.metrics.update import BEHAVE_IMP_WEIGHT
from rl_diag_plugin.rules.off_policy.behave_weight_deviation import behave_weight_deviation as rule
from rl_diag_plugin.testing import check_rule, run_example

from ..recordings import diagnose, ended, found


def judged(mean: float, decoupled: bool = True) -> str:
    return ended(run_example(rule, Example({BEHAVE_IMP_WEIGHT: constant(mean)}, {DECOUPLED_LOSS: decoupled})), rule.id)


def test_it_keeps_the_contract() -> None:
    check_rule(rule)


def test_severity_is_by_the_distance_from_one_on_both_sides() -> None:
    assert ["passed", "warning", "error", "critical"] == [judged(w) for w in (1.04, 1.1, 1.4, 2.5)]
    assert ["passed", "warning", "error", "critical"] == [judged(w) for w in (0.97, 0.9, 0.75, 0.4)]


def test_a_loss_that_is_not_decoupled_has_no_such_weight() -> None:
    assert judged(0.5, decoupled=False).startswith("not applicable")


def test_the_average_sees_what_the_cap_cuts_off_and_follows_from_the_mismatch() -> None:
    finding = found(diagnose("mismatch_40"), rule.id)
    assert finding.onset.lo is not None and finding.onset.hi is not None
    assert finding.onset.lo <= 40 <= finding.onset.hi
    assert "rollout-training-mismatch" == finding.symptom_of


@pytest.mark.parametrize("name", ["weights_stuck_40", "temperature_mismatch"])
def test_the_average_is_blind_where_the_divergence_is_not(name: str) -> None:
    assert "passed" == ended(diagnose(name), rule.id)
    assert found(diagnose(name), "rollout-training-mismatch").worst in ("error", "critical")


def test_a_weight_that_is_not_logged_is_not_called_healthy() -> None:
    assert ended(diagnose("no_correction"), rule.id).startswith("could not be judged: rejection_sampling=null")
