"""Where a share's n is from, and what it and the design effect do to the test."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rl_diag_plugin.detectors import Proportion
from rl_diag_plugin.model import above, below

FIVE = [above(0.05, "warning", "practice")]


def _advance(running, x, counts=None):
    return running.advance(np.arange(len(x)), np.asarray(x, float), None if counts is None else np.asarray(counts, float))


@pytest.mark.parametrize("n", [16, 48, 64, 200, 256, 1000, 1024])
@pytest.mark.parametrize("digits", [16, 4])
def test_ten_distinct_shares_tell_their_n(n, digits):
    k = np.random.default_rng(n).permutation(np.arange(1, n))[:40]
    running = Proportion().start(FIVE)
    _advance(running, np.round(np.tile(k / n, 3), digits))
    assert (n, "grid") == (running.facts()["n"], running.facts()["n_from"])


def test_nine_shares_and_the_ends_tell_nothing():
    running = Proportion().start(FIVE)
    _advance(running, [*(k / 64 for k in range(1, 10)), 0.0, 1.0, 1 / 64 + 1e-9])
    assert (16, "assumed") == (running.facts()["n"], running.facts()["n_from"])
    _advance(running, [10 / 64])
    assert (64, "grid") == (running.facts()["n"], running.facts()["n_from"])


def test_a_coarser_grid_is_given_up_when_a_share_falls_between():
    running = Proportion().start(FIVE)
    _advance(running, [k / 32 for k in range(1, 20)])
    assert 32 == running.facts()["n"]
    _advance(running, [1 / 64])
    assert 64 == running.facts()["n"]


def test_shares_of_no_grid_are_taken_for_sixteen_samples():
    running = Proportion().start(FIVE)
    _advance(running, np.random.default_rng(0).random(400))
    assert (16, "assumed") == (running.facts()["n"], running.facts()["n_from"])


def test_logged_counts_come_before_the_settings_and_gaps_fall_back():
    running = Proportion().start(FIVE, n=64)
    _advance(running, [0.25, 0.25, 0.25], [100, float("nan"), 8])
    assert {"n": 8, "n_from": "logged", "k": 25 + 16 + 2, "pooled_n": 172} == running.facts()
    _advance(running, [0.25])
    assert (64, "settings") == (running.facts()["n"], running.facts()["n_from"])


def test_rows_without_samples_are_no_evidence():
    running = Proportion().start(FIVE)
    judged = _advance(running, [1.0] * 20, [0] * 20)
    assert 0 == judged.cond.max()
    assert [0.0] * 20 == judged.stat.tolist()


def test_shares_outside_zero_and_one_are_clipped():
    running = Proportion().start(FIVE, n=10)
    _advance(running, [-3.0, 7.0])
    assert (10, 20) == (running.facts()["k"], running.facts()["pooled_n"])


@pytest.mark.parametrize("effect", [1.0, 3.1])
def test_the_design_effect_multiplies_the_variance_not_the_counts(effect):
    n, t, z = 64, 0.05, 3.0
    fires = []
    for k in range(n + 1):
        running = Proportion(window=1).start(FIVE, n=n, design_effect=effect)
        fires.append(int(_advance(running, [k / n]).cond[0]))
        assert (k, n) == (running.facts()["k"], running.facts()["pooled_n"])
    assert [int(k - n * t > z * math.sqrt(n * t * (1 - t) * effect)) for k in range(n + 1)] == fires


def test_correlated_samples_fire_rarely_with_their_design_effect_and_often_without():
    """Groups of 8 with correlation 0.3 at a share of 0.04 under a limit of 0.05, 40 runs of 1,000 rows."""
    rng = np.random.default_rng(9)
    q = rng.beta(0.04 * 0.7 / 0.3, 0.96 * 0.7 / 0.3, (40, 1000, 8))
    x = rng.binomial(8, q).sum(2) / 64
    fired = []
    for effect in (1.0, 1 + 7 * 0.3):
        fired.append(0)
        for row in x:
            over = _advance(Proportion().start(FIVE, n=64, design_effect=effect), row).cond > 0
            fired[-1] += bool(np.convolve(over, np.ones(5), "valid").max() >= 5)
    assert fired[0] >= 10
    assert fired[1] <= 1


def test_a_hard_bound_needs_no_noise():
    judged = _advance(Proportion(window=1, z=0.0).start(FIVE, n=100), [0.05, 0.06, 0.04])
    assert [0, 1, 0] == judged.cond.tolist()
    assert [False, False, True] == judged.safe().tolist()


def test_too_few_successes_mirror_too_many_failures():
    x = np.array([0.9] * 20 + [0.5] * 20)
    low = _advance(Proportion().start([below(0.8, "warning", "practice")], n=64), x)
    high = _advance(Proportion().start([above(1 - 0.8, "warning", "practice")], n=64), 1 - x)
    assert high.cond.tolist() == low.cond.tolist()
    assert 0.5 == low.stat[-1]


def test_the_token_for_counts_is_kept_as_given():
    token = object()
    assert Proportion(count=token).count is token
