"""A diagnosis as strict JSON, at any row, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..frameworks import FRAMEWORKS
from ..knobs import KNOBS, Knob, Knobs, KnobValue
from ..model import Column, Event
from .assembly import Closed, Output
from .detection import Detected
from .strict import lax, strict
from .trace import TraceBuffer

if TYPE_CHECKING:
    from .engine import Diagnosis

_PLAIN = ("_clocks", "_walls", "now", "config")


def save(run: Diagnosis) -> dict[str, Any]:
    parts: dict[str, Any] = {name: getattr(run, name) for name in _PLAIN}
    parts["events"] = [[e.kind, e.step, e.text] for e in run.events]
    parts["held"] = [_held(output) for output in run._held]
    parts |= {"assembler": run._assembler.state(), "keys": run._keys.state(), "metrics": run._metrics.state()}
    parts["traces"] = {name: trace.state() for name, trace in run._traces.items()}
    parts["times"] = {name: trace.state() for name, trace in run._times.items()}
    parts["tracks"] = [track.state() for track in run._plan.tracks()]
    parts["detected"] = None
    if run._detected is not None and run._canon is not None:
        d = run._detected
        parts["detected"] = [d.framework.name, d.version, d.recognised, sorted(d.keys)]
        parts["canon"] = run._canon.state()
    out: dict[str, Any] = strict(parts)
    return out


def load(run: Diagnosis, saved: Mapping[str, Any]) -> None:
    state = lax(saved)
    for name in _PLAIN:
        setattr(run, name, state[name])
    run.events = [Event(*event) for event in state["events"]]
    run._held = [_output(held) for held in state["held"]]
    run._assembler.restore(state["assembler"])
    run._keys.restore(state["keys"])
    run._times = {name: _trace(times) for name, times in state["times"].items()}
    if state["detected"] is None:
        return
    name, version, recognised, keys = state["detected"]
    knobs = Knobs({KNOBS.get(n, Knob(n, "")): KnobValue(*value) for n, value in state["canon"]["knobs"]})
    run._prepare(Detected(FRAMEWORKS[name], tuple(version) if version else None, True, recognised, frozenset(keys)), knobs)
    if run._canon is not None:
        run._canon.restore(state["canon"])
    run._metrics.restore(state["metrics"])
    run._traces = {metric: _trace(trace) for metric, trace in state["traces"].items()}
    for track, kept in zip(run._plan.tracks(), state["tracks"], strict=True):
        track.restore(kept)


def _trace(state: Mapping[str, Any]) -> TraceBuffer:
    trace = TraceBuffer()
    trace.restore(state)
    return trace


def _held(output: Output) -> list[Any]:
    """Rows that wait for the trainer to be known, or an event among them."""
    if isinstance(output, Event):
        return [output.kind, output.step, output.text]
    columns = {key: [None if c.rows is None else c.rows.tolist(), c.values.tolist()] for key, c in output.columns.items()}
    return [output.axis, output.steps.tolist(), output.walls.tolist(), columns]


def _output(held: list[Any]) -> Output:
    if len(held) == 3:
        return Event(*held)
    axis, steps, walls, columns = held
    cells = {key: Column(None if rows is None else np.array(rows, np.intp), np.array(xs, float)) for key, (rows, xs) in columns.items()}
    return Closed(axis, np.array(steps, np.int64), np.array(walls, float), cells)
