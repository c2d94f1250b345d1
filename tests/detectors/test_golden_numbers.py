"""Each streaming form gives known numbers: published ones, and those of inputs that a formula or a seed makes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rl_diag_plugin.detectors import Cusum, Drawdown, Exact, Flat, Gap, Level, NonFinite, Proportion, Relative, Spike, Trend
from rl_diag_plugin.detectors.statistics import ar1_factor, mann_kendall, wilson
from rl_diag_plugin.model import above, below, loses

T = np.arange(600)
Y = np.cos(1.7 * T) + np.cos(2.9 * T)  # sd 1, no trend
LOG3, LOG5 = math.log(3), math.log(5)


def _limits(side, *values):
    return [side(v, s, "practice") for v, s in zip(values, ("warning", "error", "critical"), strict=False)]


def _judge(running, x):
    x = np.asarray(x, float)
    return running.advance(np.arange(x.size), x)


def _episodes(detector, judged, worst=max):
    """(start, fired, last, peak, level) by hold and clear alone, the level never falling."""
    found, held, calm, now = [], [], 0, None
    over = [0] * 3
    for i, c, s, m in zip(judged.at.tolist(), judged.cond.tolist(), judged.safe().tolist(), judged.stat.tolist(), strict=True):
        over = [n + 1 if c > level else 0 for level, n in enumerate(over)]
        held = [*held, (i, m)][-detector.hold :] if c else []
        if now is None and over[0] >= detector.hold:
            now, calm = [held[0][0], i, i, worst(v for _, v in held), 1], 0
            found.append(now)
        if now is None:
            continue
        now[4] = max(now[4], sum(n >= detector.hold for n in over))
        if c:
            now[2], now[3], calm = i, worst(now[3], m), 0
            continue
        calm = calm + 1 if s else 0
        now = None if calm >= detector.clear else now
    return [tuple(round(v, 5) for v in episode) for episode in found]


@pytest.mark.parametrize(
    ("k", "n", "bounds"),
    [
        (32, 640, (0.0298, 0.0827)),
        (45, 640, (0.0456, 0.1070)),
        (51, 640, (0.0531, 0.1179)),
        (64, 640, (0.0698, 0.1413)),
        (0, 640, (0.0, 0.0139)),
        (5, 64, (0.0225, 0.2378)),
    ],
)
def test_wilson_bounds_at_three_sigma(k, n, bounds):
    assert bounds == tuple(round(b, 4) for b in wilson(k, n, 3))


def test_the_score_test_is_wilsons_lower_bound():
    for n in (64, 641):
        for t in (0.01, 0.05, 0.1, 0.15, 0.5):
            by_bound = [wilson(k, n, 3)[0] > t for k in range(n + 1)]
            by_score = [k - n * t > 3 * math.sqrt(n * (t * (1 - t))) for k in range(n + 1)]
            assert by_bound == by_score


@pytest.mark.parametrize(("n", "phi", "factor"), [(100, 0.2, 1.494), (100, 0.5, 2.960), (200, 0.5, 2.980), (60, 0.8, 8.333)])
def test_autocorrelation_widens_the_mann_kendall_variance(n, phi, factor):
    assert factor == round(ar1_factor(phi, n), 3)


def test_mann_kendall_of_forty_blocks():
    i = np.arange(40)
    got = mann_kendall(np.cos(1.7 * i) + 0.1 * i)
    assert (506, 7366.667, 0.096098, 5.8838, 0.0) == (
        got.score,
        round(got.variance, 3),
        round(got.slope, 6),
        round(got.z, 4),
        got.phi,
    )


def _run_length(k, h, shift=0.0, states=300):
    """Mean run length of a CUSUM as a Markov chain (Brook & Evans 1972)."""
    w = 2 * h / (2 * states - 1)
    normal = np.vectorize(lambda v: 0.5 * (1 + math.erf(v / math.sqrt(2))))
    i, j = np.arange(states)[:, None] * w, np.arange(states)[None, :] * w
    q = normal(j - i + w / 2 + k - shift) - normal(j - i - w / 2 + k - shift)
    q[:, 0] = normal(-i[:, 0] + w / 2 + k - shift)
    return float(np.linalg.solve(np.eye(states) - q, np.ones(states))[0])


def test_cusum_run_lengths_with_a_known_baseline():
    """Brook & Evans: 931 in control at k = 0.5, h = 5; 10.4 after a shift of one sd. Clipping shortens neither by much."""
    assert (931, 10.4) == (round(_run_length(0.5, 5)), round(_run_length(0.5, 5, 1), 1))
    lengths, delays = [], []
    rng = np.random.default_rng(11)
    for _ in range(150):
        for shift, out in ((0.0, lengths), (1.0, delays)):
            running = Cusum(effect=0.0, n0=2, h=5, widen=0.0).start(_limits(above, 0.0))
            running.restore({**running.state(), "mu": 0.0, "sd": 1.0, "seen": 2})
            running.gates = [-math.inf]
            running.last = [0.0] * 10
            on = np.flatnonzero(_judge(running, rng.standard_normal(16_000 if not shift else 200) + shift).cond)
            out.append(on[0] + 1 if on.size else 16_000)
    assert abs(np.mean(lengths) - 931) < 3 * np.std(lengths) / math.sqrt(150)
    assert abs(np.mean(delays) - 10.4) < 3 * np.std(delays) / math.sqrt(150)


def test_level_fires_on_the_sixth_high_row():
    detector = Level()
    judged = _judge(detector.start(_limits(above, 0.5, 0.75)), [0.2] * 30 + [0.8] * 30 + [0.1] * 30)
    assert [(35, 39, 63, 0.8, 2)] == _episodes(detector, judged)


def test_level_takes_the_lower_median():
    judged = _judge(Level().start(_limits(above, 0.5)), [0.2, 0.8] * 25)
    assert 0 == judged.cond.max()


def test_level_below_mirrors_level_above():
    x = [0.8] * 30 + [0.2] * 30 + [0.9] * 30
    judged = _judge(Level(clear_at=0.65).start(_limits(below, 0.5, 0.25)), x)
    assert [(35, 39, 63, 0.2, 2)] == _episodes(Level(), judged, min)


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        ([0.02] * 40 + [0.08] * 60, [(49, 53, 1)]),
        ([0.02] * 40 + [0.15] * 40 + [0.01] * 60, [(44, 48, 2)]),
        ([0.20] * 20, [(0, 4, 3)]),
        (np.random.default_rng(1).binomial(64, 0.02, 1000) / 64, []),
    ],
)
def test_proportion_of_sixty_four(x, expected):
    detector = Proportion()
    judged = _judge(detector.start(_limits(above, 0.05, 0.10, 0.15), n=64), x)
    assert expected == [(start, fired, level) for start, fired, _, _, level in _episodes(detector, judged)]


def test_proportion_is_over_when_its_last_bad_row_has_left():
    judged = _judge(Proportion().start(_limits(above, 0.05, 0.10, 0.15), n=64), [0.02] * 40 + [0.15] * 40 + [0.01] * 60)
    assert [(44, 48, 84, 0.15625, 2)] == _episodes(Proportion(), judged)


def test_cusum_baseline():
    running = Cusum(effect=0.0).start(_limits(above, 0.0))
    _judge(running, Y[:50])
    facts = running.facts()
    assert (-0.211178, 1.148921, 0.0, 0.853553) == (round(facts["baseline"], 6), round(facts["sd"], 6), facts["phi"], round(running.k, 6))
    assert (1, 50) == (facts["first"], facts["last"])


def test_cusum_follows_a_shift_up_and_down_again():
    x = Y + 2 * ((T >= 300) & (T < 450))
    running = Cusum(effect=0.0).start(_limits(above, 0.0))
    on, sums = [], []
    for t in T:
        running.advance(T[t : t + 1], x[t : t + 1])
        on.append(running.on)
        sums.append(running.facts().get("sum", 0.0))
    assert (307, 463, 160.69) == (int(np.flatnonzero(on)[0]), int(np.flatnonzero(on)[-1]), round(max(sums), 2))


def test_cusum_speaks_only_while_the_effect_lasts():
    x = Y + 2 * ((T >= 300) & (T < 450))
    judged = _judge(Cusum(effect=1.0).start(_limits(above, 1.0, 2.0)), x)
    over = np.flatnonzero(judged.cond)
    assert (307, 455) == (int(over[0]), int(over[-1]))
    assert 1 < judged.stat[over].min() < judged.stat[over].max() < 4.5


@pytest.mark.parametrize(("side", "sign"), [(above, 1), (below, -1)])
def test_trend_fires_at_block_twenty_two(side, sign):
    judged = _judge(Trend(z=3.29).start(_limits(side, sign * 0.5)), sign * (Y + 0.01 * T))
    assert 109 == int(np.flatnonzero(judged.cond)[0])
    assert sign == np.sign(judged.stat[109])


def test_trend_at_its_default_needs_more_evidence():
    first = [int(np.flatnonzero(_judge(Trend(z=z).start(_limits(above, 0.5)), Y + 0.004 * T).cond)[0]) for z in (3.29, Trend().z)]
    assert [159, 209] == first


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (0.005 * Y[:500], ("flat", -0.000075, 0.000401, 0.000998)),
        (0.005 * Y[:500] + 0.0002 * T[:500], ("rising", 0.095125, 0.000401, 0.000998)),
        (0.2 * np.random.default_rng(3).standard_normal(100), ("undecided", -0.046443, 0.075983, 0.188969)),
    ],
)
def test_flat_says_what_it_could_have_seen(x, expected):
    by_limit, by_delta = Flat().start(_limits(below, 0.02)), Flat(delta=0.02).start(_limits(above, 1.0))
    for running in (by_limit, by_delta):
        _judge(running, x)
        facts = running.facts()
        assert expected == (facts["verdict"], *(round(facts[key], 6) for key in ("rise", "se", "mdr")))


def test_flat_merges_its_blocks():
    running = Flat().start(_limits(below, 0.02))
    _judge(running, 0.005 * Y[:500])
    assert (4, 125) == (running.width, len(running.means))


def test_spike_single_repeated_and_burst():
    x = 0.2 * Y[:300]
    x[[100, 150, 180, 210, 250, 251, 253]] += 2.5
    judged = _judge(Spike().start(_limits(above, LOG5, LOG5, LOG3)), x)
    assert [1, 1, 2, 2, 2, 2, 3] == judged.cond[[100, 150, 180, 210, 250, 251, 253]].tolist()


def test_spike_with_one_limit_knows_singles_only():
    x = 0.2 * Y[:300]
    x[[100, 150, 180, 210]] += 2.5
    judged = _judge(Spike().start(_limits(above, LOG5)), x)
    assert [100, 150, 180, 210] == np.flatnonzero(judged.cond).tolist()
    assert bool((judged.stat[[100, 150]] > LOG5).all())


def test_relative_halves():
    detector = Relative()
    running = detector.start(_limits(below, 0.5, 0.2))
    assert [(70, 79, 119, 0.4, 1)] == _episodes(detector, _judge(running, [1.0] * 60 + [0.4] * 60), min)
    assert {"baseline": 1.0, "first": 6, "last": 25} == running.facts()


def test_relative_of_sparse_evaluations():
    detector = Relative(window=2, skip=0, n0=1)
    assert (1, 2) == (detector.needed, detector.warmup)
    judged = _judge(detector.start(_limits(below, 0.9)), [0.5, 0.5, 0.4, 0.4])
    assert [0, 0, 0, 1] == judged.cond.tolist()
    assert 0.8 == judged.stat[3]


def test_relative_difference_is_a_departure_from_the_baseline():
    x = [-2.0] * 40 + [-1.0] * 40
    judged = _judge(Relative(difference=True).start(_limits(above, 0.5, 0.9)), x)
    assert (50, 2, 1.0) == (int(np.flatnonzero(judged.cond)[0]), int(judged.cond.max()), float(judged.stat[79]))
    mirrored = _judge(Relative(difference=True).start(_limits(below, -0.5, -0.9)), [-v for v in x])
    assert judged.cond.tolist() == mirrored.cond.tolist()
    assert -1.0 == float(mirrored.stat[79])


def test_no_multiple_of_a_baseline_of_zero_is_exceeded():
    assert 0 == _judge(Relative().start(_limits(above, 2.0)), [0.0] * 30 + [5.0] * 50).cond.max()


def test_gap_of_forty_one_steps_among_tens():
    steps = np.concatenate((np.arange(0, 200, 10), [231, 260, 270]))
    judged = Gap().start(_limits(above, 3.0)).advance(steps, np.zeros(23))
    assert [20] == np.flatnonzero(judged.cond).tolist()
    assert 4.1 == float(judged.stat[20])


def test_exact_counts_the_tolerances_exceeded():
    judged = _judge(Exact().start(_limits(above, 1e-6, 1e-3)), [0.0, 1e-6, 1e-5, 1e-2])
    assert [0, 0, 1, 2] == judged.cond.tolist()
    assert [True, True, False, False] == judged.safe().tolist()
    assert [0.0, 1e-6, 1e-5, 1e-2] == judged.stat.tolist()


def test_nonfinite_sees_what_the_others_drop():
    x = [1.0, float("nan"), float("inf")]
    assert [0, 1, 1] == _judge(NonFinite().start(_limits(above, 0.0)), x).cond.tolist()
    assert [0] == _judge(Exact().start(_limits(above, 1.5)), x).at.tolist()


def test_drawdown_of_a_learned_curve():
    detector = Drawdown(hold=3)
    t = T[:500]
    x = 0.3 * np.cos(1.7 * t) - 0.5 + 1.8 * (1 - np.exp(-t / 80)) - 1.2 * (t >= 300)
    running = detector.start([loses(0.3, "error", "practice", se=8), loses(0.5, "critical", "practice", se=10)])
    (episode,) = _episodes(detector, _judge(running, x))
    facts = running.facts()
    assert (306, 308, 2) == (episode[0], episode[1], episode[4])
    assert 1.25028 == round(episode[3] * (facts["best"] - facts["start"]), 5)
