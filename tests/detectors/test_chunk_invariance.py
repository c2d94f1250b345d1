"""However the observations are cut, and saved and restored at the cuts, the judgements and the state have the same bits."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rl_diag_plugin.detectors import Cusum, Drawdown, Exact, Flat, Gap, Level, NonFinite, Proportion, Relative, Spike, Trend
from rl_diag_plugin.model import above, below, loses

LOG3, LOG5 = math.log(3), math.log(5)
LOSES = (loses(0.3, "error", "practice", se=8), loses(0.5, "critical", "practice", se=10))


def _above(*values):
    return [above(v, s, "practice") for v, s in zip(values, ("warning", "error", "critical"), strict=False)]


def _below(*values):
    return [below(v, s, "practice") for v, s in zip(values, ("warning", "error", "critical"), strict=False)]


# name: (start, scale, offset) — the series has unit scale, limits sit near offset + scale
CASES = {
    "level above": (lambda: Level().start(_above(0.5, 0.75, 0.9)), 0.25, 0.4),
    "level below, even window": (lambda: Level(window=20).start(_below(0.2, 0.1)), 0.2, 0.3),
    "level of one row": (lambda: Level(window=1, least=1, clear_at=-0.5).start(_above(-0.2, 0.4)), 1, 0),
    "level of 51 rows": (lambda: Level(window=51, least=1, clear_at=0.0).start(_above(0.5)), 1, 0),
    "exact": (lambda: Exact().start(_above(0.5, 1, 2)), 1, 0),
    "exact below": (lambda: Exact().start(_below(-0.5, -1)), 1, 0),
    "nonfinite": (lambda: NonFinite().start(_above(0.0)), 1, 0),
    "gap": (lambda: Gap().start(_above(3, 5)), 1, 0),
    "spike": (lambda: Spike().start(_above(LOG5, LOG5, LOG3)), 0.6, 0),
    "spike below": (lambda: Spike(window=31, least=10).start(_below(-1.0)), 0.6, 0),
    "cusum above": (lambda: Cusum(effect=1.0).start(_above(1, 2)), 1, 0),
    "cusum below": (lambda: Cusum(effect=0.5, n0=20, skip=3, h=5).start(_below(-0.2)), 1, 0),
    "trend above": (lambda: Trend(z=2.5).start(_above(0.5, 1, 2)), 1, 0),
    "trend below": (lambda: Trend().start(_below(-0.1)), 1, 0),
    "drawdown": (lambda: Drawdown().start(LOSES), 1, 0),
    "drawdown, loose": (lambda: Drawdown(learned=1.0).start([loses(0.1, "error", "practice", se=1.5)]), 1, 0),
    "flat": (lambda: Flat().start(_below(2.0, 0.5)), 1, 0),
    "flat, narrow": (lambda: Flat(delta=0.2, cap=32, least=20, every=4).start(_above(0.1)), 1, 0),
    "relative below": (lambda: Relative().start(_below(0.5, 0.2)), 0.7, 1),
    "relative above": (lambda: Relative(window=10).start(_above(1.5, 2)), 0.7, 1),
    "relative of two rows": (lambda: Relative(window=2, skip=0, n0=1).start(_below(0.5)), 0.5, 1),
    "relative difference": (lambda: Relative(difference=True).start(_above(0.5, 1)), 1, -2),
    "relative difference below": (lambda: Relative(difference=True, n0=7).start(_below(-0.5)), 1, 0),
    "proportion, grid": (lambda: Proportion().start(_above(0.05, 0.10, 0.15)), 0.04, 0.06),
    "proportion, settings": (lambda: Proportion(z=0.0).start(_above(0.05), n=64, design_effect=3.1), 0.03, 0.05),
    "proportion below": (lambda: Proportion().start(_below(0.9, 0.8), n=100), 0.1, 0.9),
}


def _series(rng, scale, offset):
    """AR(1) noise with shifts, ramps, spikes, constants, ties, values that are not finite, and huge ones."""
    n = int(rng.integers(20, 900))
    phi = rng.choice([0, 0.5, 0.9])
    e = rng.standard_normal(n) * math.sqrt(1 - phi * phi)
    for t in range(1, n):
        e[t] += phi * e[t - 1]
    x = e + 5 * (1 - np.exp(-np.arange(n) / 60)) * rng.integers(0, 2)
    for kind in rng.integers(0, 6, rng.integers(0, 6)):
        a, b = sorted(rng.integers(0, n, 2))
        if kind == 0:
            x[a:b] += rng.normal(0, 4)
        elif kind == 1:
            x[rng.integers(0, n, 8)] += 9
        elif kind == 2:
            x[a:b] += np.linspace(0, rng.normal(0, 6), b - a)
        elif kind == 3:
            x[a:b] = x[a]
        elif kind == 4:
            x[a:b] = np.round(x[a:b] * 4) / 4
        else:
            x[a:b] = np.sign(x[a:b]) * 0.0
    x = offset + scale * x
    if rng.random() < 0.5:
        x = np.round(x * 64) / 64
    if rng.random() < 0.5:
        where = rng.integers(0, n, max(1, n // 40))
        x[where] = rng.choice([np.nan, np.inf, -np.inf, 1e308, -1e308], where.size)
    steps = np.cumsum(np.where(rng.random(n) < 0.03, rng.integers(2, 30, n), 1))
    counts = np.where(rng.random(n) < 0.2, np.nan, rng.integers(0, 300, n).astype(float)) if rng.random() < 0.3 else None
    return steps, x, counts


def _judgements(start, steps, x, counts, ends, restore):
    running, parts, i = start(), [], 0
    for end in ends:
        judged = running.advance(steps[i:end], x[i:end], None if counts is None else counts[i:end])
        parts.append((judged.at + i, judged.cond, judged.safe(), judged.stat))
        i = end
        if restore():
            state = json.dumps(running.state(), allow_nan=False)
            running = start()
            running.restore(json.loads(state))
    return [np.concatenate(column) for column in zip(*parts, strict=True)], json.dumps(running.state(), allow_nan=False), running.facts()


def _cuts(rng, n, style):
    ends, i = [], 0
    while i < n:
        i += 1 if style == 0 else int(rng.integers(1, (0, 14, 80, 400)[style]))
        ends.append(min(i, n))
    return ends


def _same(a, b):
    return a.shape == b.shape and a.dtype.kind == b.dtype.kind and bool(((a == b) | ((a != a) & (b != b))).all())


@pytest.mark.parametrize("name", CASES)
@settings(max_examples=12, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**32 - 1), style=st.integers(0, 3))
def test_no_cut_and_no_restart_changes_a_bit(name, seed, style):
    start, scale, offset = CASES[name]
    rng = np.random.default_rng(seed)
    steps, x, counts = _series(rng, scale, offset)
    whole, whole_state, whole_facts = _judgements(start, steps, x, counts, [x.size], lambda: False)
    cut, cut_state, cut_facts = _judgements(start, steps, x, counts, _cuts(rng, x.size, style), lambda: rng.random() < 0.3)
    for column, expected, actual in zip(("at", "cond", "safe", "stat"), whole, cut, strict=True):
        assert _same(expected, actual), (column, np.flatnonzero(expected != actual)[:5])
    assert whole_state == cut_state
    assert whole_facts == cut_facts
    _, cond, safe, stat = whole
    assert not (cond.astype(bool) & safe).any()
    assert np.isfinite(stat[cond > 0]).all()


@pytest.mark.parametrize("name", CASES)
def test_only_the_past_matters(name):
    start, scale, offset = CASES[name]
    steps, x, _ = _series(np.random.default_rng(5), scale, offset)
    whole, _, _ = _judgements(start, steps, x, None, [x.size], lambda: False)
    half, _, _ = _judgements(start, steps[: x.size // 2], x[: x.size // 2], None, [x.size // 2], lambda: False)
    for expected, actual in zip(half, whole, strict=True):
        assert _same(expected, actual[: expected.size])


@pytest.mark.parametrize("name", CASES)
def test_the_state_stays_small(name):
    start, scale, offset = CASES[name]
    running = start()
    rng = np.random.default_rng(1)
    for i in range(0, 20_000, 4000):
        running.advance(np.arange(i, i + 4000), offset + scale * rng.standard_normal(4000))
    assert len(json.dumps(running.state())) < 12_000


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("values", [[], [float("nan")] * 30, [1e308, -1e308] * 40, [0.0, -0.0] * 40, [float("inf")] * 5])
def test_odd_values_pass(name, values):
    start = CASES[name][0]
    x = np.array(values, float)
    steps = np.arange(x.size)
    whole, state, _ = _judgements(start, steps, x, None, [x.size], lambda: True)
    single, single_state, _ = _judgements(start, steps, x, None, [*range(1, x.size + 1)] or [0], lambda: False)
    assert state == single_state
    for expected, actual in zip(whole, single, strict=True):
        assert _same(expected, actual)
