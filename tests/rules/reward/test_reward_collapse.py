from __future__ import annotations

import numpy as np

from rl_diag_plugin.authoring import Example, shares
from rl_diag_plugin.metrics.rollout import ROLLOUT_REWARD
from rl_diag_plugin.rules.reward.reward_collapse import reward_collapse
from rl_diag_plugin.testing import check_rule, run_example

from ..recordings import LONG, diagnose, finding, found


def rising(n: int) -> np.ndarray:
    return 0.3 + 0.6 * (1 - np.exp(-np.arange(n) / (n / 5)))


def test_keeps_the_contract() -> None:
    check_rule(reward_collapse)


def test_a_fall_of_half_of_the_gain_is_critical_and_says_from_where_to_where() -> None:
    p = rising(300)
    p[200:] = 0.3
    (alarm,) = run_example(reward_collapse, Example({ROLLOUT_REWARD: shares(p, 128)})).findings
    assert "critical" == alarm.severity
    assert alarm.onset.lo is not None and alarm.onset.hi is not None and alarm.onset.lo <= 200 <= alarm.onset.hi
    assert alarm.headline.startswith("Reward fell from 0.88")


def test_a_fall_of_a_tenth_of_the_gain_is_noise() -> None:
    p = rising(300)
    p[200:] -= 0.06
    assert not run_example(reward_collapse, Example({ROLLOUT_REWARD: shares(p, 128)})).findings


def test_a_fall_from_a_level_that_was_never_learnt_is_not_its_business() -> None:
    p = np.full(200, 0.35)
    p[100:] = 0.1
    assert not run_example(reward_collapse, Example({ROLLOUT_REWARD: shares(p, 128)})).findings


def test_healthy_runs_of_ten_thousand_rows_are_quiet() -> None:
    for seed in range(5):
        assert not run_example(reward_collapse, Example({ROLLOUT_REWARD: shares(rising(10_000), 128, seed=seed)})).findings


def test_the_verifier_that_breaks_at_40_is_dated_to_40() -> None:
    alarm = found(diagnose("verifier_breaks_40"), "reward-collapse")
    assert ("critical", 40, 39, 41) == (alarm.severity, alarm.onset.step, alarm.onset.lo, alarm.onset.hi)
    assert "reward-constant" == alarm.symptom_of


def test_a_reward_that_rises_and_then_falls_has_collapsed() -> None:
    alarm = found(diagnose("kl_without_reference"), "reward-collapse")
    assert alarm.onset.lo is not None and alarm.onset.hi is not None and alarm.onset.hi - alarm.onset.lo <= 20


def test_no_other_recording_has_collapsed() -> None:
    for run in sorted(path.name for path in LONG.iterdir()):
        if run not in ("verifier_breaks_40", "kl_without_reference"):
            assert finding(diagnose(run), "reward-collapse") is None, run
