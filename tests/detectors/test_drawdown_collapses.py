"""A collapse is found wherever it comes, also where most of the run is after it; a healthy run keeps what it gained."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rl_diag_plugin.detectors import Drawdown
from rl_diag_plugin.model import loses

LIMITS = [loses(0.3, "error", "practice", se=8), loses(0.5, "critical", "practice", se=10)]
T = np.arange(1000)


def _fired(x, level=1):
    """Position at which ``hold`` observations in a row were over, or None."""
    detector = Drawdown()
    over = detector.start(LIMITS).advance(np.arange(x.size), x).cond >= level
    held = np.convolve(over, np.ones(detector.hold), "full")[: x.size] >= detector.hold
    return int(np.flatnonzero(held)[0]) if held.any() else None


def _noise(seed, n, phi):
    e = np.random.default_rng(seed).standard_normal(n) * math.sqrt(1 - phi * phi)
    for t in range(1, n):
        e[t] += phi * e[t - 1]
    return e


@pytest.mark.parametrize(
    ("at", "tau", "expected"), [(25, 10, (38, 38)), (40, 10, (50, 50)), (60, 25, (70, 71)), (300, 80, (311, 312)), (300, 150, (311, 313))]
)
def test_a_reward_that_falls_to_nothing_is_found(at, tau, expected):
    x = 0.1 + 0.64 * (1 - np.exp(-T / tau)) + 0.02 * np.cos(1.7 * T) + 0.02 * np.cos(2.9 * T)
    x[at:] = 0.02
    assert expected == (_fired(x), _fired(x, level=2))


def test_noise_in_which_nothing_was_learned_has_no_collapse():
    assert _fired(_noise(3, 1000, 0.3)) is None


def test_one_odd_row_among_equal_ones_is_nothing_learned():
    x = np.zeros(100)
    x[27] = 0.1
    assert _fired(x) is None


@pytest.mark.parametrize("phi", [0, 0.3, 0.5])
def test_ten_thousand_healthy_rows_are_quiet(phi):
    rise = 5 * (1 - np.exp(-np.arange(10_000) / 150))
    assert [None] * 5 == [_fired(_noise([7, seed], 10_000, phi) + rise) for seed in range(5)]


def test_a_drop_of_three_sd_is_found_within_thirty_rows():
    fired = _fired(_noise(8, 1000, 0) + 5 * (1 - np.exp(-T / 150)) - 3 * (T >= 500))
    assert fired is not None
    assert 509 <= fired < 530


def test_the_facts_name_the_best_mean_and_where_it_was():
    running = Drawdown().start(LIMITS)
    x = np.concatenate((np.linspace(0, 1, 100), np.full(100, 0.2)))
    judged = running.advance(np.arange(200), x)
    facts = running.facts()
    assert 100 == facts["best_at"]
    assert x[90:100].mean() == pytest.approx(facts["best"])
    assert np.median(x[:20]) == pytest.approx(facts["start"])
    assert (facts["best"] - 0.2) / (facts["best"] - facts["start"]) == pytest.approx(judged.stat[-1])
