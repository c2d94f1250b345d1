"""One rule over one run: joins what it reads, evaluates the signal, advances detector and latch, dates the onset."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Set
from typing import Any

import numpy as np

from ..authoring import AnyOf, Earlier, Maybe, RowView, Rule, metric_names
from ..detectors import Judged, Proportion, Running
from ..knobs import Knobs
from ..metrics import Metric
from ..model import Column, Floats, Limit, Steps
from .join import Join
from .latch import Latch
from .onset import RING, Ring, Split, best_split
from .trace import TraceBuffer

_TINY = 1e-12


class Track:
    """One way of serving a rule's readings (a rule that reads "reward or return" has a track for each)."""

    def __init__(
        self, rule: Rule, names: tuple[str, ...], knobs: Knobs, limits: tuple[Limit, ...], sampling: Sampling, bound: str = ""
    ) -> None:
        self.rule, self.names, self.knobs, self.limits, self.sampling, self.bound = rule, names, knobs, limits, sampling, bound
        self.join = Join(rule.reads, names, sampling.metric)
        self.failed: str | None = None
        self._start()
        self.trace = TraceBuffer()
        self.first: int | None = None  # step of the first judged observation
        self.last: int | None = None
        self.judged = 0
        self.offered = 0  # rows in which all that it reads was there
        self.derived = len(rule.reads) == 1 and self.join.alone  # a function of one metric: drawn from that metric's trace
        self.onsets: list[list[Any]] = []  # [fired step, onset step, lo, hi, method]

    def _start(self) -> None:
        """A new detector: at the start, and after a resume (baselines restart there)."""
        rule = self.rule
        if rule.detector is None:
            raise ValueError(f"{rule.id} has no detector")
        if isinstance(rule.detector, Proportion):
            self.running: Running = rule.detector.start(self.limits, n=self.sampling.count, design_effect=self.sampling.design_effect)
        else:
            self.running = rule.detector.start(self.limits)
        sign = -1.0 if self.limits[0].side == "below" and self.limits[0].se is None else 1.0
        self.latch = getattr(self, "latch", None) or Latch(len(self.limits), rule.detector.hold, rule.detector.clear, sign)
        self.ring = Ring()
        self.fresh = True  # no observation since the start or the last resume was on the safe side

    def restart(self) -> None:
        self._start()
        self.join.restart()

    def push(self, axis: str, steps: Steps, columns: Mapping[str, Column]) -> None:
        got = self.join.push(axis, steps, columns)
        if got is not None:
            self._advance(*got)

    def close(self) -> None:
        got = self.join.close()
        if got is not None:
            self._advance(*got)

    def _advance(self, steps: Steps, values: Mapping[str, Floats]) -> None:
        if not len(steps) or self.rule.signal is None:
            return
        counts = values.get(self.sampling.metric) if self.sampling.metric else None
        signal = self.rule.signal(RowView(values, self.knobs))
        if signal.shape != steps.shape:
            raise ValueError(f"signal gave {signal.shape}, expected {steps.shape}")
        self.offered += len(steps)
        there = ~np.isnan(signal)
        if not there.all():
            steps, signal = steps[there], signal[there]
            counts = None if counts is None else counts[there]
            if not len(steps):
                return
        judged = self.running.advance(steps, signal, counts)
        at = judged.at
        if not self.derived:
            self.trace.push(steps, signal)
        opened = self.latch.advance(steps[at], judged)
        self._remember(steps[at], signal[at], opened, judged)

    def _remember(self, steps: Steps, signal: Floats, opened: list[int], judged: Judged) -> None:
        if not len(steps):
            return
        if self.first is None:
            self.first = int(steps[0])
        self.last = int(steps[-1])
        self.judged += len(steps)
        for i in opened:
            self._date(steps, signal, i)
        self.ring.push(steps, signal)

    def _date(self, steps: Steps, signal: Floats, i: int) -> None:
        """The onset of the episode that opened at position ``i``."""
        at, xs = self.ring.with_more(steps[: i + 1], signal[: i + 1])
        where = at.tolist()
        whole = self.judged - len(steps) + i + 1 <= RING
        piece = next(p for p in self.latch.pieces()[::-1] if p["opening"] and p["fired"] == where[-1])
        self.onsets.append([piece["fired"], *_onset(self.rule, where, xs, int(piece["start"]), whole, self.latch.sign)])
        if len(self.onsets) > 50:
            del self.onsets[25]

    def alone(self, values: Floats) -> Floats:
        """The signal of its only metric's values."""
        if self.rule.signal is None:
            return values
        with np.errstate(all="ignore"):
            return self.rule.signal(RowView({self.names[0]: values}, self.knobs))

    def state(self) -> dict[str, Any]:
        own = {k: getattr(self, k) for k in ("failed", "first", "last", "judged", "offered", "onsets")}
        own["ring"] = self.ring.state()
        return {**own, "running": self.running.state(), "latch": self.latch.state(), "trace": self.trace.state(), "join": self.join.state()}

    def restore(self, state: Mapping[str, Any]) -> None:
        for part in ("running", "latch", "trace", "join"):
            getattr(self, part).restore(state[part])
        for name in ("failed", "first", "last", "judged", "offered", "onsets"):
            setattr(self, name, state[name])
        self.ring.restore(state["ring"])


def _onset(rule: Rule, where: list[int], xs: Floats, start: int, whole: bool, sign: float) -> list[Any]:
    """[step, lo, hi, method] of an alarm at the last of the ring's values."""
    n = len(where)
    if rule.exact_onset:
        i = where.index(start) if start in where else 0
        return [start, where[max(0, i - 1)], where[min(n - 1, i + 1)], "exact"]
    if rule.log_onset:
        xs = np.log(np.maximum(xs, _TINY))
    drawdown = bool(rule.limits and rule.limits[0].se is not None)
    split = best_split(xs, rule.onset_method, -1.0 if drawdown else sign)
    if not split.found:
        split = Split(0, 0, min(1, n - 1), False)
        return [where[0], where[0], where[split.hi], "start" if whole else "before"]
    return [where[split.at], where[split.lo], where[split.hi], rule.onset_method]


class Sampling:
    """How many samples a share is of, and how much their correlation within prompts widens its noise."""

    def __init__(self, metric: str | None = None, count: int | None = None, design_effect: float = 1.0) -> None:
        self.metric, self.count, self.design_effect = metric, count, design_effect


def tracks(rule: Rule, knobs: Knobs, limits: tuple[Limit, ...], sampling: Sampling, seen: Set[str]) -> list[Track]:
    """A track for each way of serving the rule's readings, best first; one alone where the best alternative has been seen."""
    options = [metric_names(read) if isinstance(read, AnyOf) else metric_names(read)[:1] for read in rule.reads]
    options = [names[:1] if names[0] in seen else names for names in options]
    return [Track(rule, names, knobs, limits, sampling) for names in itertools.product(*options)]


def required(rule: Rule) -> list[Metric | AnyOf]:
    """What must be logged for the rule to be judged."""
    return [read for read in rule.reads if isinstance(read, (Metric, AnyOf))] or [
        r.metric for r in rule.reads if isinstance(r, (Maybe, Earlier))
    ]
