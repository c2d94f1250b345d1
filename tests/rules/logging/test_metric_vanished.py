"""Rule metric-vanished."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from rl_diag_plugin.api import check
from rl_diag_plugin.model import Report
from rl_diag_plugin.rules.logging.metric_vanished import metric_vanished as rule
from rl_diag_plugin.testing import check_rule

from ..recordings import LONG, diagnose, ended, found

When: TypeAlias = Callable[[int], float | None]


def logged(when: Mapping[str, When], n: int = 100) -> Report:
    """``loss`` in every row, the others where ``when`` gives a value."""
    rows = []
    for i in range(n):
        row: dict[str, Any] = {"step": i, "loss": 1.0}
        for key, value in when.items():
            if value(i) is not None:
                row[key] = value(i)
        rows.append(row)
    (report,) = check(rows, select=(rule.id,))
    return report


def test_it_keeps_the_contract() -> None:
    check_rule(rule)


def test_a_key_that_stops_is_information() -> None:
    finding = found(logged({"kl": lambda i: 0.1 if i < 60 else None}), rule.id)
    assert ("info", "No longer logged since step 59: kl") == (finding.worst, finding.headline)


def test_its_own_spacing_decides() -> None:
    assert "passed" == ended(logged({"evaluation": lambda i: 0.5 if i % 10 == 0 and i < 120 else None}, 200), rule.id)
    assert "info" == ended(logged({"evaluation": lambda i: 0.5 if i % 10 == 0 and i < 110 else None}, 240), rule.id)


def test_several_keys_are_one_finding() -> None:
    gone: dict[str, When] = {f"key_{j}": (lambda i: 0.5 if i < 50 else None) for j in range(30)}
    finding = found(logged(gone), rule.id)
    assert "30 keys are no longer logged, the first since step 49" == finding.headline
    assert 8 == len(finding.evidence)


def test_an_extreme_missing_where_its_average_is_infinite_is_an_overflow() -> None:
    lasting = logged({"ratio/avg": lambda i: 1.0 if i < 95 else math.inf, "ratio/max": lambda i: 2.0 if i < 95 else None})
    once = logged({"ratio/avg": lambda i: 1.0 if i != 50 else math.inf, "ratio/max": lambda i: 2.0 if i != 50 else None})
    assert ("warning", True) == (found(lasting, rule.id).worst, found(lasting, rule.id).active)
    assert "Overflow of ratio: average infinite since step 95" == found(lasting, rule.id).headline
    assert ("warning", False, 50) == (found(once, rule.id).worst, found(once, rule.id).active, found(once, rule.id).onset.step)


def test_keys_that_come_and_go_without_a_fault_are_none() -> None:
    """106 to 122 of 124 keys a row: empty denominators, windows in which nothing finished, evaluations."""
    for path in sorted(LONG.iterdir()):
        if path.is_dir():
            assert "passed" == ended(diagnose(path.name), rule.id), path.name
