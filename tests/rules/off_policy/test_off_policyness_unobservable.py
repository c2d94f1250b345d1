"""Rule off-policyness-unobservable."""

from __future__ import annotations

from typing import Any

import pytest

from rl_diag_plugin.authoring import Example, constant
from rl_diag_plugin.knobs import Knob
from rl_diag_plugin.knobs.offpolicy import DECOUPLED_LOSS, MAX_STALENESS, RECOMPUTE_LOGPROB
from rl_diag_plugin.metrics import Metric
from rl_diag_plugin.metrics.update import IMPORTANCE_WEIGHT, STALENESS
from rl_diag_plugin.rules.off_policy.off_policyness_unobservable import off_policyness_unobservable as rule
from rl_diag_plugin.testing import check_rule, run_example

from ..recordings import diagnose, diagnose_short, ended, found

HIDDEN = {DECOUPLED_LOSS: False, RECOMPUTE_LOGPROB: True}


def judged(knobs: dict[Knob, Any], metric: Metric = IMPORTANCE_WEIGHT, value: float = 1.0) -> str:
    return ended(run_example(rule, Example({metric: constant(value)}, knobs)), rule.id)


def test_it_keeps_the_contract() -> None:
    check_rule(rule)


def test_old_samples_behind_overwritten_probabilities_are_told() -> None:
    assert "warning" == judged({**HIDDEN, MAX_STALENESS: 4})
    assert "warning" == judged(HIDDEN, STALENESS, 2.0)
    assert "warning" == judged({**HIDDEN, MAX_STALENESS: 0}, STALENESS, 2.0)


def test_a_run_that_takes_turns_has_nothing_to_hide() -> None:
    assert judged({**HIDDEN, MAX_STALENESS: 0}).startswith("not applicable")


def test_a_decoupled_loss_and_the_samplers_own_probabilities_hide_nothing() -> None:
    assert "passed" == judged({DECOUPLED_LOSS: True, RECOMPUTE_LOGPROB: True, MAX_STALENESS: 4})
    assert "passed" == judged({DECOUPLED_LOSS: False, RECOMPUTE_LOGPROB: False, MAX_STALENESS: 4})


def test_what_is_not_known_is_asked_for() -> None:
    assert judged({MAX_STALENESS: 4}).startswith("could not be judged: whether the sampler's")
    assert judged(HIDDEN).startswith("could not be judged: how old samples may be")


def test_the_blind_keys_are_named_and_the_one_that_tells() -> None:
    finding = found(diagnose("recompute_coupled"), rule.id)
    assert "Off-policyness cannot be seen: samples are 8 versions old" == finding.headline
    assert ("actor.use_decoupled_loss=false", "actor.recompute_logprob=true", "rollout.max_head_offpolicyness=8") == finding.config
    assert "ppo_actor/update/version_stats/sample_staleness_theta_avg" == finding.evidence[0].key
    for key in ("importance_weight/avg", "approx_kl/avg", "kl_div_dual/avg"):
        assert key in finding.evidence[1].text
    assert "actor.use_decoupled_loss  false → true" == finding.remedies[0].text


def test_the_short_recording_of_it_is_told_too() -> None:
    assert "warning" == ended(diagnose_short("k_recomp", *HIDDEN.items()), rule.id)


@pytest.mark.parametrize("name", ["no_correction", "sync_guide", "one_minibatch", "healthy_s0"])
def test_other_settings_hide_nothing(name: str) -> None:
    assert "passed" == ended(diagnose(name), rule.id)
