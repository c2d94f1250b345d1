from __future__ import annotations

from dataclasses import replace

import pytest

from rl_diag_plugin.model import Episode, Onset, Trace
from rl_diag_plugin.sinks.terminal.axis import Axis, axis_of, cells, lane, ruler, stretches
from rl_diag_plugin.sinks.terminal.blocks import Scale, drawn, range_text, scale_of

from .parts import exactly, finding, lasting, limit, over, report, trace

AXIS = Axis(10, 0, 99, 99)


def shown(axis: Axis, made: Trace, onsets: tuple[int, ...] = ()) -> str:
    return drawn(cells(axis, made, made.mean, onsets), scale_of(made.mean))


def test_a_cell_is_the_mean_of_its_rows() -> None:
    made = trace([float(i % 2) for i in range(100)], 0)

    assert {0.5} == {round(cell.value or 0, 1) for cell in cells(AXIS, made, made.mean)}


def test_the_cell_of_the_onset_holds_no_row_from_before_it() -> None:
    made = trace([0.0] * 45 + [1.0] * 55, 0)

    assert "▁▁▁▁▅█████" == shown(AXIS, made)
    assert "▁▁▁▁██████" == shown(AXIS, made, (45,))


def test_rows_that_are_apart_are_held_and_gaps_are_blank() -> None:
    made = Trace((0, 10, 20, 90), 4, 1, (1.0, 0.0, 1.0, 0.0), None, None)

    assert "█▁█      ▁" == shown(AXIS, made)


def test_values_that_are_not_finite_have_a_cross() -> None:
    made = trace([1.0] * 55 + [None] + [1.0] * 44, 0)

    assert "▄▄▄▄▄×▄▄▄▄" == shown(AXIS, made)


def test_planned_steps_that_were_not_reached_are_dots() -> None:
    stopped = report("run", state="stopped", steps=(0, 49), planned=99, rows=50)
    axis = axis_of(stopped, 10)
    assert axis is not None

    assert "▄▄▄▄▄·····" == shown(axis, trace([1.0] * 50, 0))


def test_a_run_that_has_just_begun_is_not_all_dots() -> None:
    axis = axis_of(report("run", state="running", steps=(0, 9), planned=1000, rows=10), 10)

    assert axis == Axis(10, 0, 9, 9)


@pytest.mark.parametrize("side", ["above", "below"])
@pytest.mark.parametrize("value", [0.01, 0.1, 0.124, 0.126, 0.3, 0.5, 0.9, 0.99])
def test_every_taller_cell_is_over_the_limit_and_no_other(value: float, side: str) -> None:
    values = [i / 1000 for i in range(1001)]
    bound = limit(value, "", "error", "", side=side)
    blocks = drawn(cells(Axis(1001, 0, 1001, 1001), made := trace(values, 0), made.mean), Scale(0.0, 1.0), bound)
    over_it = {b for v, b in zip(values, blocks, strict=False) if (v > value if side == "above" else v >= value)}
    others = {b for v, b in zip(values, blocks, strict=False) if not (v > value if side == "above" else v >= value)}

    assert max(others) < min(over_it)


def test_a_lane_shows_onset_waiting_firing_and_that_it_lasts() -> None:
    made = finding("rule", "error", "", onset=exactly(20), episodes=lasting(20, 50, "error"))

    assert "╌╌┃▒▒━━━━▶" == lane(AXIS, made)


def test_a_lane_ends_where_the_finding_is_over() -> None:
    made = finding("rule", "error", "", active=False, onset=exactly(20), episodes=(over(20, 65, "error"),))

    assert "╌╌┃━━━┫╌╌╌" == lane(AXIS, made)


def test_a_change_of_severity_is_no_new_episode() -> None:
    pieces = (Episode(20, 20, 50, 60, None, "critical"), Episode(60, 60, None, None, None, "warning"))
    made = finding("rule", "warning", "", onset=exactly(20), episodes=pieces)

    assert [(20, 20, None)] == [tuple(stretch) for stretch in stretches(made)]
    assert "╌╌┃━━━━━━▶" == lane(AXIS, made)


@pytest.mark.parametrize(
    ("onset", "expected"),
    [
        (Onset(42, 41, 44, "split"), "0          ┃42 (41–44)  99"),
        (exactly(0), "┃0                      99"),
        (exactly(99), "0                      99┃"),
        (Onset(None, None, None, "config"), "0                       99"),
    ],
)
def test_the_ruler_has_the_ends_and_the_onset_where_there_is_room(onset: Onset, expected: str) -> None:
    assert expected == ruler(replace(AXIS, width=26), finding("rule", "error", "", onset=onset))


@pytest.mark.parametrize("onset", [Onset(s, s - 5, s + 10**6, "split") for s in (10**6, 2 * 10**8, 10**9)], ids=str)
def test_the_ruler_is_never_wider_than_its_axis(onset: Onset) -> None:
    axis = Axis(19, 10**6, 10**9, 10**9)

    assert len(ruler(axis, finding("rule", "error", "", onset=onset))) <= 19


@pytest.mark.parametrize(
    ("values", "unit", "expected"),
    [
        ([0.0, 0.84375], "", "0–0.84"),
        ([0.1, 0.84375], "", "0–0.84"),
        ([1.599, 2.2514], "", "1.6–2.25"),
        ([4.41, 7.6], "", "4.4–7.6"),
        ([-0.34, 0.01], "", "−0.34…0.01"),
        ([0.02, 0.976], "%", "0–98 %"),
        ([0.0, 0.0], "%", "0 %"),
        ([1024.0, 20480.0], "", "0–20,480"),
        ([0.0, 2.5e-5], "", "0–2.5e-5"),
        ([-123456.0, 123456.0], "", "−1.2e5…1.2e5"),
        ([1.0, 1.0], "", "1"),
    ],
)
def test_ranges_in_words(values: list[float], unit: str, expected: str) -> None:
    assert expected == range_text(scale_of(values), unit, 12)
