"""Rule kl-to-reference-explosion."""

from __future__ import annotations

import pytest

from rl_diag_plugin.authoring import Example, constant
from rl_diag_plugin.knobs.loss import KL_COEF
from rl_diag_plugin.metrics.actor import REF_KL
from rl_diag_plugin.rules.update.kl_to_reference_explosion import kl_to_reference_explosion as rule
from rl_diag_plugin.testing import check_rule, run_example

from ..recordings import diagnose, ended


def judged(kl: float, coefficient: float) -> str:
    return ended(run_example(rule, Example({REF_KL: constant(kl)}, {KL_COEF: coefficient})), rule.id)


def test_it_keeps_the_contract() -> None:
    check_rule(rule)


def test_severity_is_by_the_distance() -> None:
    assert ["passed", "warning", "error"] == [judged(kl, 0.01) for kl in (0.3, 0.8, 3.0)]


def test_a_run_without_a_penalty_means_to_leave_its_reference() -> None:
    assert "warning" == judged(3.0, 0.0)


@pytest.mark.parametrize("name", ["healthy_s0", "kl_without_reference", "lr_high"])
def test_what_is_not_logged_is_said_to_be_missing(name: str) -> None:
    report = diagnose(name)
    assert ended(report, rule.id).startswith("could not be judged")
    skipped = next(s for s in report.skipped if rule.id in s.rules)
    assert skipped.enable is not None and "reference" in skipped.enable.text
