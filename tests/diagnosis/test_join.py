"""Signals over two metrics: by row on one clock, by step on several, at the nearest earlier step on another cadence."""

from __future__ import annotations

import numpy as np

from rl_diag_plugin.authoring import earlier, maybe
from rl_diag_plugin.diagnosis.join import Join, Joined
from rl_diag_plugin.metrics.actor import N_SEQS, TASK_REWARD
from rl_diag_plugin.metrics.rollout import EVAL_REWARD, ROLLOUT_REWARD
from rl_diag_plugin.model import Column

A, B, E, N = ROLLOUT_REWARD.name, TASK_REWARD.name, EVAL_REWARD.name, N_SEQS.name


def column(values: list[float], rows: list[int] | None = None) -> Column:
    return Column(None if rows is None else np.array(rows, np.intp), np.array(values))


def shown(got: Joined | None) -> tuple[list[int], dict[str, list[float]]] | None:
    return None if got is None else (got[0].tolist(), {k: v.tolist() for k, v in got[1].items()})


def test_on_one_clock_the_rows_that_both_have_are_joined() -> None:
    join = Join((ROLLOUT_REWARD, TASK_REWARD), (A, B), None)
    got = join.push("", np.array([5, 6, 7]), {A: column([1.0, 2.0], [0, 2]), B: column([3.0, 4.0, 5.0])})
    assert ([5, 7], {A: [1.0, 2.0], B: [3.0, 5.0]}) == shown(got)


def test_on_two_clocks_equal_steps_meet_whichever_comes_first() -> None:
    for order in ((A, B), (B, A)):
        join = Join((ROLLOUT_REWARD, TASK_REWARD), (A, B), None)
        assert join.push(order[0], np.array([1, 2, 3]), {order[0]: column([1.0, 2.0, 3.0])}) is None
        got = join.push(order[1], np.array([2, 3, 4]), {order[1]: column([2.0, 3.0, 4.0])})
        assert ([2, 3], {A: [2.0, 3.0], B: [2.0, 3.0]}) == shown(got)


def test_a_sparse_metric_meets_the_nearest_earlier_value() -> None:
    join = Join((EVAL_REWARD, earlier(ROLLOUT_REWARD)), (E, A), None)
    assert join.push("", np.array([0, 1]), {A: column([0.1, 0.2])}) is None
    got = join.push("", np.array([2, 3]), {A: column([0.4], [1]), E: column([0.9, 0.8])})
    assert ([2, 3], {E: [0.9, 0.8], A: [0.2, 0.4]}) == shown(got)


def test_an_optional_metric_and_a_count_are_nan_where_they_are_not_logged() -> None:
    join = Join((ROLLOUT_REWARD, maybe(TASK_REWARD)), (A, B), N)
    got = shown(join.push("", np.array([0, 1]), {A: column([1.0, 2.0]), N: column([128.0], [1])}))
    assert got is not None
    assert ("[nan, nan]", "[nan, 128.0]") == (str(got[1][B]), str(got[1][N]))


def test_cells_that_waited_on_the_same_clock_are_not_joined_with_later_rows() -> None:
    join = Join((ROLLOUT_REWARD, TASK_REWARD), (A, B), None)
    assert join.push("", np.array([0, 1]), {A: column([1.0, 2.0])}) is None
    got = join.push("", np.array([2]), {A: column([3.0]), B: column([4.0])})
    assert ([2], {A: [3.0], B: [4.0]}) == shown(got)
