"""What is remembered of every key."""

from __future__ import annotations

import itertools
import json

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rl_diag_plugin.diagnosis.ledger import Ledger
from rl_diag_plugin.diagnosis.strict import lax, strict
from rl_diag_plugin.model import Column

cell = st.one_of(st.none(), st.sampled_from([0.5, 2.0, float("nan"), float("inf"), -1.0]))


def push(ledger: Ledger, cells: list[float | None], start: int) -> None:
    rows = [i for i, x in enumerate(cells) if x is not None]
    column = Column(None if len(rows) == len(cells) else np.array(rows, np.intp), np.array([x for x in cells if x is not None], float))
    ledger.push("", np.arange(start, start + len(cells)), {"k": column})


@settings(max_examples=200, deadline=None)
@given(st.lists(cell, min_size=1, max_size=60), st.lists(st.integers(1, 59), max_size=6))
def test_any_cutting_remembers_the_same(cells: list[float | None], cuts: list[int]) -> None:
    whole, parts = Ledger({"k": (0.0, 1.0)}), Ledger({"k": (0.0, 1.0)})
    push(whole, cells, 0)
    edges = [0, *sorted({min(c, len(cells)) for c in cuts}), len(cells)]
    for a, b in itertools.pairwise(edges):
        if a < b:
            push(parts, cells[a:b], a)
            again = Ledger({"k": (0.0, 1.0)})
            again.restore(lax(json.loads(json.dumps(strict(parts.state()), allow_nan=False))))
            parts = again
    assert whole.facts() == parts.facts()


def test_spans_say_where_values_were_not_finite_or_impossible_and_whether_that_lasts() -> None:
    ledger = Ledger({"k": (0.0, 1.0)})
    push(ledger, [0.5, float("nan"), float("nan"), 0.5, None, 2.0], 10)
    facts = ledger.facts()["k"]
    assert [(11, 12, 2, False, "NaN"), (15, 15, 1, True, "2.0")] == [(s.start, s.end, s.rows, s.open, s.kind) for s in facts.spans]
    assert (5, 10, 15, 2, 2) == (facts.points, facts.first, facts.last, facts.max_gap, facts.nonfinite)


def test_rounding_to_float32_is_no_impossible_value() -> None:
    ledger = Ledger({"k": (0.0, 1.0)})
    push(ledger, [1.0 + 1e-7, -1e-7], 0)
    assert () == ledger.facts()["k"].spans


def test_a_million_keys_are_bounded() -> None:
    ledger = Ledger()
    ledger.push("", np.array([0]), {f"k{i}": Column(None, np.array([1.0])) for i in range(30_000)})
    assert (20_000, 10_000) == (len(ledger.keys()), ledger.left_out)
