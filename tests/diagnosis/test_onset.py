"""When it began: splits, hinges, and no split where there is none."""

from __future__ import annotations

import numpy as np

from rl_diag_plugin.diagnosis.onset import best_split


def wave(n: int) -> np.ndarray:
    t = np.arange(n)
    return np.cos(1.7 * t) + np.cos(2.9 * t)


def test_a_step_of_two_standard_deviations_is_dated_within_two_rows() -> None:
    y = wave(100)
    y[60:] += 2.0
    split = best_split(y)
    assert abs(split.at - 60) <= 2
    assert split.lo <= 60 <= split.hi


def test_a_clean_step_is_dated_to_the_row_with_an_interval_of_one_row_each_side() -> None:
    split = best_split(np.array([0.0] * 40 + [1.0] * 10))
    assert (40, 39, 41) == (split.at, split.lo, split.hi)


def test_a_fall_is_found_where_the_harm_is_downwards() -> None:
    y = np.array([0.7, 0.72] * 20 + [0.1, 0.12] * 5)
    assert 40 == best_split(y, sign=-1.0).at
    assert not best_split(y, sign=1.0).found


def test_a_series_that_was_so_from_the_start_has_no_split() -> None:
    assert not best_split(wave(60)).found
    assert not best_split(np.full(20, 3.0)).found


def test_a_ramp_is_dated_by_its_hinge_not_by_a_third_of_it_later() -> None:
    y = np.maximum(np.arange(150) - 50, 0) * 0.1 + 0.1 * wave(150)
    hinge, level = best_split(y, "hinge"), best_split(y)
    assert hinge.lo <= 50 <= hinge.hi
    assert level.at - 50 > 20


def test_shifting_and_scaling_change_nothing() -> None:
    y = wave(80)
    y[50:] += 3.0
    assert best_split(y) == best_split(1e-6 * y + 5e-6)
