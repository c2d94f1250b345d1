"""Rule decoupled-loss-without-correction."""

from __future__ import annotations

from typing import Any

import pytest

from rl_diag_plugin.authoring import Example, constant
from rl_diag_plugin.knobs import Knob
from rl_diag_plugin.knobs.offpolicy import DECOUPLED_LOSS, MAX_STALENESS, OFF_POLICY_CORRECTION
from rl_diag_plugin.metrics import Metric
from rl_diag_plugin.metrics.update import BEHAVE_IMP_WEIGHT, IMPORTANCE_WEIGHT
from rl_diag_plugin.rules.off_policy.decoupled_loss_without_correction import decoupled_loss_without_correction as rule
from rl_diag_plugin.testing import check_rule, run_example

from ..recordings import diagnose, diagnose_short, ended, found


def judged(knobs: dict[Knob, Any], metric: Metric = IMPORTANCE_WEIGHT) -> str:
    return ended(run_example(rule, Example({metric: constant(1.0)}, knobs)), rule.id)


def test_it_keeps_the_contract() -> None:
    check_rule(rule)


def test_off_is_not_unknown() -> None:
    assert "error" == judged({DECOUPLED_LOSS: True, OFF_POLICY_CORRECTION: None})
    assert judged({DECOUPLED_LOSS: True}).startswith("could not be judged: whether a behaviour weight")
    assert judged({OFF_POLICY_CORRECTION: None}).startswith("could not be judged: whether the loss")


def test_a_weight_that_is_logged_is_applied() -> None:
    assert "passed" == judged({DECOUPLED_LOSS: True}, BEHAVE_IMP_WEIGHT)
    assert "passed" == judged({DECOUPLED_LOSS: True, OFF_POLICY_CORRECTION: "clamp"})


def test_without_old_samples_the_engines_difference_alone_is_left() -> None:
    assert "warning" == judged({DECOUPLED_LOSS: True, OFF_POLICY_CORRECTION: None, MAX_STALENESS: 0})


def test_another_loss_has_no_such_failure() -> None:
    assert judged({DECOUPLED_LOSS: False, OFF_POLICY_CORRECTION: None}).startswith("not applicable")


def test_the_recorded_run_is_named_in_its_own_keys() -> None:
    finding = found(diagnose("no_correction"), rule.id)
    assert "error" == finding.own
    assert ("actor.use_decoupled_loss=true", "actor.rejection_sampling=null", "rollout.max_head_offpolicyness=8") == finding.config
    assert "actor.rejection_sampling  null → {action: mask, metric: ratio, upper: 5.0}" == finding.remedies[0].text


def test_the_metrics_alone_show_that_the_correction_is_off() -> None:
    assert "error" == ended(diagnose_short("k_nors", (DECOUPLED_LOSS, True)), rule.id)


@pytest.mark.parametrize("name", ["healthy_s0", "one_minibatch", "minibatches_8", "stale_16"])
def test_corrected_runs_pass(name: str) -> None:
    assert "passed" == ended(diagnose(name), rule.id)
