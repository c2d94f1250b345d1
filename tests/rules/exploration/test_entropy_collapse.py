"""Rule entropy-collapse."""

from __future__ import annotations

import pytest

from rl_diag_plugin.authoring import Example, constant, ramp
from rl_diag_plugin.metrics.rollout import ROLLOUT_REWARD
from rl_diag_plugin.metrics.update import ENTROPY
from rl_diag_plugin.rules.exploration.entropy_collapse import entropy_collapse as rule
from rl_diag_plugin.testing import check_rule, run_example

from ..recordings import LONG, diagnose, ended, found

GONE = ramp(1.0, 0.005, start=15, end=35, n=80)


def test_it_keeps_the_contract() -> None:
    check_rule(rule)


@pytest.mark.parametrize(("end", "severity"), [(0.2, "passed"), (0.05, "warning"), (0.005, "error")])
def test_the_share_of_its_own_start_decides(end: float, severity: str) -> None:
    assert severity == ended(run_example(rule, Example({ENTROPY: ramp(1.0, end, start=15, end=35, n=80)})), rule.id)


def test_the_usual_fall_by_three_quarters_is_none() -> None:
    assert "passed" == ended(run_example(rule, Example({ENTROPY: ramp(0.9, 0.24, end=40, n=300, sd=0.02)})), rule.id)


def test_a_low_level_alone_is_none() -> None:
    """A healthy agent run lies at 0.035 nats."""
    assert "passed" == ended(run_example(rule, Example({ENTROPY: constant(0.035)})), rule.id)


def test_at_the_best_reward_it_stays_a_warning() -> None:
    rising = run_example(rule, Example({ENTROPY: GONE, ROLLOUT_REWARD: ramp(0.1, 0.9, n=80)}))
    falling = run_example(rule, Example({ENTROPY: GONE, ROLLOUT_REWARD: ramp(0.9, 0.1, n=80)}))
    assert ["warning", "error"] == [ended(report, rule.id) for report in (rising, falling)]


def test_the_recorded_collapse_is_dated_to_the_steps_in_which_it_falls() -> None:
    """Entropy is below 1 nat at step 10, below 0.3 at 14."""
    finding = found(diagnose("entropy_collapse"), rule.id)
    assert ("warning", True) == (finding.worst, finding.active)
    assert finding.onset.lo is not None and finding.onset.hi is not None
    assert finding.onset.lo <= 10 <= finding.onset.hi <= finding.onset.lo + 20


def test_no_other_recorded_run_has_it() -> None:
    """Entropy falls from 2.2 to 1.6 because a healthy run learns, and to 0.32 with twenty times the learning rate."""
    for path in sorted(LONG.iterdir()):
        if path.is_dir() and path.name != "entropy_collapse":
            assert "passed" == ended(diagnose(path.name), rule.id), path.name
