"""Hold, hysteresis and cuts: the vector form against an observation-by-observation one."""

from __future__ import annotations

import itertools
import json

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rl_diag_plugin.detectors import Judged
from rl_diag_plugin.diagnosis.latch import KEPT, Latch

from .reference import latch as plain


def judged(cond: np.ndarray, safe: np.ndarray) -> Judged:
    return Judged(np.arange(len(cond)), cond.astype(np.int8), lambda: safe, np.where(cond > 0, cond.astype(float), np.nan))


def feed(cond: list[int], safe: list[bool], cuts: list[int], levels: int, hold: int, clear: int, *, save: bool = False) -> Latch:
    latch = Latch(levels, hold, clear)
    edges = [0, *sorted({min(c, len(cond)) for c in cuts}), len(cond)]
    for a, b in itertools.pairwise(edges):
        c, s = np.array(cond[a:b], np.int8), np.array(safe[a:b], bool)
        latch.advance(np.arange(a, b), judged(c, s))
        if save:
            state = json.loads(json.dumps(latch.state(), allow_nan=False))
            latch = Latch(levels, hold, clear)
            latch.restore(state)
    return latch


observations = st.lists(st.tuples(st.sampled_from([0, 0, 0, 1, 1, 2, 3]), st.booleans()), min_size=1, max_size=120)


@settings(max_examples=300, deadline=None)
@given(observations, st.lists(st.integers(1, 119), max_size=6), st.integers(1, 4), st.integers(1, 5))
def test_episodes_in_any_chunking_equal_those_of_the_plain_walk(
    rows: list[tuple[int, bool]], cuts: list[int], hold: int, clear: int
) -> None:
    cond = [c for c, _ in rows]
    safe = [s and c == 0 for c, s in rows]
    expected = plain(cond, safe, 3, hold, clear)
    whole = feed(cond, safe, [], 3, hold, clear)
    parts = feed(cond, safe, cuts, 3, hold, clear, save=True)
    assert expected == [{k: v for k, v in p.items() if k != "peak"} for p in whole.pieces()]
    assert whole.state() == parts.state()


def test_severity_rises_after_hold_and_falls_after_clear_and_each_change_cuts_the_episode() -> None:
    cond = [0] * 5 + [1] * 5 + [2] * 5 + [1] * 10 + [0] * 10
    latch = feed(cond, [c == 0 for c in cond], [], 2, 3, 4)
    assert [(5, 7, 11, 12, 1), (12, 12, 17, 18, 2), (18, 18, 24, 28, 1)] == [
        (p["start"], p["fired"], p["end"], p["resolved"], p["level"]) for p in latch.pieces()
    ]


def test_of_many_episodes_the_first_and_last_are_kept() -> None:
    cond = [1, 0] * 200
    latch = feed(cond, [c == 0 for c in cond], [], 1, 1, 1)
    assert (2 * KEPT, 200 - 2 * KEPT) == (len(latch.closed), latch.dropped)
    assert [0, 2] == [p["start"] for p in latch.closed[:2]]
    assert 398 == latch.closed[-1]["start"]
