"""Bounded traces: width doubles, sums are the same bits in any cutting."""

from __future__ import annotations

import itertools
import json

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rl_diag_plugin.diagnosis.strict import lax, strict
from rl_diag_plugin.diagnosis.trace import BUCKETS, TraceBuffer

values = st.lists(st.floats(width=32), min_size=1, max_size=50)


@settings(max_examples=60, deadline=None)
@given(values, st.integers(1, 9000), st.lists(st.integers(1, 8999), max_size=5))
def test_any_cutting_gives_the_same_buckets(pattern: list[float], n: int, cuts: list[int]) -> None:
    x, steps = np.resize(np.array(pattern), n), np.arange(n)
    whole, parts = TraceBuffer(), TraceBuffer()
    with np.errstate(all="ignore"):
        whole.push(steps, x)
        edges = [0, *sorted({min(c, n) for c in cuts}), n]
        for a, b in itertools.pairwise(edges):
            parts.push(steps[a:b], x[a:b])
            again = TraceBuffer()
            again.restore(lax(json.loads(json.dumps(strict(parts.state()), allow_nan=False))))
            parts = again
    assert json.dumps(strict(whole.state())) == json.dumps(strict(parts.state()))


def test_a_million_points_are_at_most_2000_buckets_that_hold_every_extreme() -> None:
    x = np.zeros(1_000_000)
    x[777_777], x[123_456] = 9.0, -9.0
    buffer = TraceBuffer()
    for a in range(0, len(x), 4096):
        buffer.push(np.arange(a, min(a + 4096, len(x))), x[a : a + 4096])
    trace = buffer.trace()
    assert len(trace.steps) <= BUCKETS
    assert (1_000_000, 9.0, -9.0) == (trace.points, max(trace.max or ()), min(trace.min or ()))


def test_values_that_are_not_finite_leave_a_hole_and_are_listed() -> None:
    buffer = TraceBuffer()
    buffer.push(np.arange(3), np.array([1.0, np.nan, np.inf]))
    trace = buffer.trace()
    assert (1.0, None, None) == trace.mean
    assert ({"step": 1, "kind": "NaN"}, {"step": 2, "kind": "inf"}) == trace.nonfinite


def test_a_gap_of_over_three_usual_distances_is_named() -> None:
    buffer = TraceBuffer()
    buffer.push(np.array([0, 10, 20, 30, 90, 100]), np.ones(6))
    assert ((30, 90),) == buffer.trace().gaps
