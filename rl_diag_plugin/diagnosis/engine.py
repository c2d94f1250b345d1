"""The engine: cells in, report out. The only place that turns signals into findings, for files and live runs alike."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..authoring import Facts, Rule
from ..knobs import Knob, Knobs, KnobValue
from ..metrics import METRICS
from ..model import Chunk, Config, Event, Item, Limit, Report, Trace, Version
from .assembly import Assembler, Closed, Output
from .canonical import Canon
from .detection import ROWS, Detected, detect
from .facts import gather
from .judge import Track
from .ledger import Ledger
from .plan import Plan, make_plan
from .report import build
from .saving import load, save
from .settings import merged, settings
from .trace import TraceBuffer


class Diagnosis:
    """One run's diagnosis: ``push`` items as they come, ``report`` whenever asked; how the cells are cut changes nothing.

    ``rules``: the rules to judge. ``knobs``: settings that the user gave, by name; they win over the configuration.
    ``framework``, ``version``: the user's word on the trainer. ``maps``: logged key → metric name. ``limits``: replacements
    by rule id. ``config``: nested values known beforehand.
    """

    def __init__(
        self,
        rules: Sequence[Rule],
        *,
        run: str = "run",
        source: str = "",
        path: str = "",
        config: Mapping[str, Any] | None = None,
        knobs: Mapping[Knob, Any] | None = None,
        framework: str | None = None,
        version: Version | None = None,
        maps: Mapping[str, str] | None = None,
        limits: Mapping[str, tuple[Limit, ...]] | None = None,
    ) -> None:
        self.rules, self.run, self.source, self.path = tuple(rules), run, source, path
        self.config: dict[str, Any] = dict(config or {})
        self.given = {knob: KnobValue(value, None, "set") for knob, value in (knobs or {}).items()}
        self.framework, self.version, self.maps, self.limits = framework, version, dict(maps or {}), dict(limits or {})
        self.events: list[Event] = []
        self.now: float | None = None
        self._assembler, self._keys = Assembler(), Ledger()
        self._held: list[Output] = []
        self._clocks: dict[str, list[int]] = {}  # by step clock: cells, rows, first and last step
        self._walls: list[float] = []
        self._times: dict[str, TraceBuffer] = {}  # wall times by step clock
        self._detected: Detected | None = None
        self._canon: Canon | None = None
        self._metrics = Ledger()
        self._traces: dict[str, TraceBuffer] = {}
        self._plan = Plan(())

    def push(self, item: Item) -> None:
        """Take one item. Cells join open rows; rows that they close are judged."""
        if isinstance(item, Chunk):
            with np.errstate(all="ignore"):  # logged values may be anything; what comes of it is judged, not warned of
                self._take(self._assembler.push(item))
        elif isinstance(item, Config):
            self._configure(item)
        else:
            self._note(item)

    def push_all(self, items: Iterable[Item]) -> None:
        for item in items:
            self.push(item)

    def close(self) -> None:
        """No more cells will come: open rows are closed, detection is final."""
        with np.errstate(all="ignore"):
            self._take(self._assembler.close())
            if self._canon is None:
                self._decide(self._guess())
            for track in self._plan.tracks():
                self._guarded(track, lambda t: t.close())

    def tick(self, now: float) -> None:
        """The caller's clock, seconds since the epoch; only clock-driven rules use it."""
        self.now = now

    def report(self) -> Report:
        """The report on all rows closed so far; provisional while the trainer is not yet known for certain."""
        with np.errstate(all="ignore"):
            if self._canon is None:
                guess = copy.deepcopy(self)
                guess._decide(guess._guess())
                return build(guess, provisional=True)
            return build(self, provisional=False)

    def extent(self) -> tuple[int, int, int] | None:
        """Rows, first and last step by the clock that most cells are on: the trainer's."""
        if not self._clocks:
            return None
        _, rows, first, last = max(self._clocks.values(), key=lambda clock: clock[0])
        return rows, first, last

    def signal_trace(self, track: Track) -> Trace:
        """A track's signal, without the rows that it was not judged in."""
        if track.derived:
            return self._traces[track.names[0]].trace(track.alone, finite_only=True)
        return track.trace.trace(finite_only=True)

    def time_of(self, step: int) -> float | None:
        """When a step was logged, seconds since the epoch; to the width of a trace's bucket."""
        times = self._times.get(max(self._clocks, key=lambda name: self._clocks[name][0], default=""))
        if times is None:
            return None
        i = int(np.searchsorted(times.steps(), step, side="right")) - 1
        return float(times.mean()[i]) if i >= 0 else None

    def facts(self) -> Facts:
        return gather(self)

    def _configure(self, item: Config) -> None:
        if self._canon is not None:
            self._note(Event("note", None, f"configuration {item.source} came after the first rows were read: not used"))
            return
        self.config = merged(self.config, item.values)

    def _note(self, event: Event) -> None:
        self.events.append(event)
        del self.events[200:-200]

    def _take(self, outputs: Sequence[Output]) -> None:
        for output in outputs:
            if isinstance(output, Event):
                self._note(output)
            else:
                self._count(output)
            if self._canon is not None:
                self._judge(output)
                continue
            self._held.append(output)
            if isinstance(output, Closed):
                self._try_to_decide(output)

    def _count(self, rows: Closed) -> None:
        self._keys.push(rows.axis, rows.steps, rows.columns)
        first, last = int(rows.steps[0]), int(rows.steps[-1])
        clock = self._clocks.setdefault(rows.axis, [0, 0, first, last])
        clock[0] += sum(len(column.values) for column in rows.columns.values())
        clock[1] += len(rows.steps)
        clock[2], clock[3] = min(clock[2], first), max(clock[3], last)
        timed = rows.walls == rows.walls
        if timed.any():
            self._walls = (self._walls + rows.walls[timed][-20:].tolist())[-20:]
            self._times.setdefault(rows.axis, TraceBuffer()).push(rows.steps[timed], rows.walls[timed])

    def _try_to_decide(self, output: Closed) -> None:
        """Detection looks at whole rows in order, so that a chunk's size cannot change it."""
        before = sum(len(held.steps) for held in self._held[:-1] if isinstance(held, Closed))
        new = min(len(output.steps), ROWS - before)
        if self._guess(new).certain:
            certain = next(k for k in range(1, new + 1) if self._guess(k).certain)
            self._decide(self._guess(certain))
        elif before + new >= ROWS:
            self._decide(self._guess(new))

    def _guess(self, rows_of_last: int | None = None) -> Detected:
        """Detection on the held rows, of the last block only the first ``rows_of_last``."""
        keys: dict[str, None] = {}
        blocks = [held for held in self._held if isinstance(held, Closed)]
        for i, block in enumerate(blocks):
            cut = rows_of_last if i == len(blocks) - 1 else None
            for key, column in block.columns.items():
                if cut is None or (cut > 0 and (column.rows is None or column.rows[0] < cut)):
                    keys[key] = None
        return detect(keys, self.config, self.framework, self.version)

    def _decide(self, detected: Detected) -> None:
        """Framework, version and settings are final; the held rows are judged."""
        first = {}
        for held in self._held:
            if isinstance(held, Closed):
                first = {key: float(column.values[0]) for key, column in held.columns.items() if column.rows is None or column.rows[0] == 0}
                break
        self._prepare(detected, settings(detected, self.config, self.given, first))
        waiting, self._held = self._held, []
        for output in waiting:
            self._judge(output)

    def _prepare(self, detected: Detected, knobs: Knobs) -> None:
        self._detected = detected
        self._canon = Canon(detected.framework, detected.version, knobs, self.maps)
        self._metrics = Ledger({m.name: (m.lo, m.hi) for m in METRICS.values()})
        seen = self._canon.metrics_of(detected.keys) - set(detected.framework.blind(knobs, detected.version))
        self._plan = make_plan(self.rules, knobs, self.limits, seen)

    def _judge(self, output: Output) -> None:
        if isinstance(output, Event):
            if output.kind == "resume":
                for track in self._plan.tracks():
                    self._guarded(track, lambda t: t.restart())
            return
        if self._canon is None:
            return
        columns = self._canon.rows(len(output.steps), output.columns)
        self._metrics.push(output.axis, output.steps, columns)
        for name, column in columns.items():
            trace = self._traces.get(name)
            if trace is None:
                trace = self._traces[name] = TraceBuffer()
            trace.push(output.steps if column.rows is None else output.steps[column.rows], column.values)
        for track in self._plan.reading(columns):
            self._guarded(track, lambda t: t.push(output.axis, output.steps, columns))

    @staticmethod
    def _guarded(track: Track, act: Callable[[Track], None]) -> None:
        """A rule that raises is out of this run and says so; the others, and the training run, go on."""
        if track.failed is not None:
            return
        try:
            act(track)
        except Exception as error:  # the one border inside the engine: counted in the report as "rule failed"
            track.failed = f"{type(error).__name__}: {error}"

    def state(self) -> dict[str, Any]:
        """Strict JSON that ``restore`` on an equally made Diagnosis goes on from, at any row."""
        return save(self)

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a saved state; rules, settings and maps must be those of the Diagnosis that saved it."""
        load(self, state)
