"""Rule kl-penalty-positive."""

from __future__ import annotations

from typing import Any

from rl_diag_plugin.authoring import Example, constant, noise
from rl_diag_plugin.knobs import Knob
from rl_diag_plugin.knobs.loss import KL_COEF
from rl_diag_plugin.metrics.actor import KL_REWARDS
from rl_diag_plugin.model import Floats
from rl_diag_plugin.rules.update.kl_penalty_positive import kl_penalty_positive as rule
from rl_diag_plugin.testing import check_rule, run_example

from ..recordings import diagnose, ended, found


def judged(values: Floats, knobs: dict[Knob, Any] | None = None) -> str:
    return ended(run_example(rule, Example({KL_REWARDS: values}, knobs or {})), rule.id)


def test_it_keeps_the_contract() -> None:
    check_rule(rule)


def test_a_penalty_costs() -> None:
    assert "passed" == judged(noise(-2e-3, 1e-3), {KL_COEF: 0.1})
    assert "error" == judged(constant(2e-3), {KL_COEF: 1e-3})


def test_the_noise_of_the_first_steps_is_none() -> None:
    assert "passed" == judged(noise(0.0, 5e-5), {KL_COEF: 0.1})


def test_without_a_penalty_there_is_nothing_to_judge() -> None:
    assert judged(constant(0.0), {KL_COEF: 0.0}).startswith("not applicable")
    assert "passed" == judged(constant(0.0))


def test_a_penalty_without_a_reference_is_found_in_the_first_rows() -> None:
    finding = found(diagnose("kl_without_reference"), rule.id)
    assert ("error", 0, 0, 1) == (finding.own, finding.onset.step, finding.onset.lo, finding.onset.hi)
    assert finding.episodes[0].fired <= 10
    assert ["actor.kl_ctl  0.1 → 0.0", "fill the ref section (its path, the base model) beside actor.kl_ctl"] == [
        r.text for r in finding.remedies
    ]
    assert "A penalty without a reference model" == finding.causes[0].title


def test_runs_without_a_penalty_have_no_such_failure() -> None:
    assert ended(diagnose("healthy_s0"), rule.id).startswith("not applicable")
