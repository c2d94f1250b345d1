from __future__ import annotations

from itertools import groupby
from math import nan

from hypothesis import given
from hypothesis import strategies as st

from rl_diag_plugin.model import Chunk
from rl_diag_plugin.sources.cells import MAX_KEYS, MAX_ROWS, KeyLimit, RowBuffer


def taken(buffer: RowBuffer) -> Chunk:
    chunk = buffer.take()
    assert chunk is not None
    return chunk


def test_cells_of_one_step_form_a_row() -> None:
    buffer = RowBuffer(KeyLimit([]), "a")
    for step, wall, key, value in [(1, 10.0, "x", 0.5), (1, 11.0, "y", 2.0), (2, 12.0, "x", 0.25)]:
        buffer.cell(step, wall, key, value)
    chunk = taken(buffer)
    assert [1, 2] == chunk.steps.tolist()
    assert chunk.walls is not None
    assert [11.0, 12.0] == chunk.walls.tolist()
    assert "a" == chunk.axis
    assert chunk.columns["x"].rows is None
    assert [0.5, 0.25] == chunk.columns["x"].values.tolist()
    rows = chunk.columns["y"].rows
    assert rows is not None
    assert [0] == rows.tolist()


def test_a_key_that_repeats_begins_a_new_row_of_the_same_step() -> None:
    buffer = RowBuffer(KeyLimit([]))
    for key, value in [("x", 1.0), ("y", 2.0), ("x", 3.0)]:
        buffer.cell(7, nan, key, value)
    chunk = taken(buffer)
    assert [7, 7] == chunk.steps.tolist()
    assert [1.0, 3.0] == chunk.columns["x"].values.tolist()
    assert chunk.walls is None


def test_a_buffer_is_full_at_4096_rows() -> None:
    buffer = RowBuffer(KeyLimit([]))
    for step in range(MAX_ROWS):
        assert not buffer.full
        buffer.cell(step, nan, "x", 1.0)
    assert buffer.full
    assert MAX_ROWS == len(taken(buffer).steps)
    assert buffer.take() is None


def test_keys_past_the_limit_are_dropped_and_counted_once_each() -> None:
    known: list[str] = []
    limit = KeyLimit(known)
    buffer = RowBuffer(limit)
    for _ in range(2):
        buffer.row(1, nan, tuple(f"k{i}" for i in range(MAX_KEYS + 5)), [0.0] * (MAX_KEYS + 5))
    assert MAX_KEYS == len(taken(buffer).columns) == len(known)
    note = limit.note()
    assert note is not None
    assert note.text.startswith("5 keys were dropped: 20,000 different keys")


def test_a_key_that_is_no_text_or_far_too_long_is_dropped() -> None:
    limit = KeyLimit([])
    assert [False, False, True] == [limit.admits(key) for key in ("\ud800", "x" * 1025, "x")]


def test_a_row_of_which_no_key_is_admitted_is_no_row() -> None:
    buffer = RowBuffer(KeyLimit([]))
    buffer.row(1, nan, ("\ud800",), [0.0])
    buffer.row(2, nan, (), [])
    assert buffer.take() is None


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abc"), st.integers(0, 9)), max_size=60))
def test_no_cell_is_lost_or_moved(cells: list[tuple[int, str, int]]) -> None:
    buffer = RowBuffer(KeyLimit([]))
    for step, key, value in cells:
        buffer.cell(step, nan, key, float(value))
    chunk = buffer.take()
    found: list[tuple[int, int, str, float]] = []
    if chunk is not None:
        for key, column in chunk.columns.items():
            for row, value in zip(column.at(len(chunk.steps)).tolist(), column.values.tolist(), strict=True):
                found.append((row, int(chunk.steps[row]), key, value))
    for key in "abc":
        assert [(s, float(v)) for s, k, v in cells if k == key] == [(s, v) for _, s, k, v in sorted(found) if k == key]
    runs = [step for step, _ in groupby(cells, key=lambda cell: cell[0])]
    assert runs == [step for step, _ in groupby(chunk.steps.tolist() if chunk is not None else [])]
