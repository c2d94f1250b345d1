"""Specifications: what they ask of their limits, what they say, and what is drawn."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from rl_diag_plugin.detectors import Cusum, Drawdown, Exact, Flat, Gap, Level, NonFinite, Proportion, Relative, Spike, Trend
from rl_diag_plugin.model import above, below, loses

A, B = above(0.5, "warning", "practice"), above(0.9, "error", "practice")
LOSES = loses(0.3, "error", "practice", se=8)

#            detector           hold clear warm-up limits      label
SPECS = {
    "level": (Level(), 5, 10, 5, [A, B], "median of 10 rows"),
    "proportion": (Proportion(), 5, 10, 0, [A, B], "share pooled over 10 rows"),
    "exact": (Exact(), 3, 10, 0, [A, B], ""),
    "nonfinite": (NonFinite(), 1, 1, 0, [A], ""),
    "gap": (Gap(), 1, 1, 10, [B], ""),
    "spike": (Spike(), 1, 10, 20, [A, B], "distance from the median of 50 rows"),
    "cusum": (Cusum(effect=1.0), 1, 1, 50, [A, B], "median of 10 rows against the first 50"),
    "trend": (Trend(), 1, 100, 60, [A, B], "rise over 200 rows"),
    "drawdown": (Drawdown(), 10, 10, 30, [LOSES], "mean of 10 rows"),
    "flat": (Flat(), 1, 1, 60, [A], "upper 95 % bound of the rise"),
    "relative": (Relative(), 10, 10, 35, [A, B], "median of 20 rows over that of rows 6–25"),
}


@pytest.mark.parametrize("name", SPECS)
def test_defaults_and_words(name):
    detector, hold, clear, warmup, _, label = SPECS[name]
    assert (hold, clear, warmup, label) == (detector.hold, detector.clear, detector.warmup, detector.label())


@pytest.mark.parametrize("name", SPECS)
def test_a_specification_is_a_value(name):
    detector = SPECS[name][0]
    assert detector == dataclasses.replace(detector)
    assert hash(detector) == hash(dataclasses.replace(detector))
    assert 7 == dataclasses.replace(detector, hold=7).hold
    with pytest.raises(dataclasses.FrozenInstanceError):
        detector.hold = 3


@pytest.mark.parametrize("name", SPECS)
def test_nothing_is_over_before_the_warm_up_and_finite_values_are_counted(name):
    detector, _, _, warmup, limits, _ = SPECS[name]
    x = np.random.default_rng(0).standard_normal(400) * 9
    x[::7] = np.nan
    running = detector.start(limits)
    judged = running.advance(np.cumsum(np.arange(400)), x)
    assert np.count_nonzero(np.isfinite(x)) == running.seen or name == "gap"  # whose observations are the steps
    finite = np.arange(400) if name == "gap" else np.flatnonzero(np.isfinite(x))
    early = judged.at < finite[warmup - 1] if warmup else np.zeros(judged.at.size, bool)
    assert not judged.cond[early].any()


@pytest.mark.parametrize("name", SPECS)
def test_the_statistic_is_drawn_at_every_value(name):
    detector = SPECS[name][0]
    x = np.linspace(1.0, 2.0, 300)
    x[50] = np.nan
    for width in (1, 4, 1000):
        drawn = detector.statistic(x, width)
        assert x.shape == drawn.shape
        assert np.isnan(drawn[50])
        assert np.isfinite(drawn[-1])
    assert 0 == detector.statistic(np.empty(0)).size
    assert bool(np.isnan(x[50]))


def test_what_is_drawn_is_what_was_judged():
    x = np.random.default_rng(2).standard_normal(300)
    limits = [above(-1e6, "warning", "practice")]
    judged = Level(clear_at=-2e6).start(limits).advance(np.arange(300), x)
    drawn = Level().statistic(x)
    assert drawn[4:].tolist() == judged.stat[4:].tolist()
    assert [1, 1, 1, 1] == [int(np.isnan(v)) for v in drawn[:4]]
    x = np.abs(x)
    judged = Relative().start([above(1e-6, "warning", "practice")]).advance(np.arange(300), x)
    assert Relative().statistic(x)[34:].tolist() == judged.stat[34:].tolist()


def test_a_wider_point_narrows_the_window():
    x = np.array([0.0, 0, 9, 9, 9, 9])
    assert [0.0, 0, 0, 0, 9, 9] == Level(window=4, least=1).statistic(x, 1).tolist()
    assert [0.0, 0, 0, 9, 9, 9] == Level(window=4, least=1).statistic(x, 2).tolist()
    assert x.tolist() == Level(window=4).statistic(x, 9).tolist()


@pytest.mark.parametrize("name", SPECS)
def test_no_limit_is_an_error(name):
    with pytest.raises(ValueError, match="limit"):
        SPECS[name][0].start([])


@pytest.mark.parametrize(
    ("detector", "limits", "message"),
    [
        (Level(), [A, below(0.9, "error", "practice")], "must have one side, got above 0.5 .warning., below 0.9 .error."),
        (Level(), [B, A], "from mild to severe"),
        (Level(), [above(0.0, "warning", "practice")], "give clear_at="),
        (Level(), [below(-1.0, "warning", "practice")], "give clear_at="),
        (Level(clear_at=0.7), [A], "Level clears at 0.7, expected at or under its mildest limit 0.5"),
        (Exact(), [above(float("nan"), "warning", "practice")], "finite"),
        (Proportion(), [above(5.0, "warning", "practice")], "within 0 … 1"),
        (Gap(), [below(3.0, "warning", "practice")], "positive factors above"),
        (Spike(), [A, A, A, A], "up to three limits"),
        (Spike(), [below(1.0, "warning", "practice")], "must be negative or 0"),
        (Cusum(effect=float("nan")), [A], "effect"),
        (Cusum(effect=1.0), [below(1.0, "warning", "practice")], "must be negative or 0"),
        (Trend(), [above(-1.0, "warning", "practice")], "must be positive or 0"),
        (Drawdown(), [A], "use loses"),
        (Drawdown(), [loses(0.5, "error", "practice", se=8), loses(0.3, "critical", "practice", se=10)], "rise from mild to severe"),
        (Flat(), [below(0.0, "warning", "practice")], "positive rises"),
        (Relative(), [below(-0.5, "warning", "practice")], "factors > 0"),
        (Relative(difference=True), [below(0.5, "warning", "practice")], "must be negative or 0"),
    ],
)
def test_limits_that_cannot_be_meant(detector, limits, message):
    with pytest.raises(ValueError, match=message):
        detector.start(limits)


def test_cusum_has_no_default_effect():
    with pytest.raises(TypeError, match="effect"):
        Cusum()


def test_a_sample_size_under_one_is_an_error():
    with pytest.raises(ValueError, match="n ≥ 1"):
        Proportion().start([A], n=0)
