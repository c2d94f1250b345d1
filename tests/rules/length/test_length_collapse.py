"""Rule length-collapse."""

from __future__ import annotations

import pytest

from rl_diag_plugin.authoring import Example, constant, ramp, step_change
from rl_diag_plugin.metrics.rollout import RESPONSE_LEN, ROLLOUT_REWARD
from rl_diag_plugin.rules.length.length_collapse import length_collapse as rule
from rl_diag_plugin.testing import check_rule, run_example

from ..recordings import LONG, diagnose, ended, found

SHORT = step_change(400, 120, at=60, n=120, sd=10)


def test_it_keeps_the_contract() -> None:
    check_rule(rule)


@pytest.mark.parametrize(("length", "severity"), [(300, "passed"), (150, "warning"), (40, "error")])
def test_the_share_of_its_own_start_decides(length: float, severity: str) -> None:
    assert severity == ended(run_example(rule, Example({RESPONSE_LEN: step_change(400, length, at=60, n=120)})), rule.id)


def test_short_answers_at_the_best_reward_are_efficient_ones() -> None:
    rising = run_example(rule, Example({RESPONSE_LEN: SHORT, ROLLOUT_REWARD: ramp(0.2, 0.9, n=120)}))
    falling = run_example(rule, Example({RESPONSE_LEN: SHORT, ROLLOUT_REWARD: ramp(0.9, 0.2, n=120)}))
    flat = run_example(rule, Example({RESPONSE_LEN: SHORT, ROLLOUT_REWARD: constant(0.4, 120)}))
    assert ["info", "warning", "warning"] == [ended(report, rule.id) for report in (rising, falling, flat)]


def test_it_is_dated_to_the_fall() -> None:
    onset = found(run_example(rule, Example({RESPONSE_LEN: SHORT})), rule.id).onset
    assert (59, 60, 61) == (onset.lo, onset.step, onset.hi)


def test_no_recorded_run_has_it() -> None:
    for path in sorted(LONG.iterdir()):
        if path.is_dir():
            assert "passed" == ended(diagnose(path.name), rule.id), path.name
