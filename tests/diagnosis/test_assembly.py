"""Rows from cells: closing, clocks, resumes, and that no cut changes any of it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rl_diag_plugin.diagnosis.assembly import Assembler, Closed, _part
from rl_diag_plugin.diagnosis.strict import lax, strict
from rl_diag_plugin.model import Chunk, Column, Event

Cell = tuple[int, str, float]


def chunk(cells: Sequence[Cell], axis: str = "") -> Chunk:
    """One cell a row, in log order."""
    keys = dict.fromkeys(key for _, key, _ in cells)
    columns = {}
    for key in keys:
        rows = [i for i, cell in enumerate(cells) if cell[1] == key]
        columns[key] = Column(np.array(rows, np.intp), np.array([cells[i][2] for i in rows]))
    return Chunk(np.array([step for step, _, _ in cells], np.int64), columns, None, axis)


def wide(cells: Sequence[Cell]) -> Chunk:
    """Neighbouring cells of one step and different keys share a row."""
    rows: list[tuple[int, dict[str, float]]] = []
    for step, key, value in cells:
        if not rows or rows[-1][0] != step or key in rows[-1][1]:
            rows.append((step, {}))
        rows[-1][1][key] = value
    columns = {}
    for key in dict.fromkeys(key for _, row in rows for key in row):
        at = [i for i, (_, row) in enumerate(rows) if key in row]
        columns[key] = Column(None if len(at) == len(rows) else np.array(at, np.intp), np.array([rows[i][1][key] for i in at]))
    return Chunk(np.array([step for step, _ in rows], np.int64), columns)


def assembled(chunks: Sequence[Chunk], *, save: bool = False) -> tuple[dict[str, list[tuple[int, dict[str, float]]]], list[Event]]:
    """Rows by clock, and events."""
    assembler, out = Assembler(), []
    for part in chunks:
        out += assembler.push(part)
        if save:
            state = json.loads(json.dumps(strict(assembler.state()), allow_nan=False))
            assembler = Assembler()
            assembler.restore(lax(state))
    out += assembler.close()
    rows: dict[str, list[tuple[int, dict[str, float]]]] = {}
    for item in out:
        if isinstance(item, Closed):
            n = len(item.steps)
            for i, step in enumerate(item.steps.tolist()):
                cells = {k: float(c.values[c.at(n).tolist().index(i)]) for k, c in item.columns.items() if i in c.at(n).tolist()}
                rows.setdefault(item.axis, []).append((step, cells))
    return rows, [e for e in out if isinstance(e, Event)]


cells = st.lists(st.tuples(st.integers(0, 12), st.sampled_from("abcd"), st.integers(0, 5).map(float)), min_size=1, max_size=60)
rising = cells.map(lambda given: sorted(given, key=lambda cell: cell[0]))


@settings(max_examples=200, deadline=None)
@given(st.one_of(cells, rising), st.lists(st.integers(1, 59), max_size=8))
def test_no_cut_changes_rows_clocks_or_resumes(given: list[Cell], cuts: list[int]) -> None:
    edges = [0, *sorted({min(c, len(given)) for c in cuts}), len(given)]
    parts = [given[a:b] for a, b in itertools.pairwise(edges) if a < b]
    expected = assembled([chunk([cell]) for cell in given])
    assert expected == assembled([chunk(given)])
    assert expected == assembled([chunk(part) for part in parts], save=True)
    rows = wide(given)
    one_by_one = [_part(rows, i, i + 1) for i in range(len(rows.steps))]
    assert assembled(one_by_one) == assembled([rows])
    assert assembled(one_by_one) == assembled([_part(rows, a, b) for a, b in itertools.pairwise(edges) if a < b and a < len(rows.steps)])


def test_a_row_is_closed_by_the_first_cell_of_a_larger_step_and_the_last_value_wins() -> None:
    assembler = Assembler()
    assert [] == assembler.push(chunk([(1, "a", 1.0), (1, "b", 2.0), (1, "a", 3.0)]))
    (closed,) = assembler.push(chunk([(2, "b", 4.0)]))
    assert isinstance(closed, Closed)
    assert ([1], 3.0, 2.0) == (closed.steps.tolist(), closed.columns["a"].values[0], closed.columns["b"].values[0])


def test_a_file_written_tag_by_tag_declares_no_resume_and_loses_no_cell() -> None:
    given = [(s, key, float(s)) for key in "abc" for s in range(50)]
    rows, events = assembled([chunk(given)])
    assert [] == events
    assert 150 == sum(len(cells) for clock in rows.values() for _, cells in clock)
    assert 3 == len(rows)


def test_twins_that_count_seconds_as_steps_go_to_one_other_clock_and_nothing_resumes() -> None:
    given = [cell for s in range(40) for cell in ((s, "loss", 1.0), (s, "reward", 2.0), (3 * s + 5, "reward/time", 2.0))]
    rows, events = assembled([chunk(given)])
    assert [] == events
    assert 2 == len(rows)
    together = max(rows.values(), key=lambda clock: sum("loss" in cells for _, cells in clock))
    assert all({"loss", "reward"} == set(cells) for _, cells in together)


def test_a_key_that_goes_back_below_its_own_last_step_declares_one_resume_for_its_clock() -> None:
    first = [(s, key, float(s)) for s in range(10) for key in "ab"]
    again = [(s, key, -float(s)) for s in range(6, 12) for key in "ab"]
    rows, events = assembled([chunk(first + again)])
    assert ["resume"] == [e.kind for e in events]
    assert (6, [*range(10), *range(6, 12)]) == (events[0].step, [step for step, _ in rows[""]])


def test_a_second_file_with_new_tags_has_its_own_clock() -> None:
    rows, events = assembled([chunk([(s, "a", 1.0) for s in range(10)], "one"), chunk([(s, "b", 1.0) for s in range(10)], "two")])
    assert [] == events
    assert {"one", "two"} == set(rows)
