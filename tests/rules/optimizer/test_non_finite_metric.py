"""Rule non-finite-metric."""

from __future__ import annotations

import math
from typing import Any

import pytest

from rl_diag_plugin.api import check
from rl_diag_plugin.model import Report
from rl_diag_plugin.rules.optimizer.non_finite_metric import non_finite_metric as rule
from rl_diag_plugin.testing import check_rule

from ..recordings import LONG, diagnose, ended, found

NAN, INF = math.nan, math.inf


def logged(**keys: list[float]) -> Report:
    """Rows of any trainer: no framework is needed. ``__`` stands for a slash."""
    rows: list[dict[str, Any]] = [{"step": i} for i in range(max(map(len, keys.values())))]
    for key, values in keys.items():
        for row, value in zip(rows, values, strict=False):
            row[key.replace("__", "/")] = value
    (report,) = check(rows, select=(rule.id,))
    return report


def test_it_keeps_the_contract() -> None:
    check_rule(rule)


@pytest.mark.parametrize("key", ["loss", "train__policy_loss", "grad_norm", "actor__logp", "Q_values", "entropy", "importance_weight"])
def test_numbers_of_the_update_count_at_once(key: str) -> None:
    assert "critical" == ended(logged(**{key: [1.0] * 9 + [NAN]}), rule.id)


def test_it_is_an_error_once_it_is_over() -> None:
    finding = found(logged(loss=[1.0, 1.0, INF, 1.0, 1.0]), rule.id)
    assert ("error", False, "Infinity in loss at step 2") == (finding.worst, finding.active, finding.headline)


def test_other_keys_need_three_rows_in_a_row() -> None:
    assert "passed" == ended(logged(reward__bonus=[NAN, NAN, 1.0, NAN, NAN, 1.0]), rule.id)
    assert "info" == ended(logged(reward__bonus=[1.0, NAN, NAN, NAN, 1.0]), rule.id)
    assert "warning" == ended(logged(reward__bonus=[1.0, 1.0, NAN, NAN, NAN]), rule.id)


@pytest.mark.parametrize("key", ["train__explained_variance", "reward_std", "probs_pearson_corr", "rewards__format__mean"])
def test_what_is_undefined_without_a_fault_is_left_out(key: str) -> None:
    assert "passed" == ended(logged(**{key: [NAN] * 20}), rule.id)


def test_several_keys_are_one_finding_named_by_the_first() -> None:
    finding = found(logged(entropy=[1.0] * 6 + [NAN] * 4, grad_norm=[1.0] * 5 + [NAN] * 5, loss=[1.0] * 6 + [NAN] * 4), rule.id)
    assert ("grad_norm", 5) == (finding.key, finding.onset.step)
    assert "NaN in grad_norm and 2 more since step 5" == finding.headline
    assert ["entropy", "loss"] == [evidence.key for evidence in finding.evidence]


def test_long_keys_and_steps_keep_the_headline_short() -> None:
    keys = {f"a/very/long/prefix/{'x' * 60}/loss_{j}": NAN for j in range(99)}
    rows = [{"step": 1_000_000 + i, **keys} for i in range(3)]
    (report,) = check(rows, select=(rule.id,))
    assert len(found(report, rule.id).headline) <= 66


def test_the_recorded_nan_gradient_is_dated_exactly_and_over() -> None:
    finding = found(diagnose("nan_gradient_40"), rule.id)
    assert ("error", False, 40, 40, 40) == (finding.worst, finding.active, finding.onset.step, finding.onset.lo, finding.onset.hi)
    assert ["optimizer-step-skipped"] == list(finding.follows)


def test_all_other_recorded_runs_pass() -> None:
    for path in sorted(LONG.iterdir()):
        if path.is_dir() and path.name != "nan_gradient_40":
            assert "passed" == ended(diagnose(path.name), rule.id), path.name
