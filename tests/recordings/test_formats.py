"""One run in two formats gives the same rules, severities, episodes and onsets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rl_diag_plugin.model import Report

from ..rules.recordings import EVENTS, diagnose, diagnose_events


def essence(report: Report) -> list[tuple[Any, ...]]:
    return [
        (f.rule, f.severity, f.own, f.worst, f.active, f.symptom_of, f.onset.step, f.onset.lo, f.onset.hi,
         [(e.start, e.fired, e.end, e.resolved, e.severity) for e in f.episodes])
        for f in report.findings
    ]  # fmt: skip


@pytest.mark.parametrize("run", sorted(path.name for path in EVENTS.iterdir()))
def test_jsonl_and_event_file_agree(run: str) -> None:
    lines, events = diagnose(run), diagnose_events(run)
    assert essence(lines) == essence(events)
    assert (lines.verdict, lines.steps, lines.rows) == (events.verdict, events.steps, events.rows)
    assert [p.rule for p in lines.passed] == [p.rule for p in events.passed]


@pytest.mark.parametrize("run", ["healthy_s0", "mismatch_40"])
def test_curves_agree_to_float32(run: str) -> None:
    lines, events = diagnose(run).traces, diagnose_events(run).traces
    assert set(lines) == set(events)
    for name, trace in lines.items():
        a, b = np.array(trace.mean, float), np.array(events[name].mean, float)
        near = 1e-9 if not name.startswith("signal:") else 1e-6  # a signal may be a small difference of two values
        assert np.allclose(a, b, rtol=1e-5, atol=near, equal_nan=True), name
