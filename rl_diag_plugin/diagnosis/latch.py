"""Hold and hysteresis: judged observations → episodes, cut where the severity changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..detectors import Judged
from ..model import Steps

Ints: TypeAlias = NDArray[np.intp]
Bools: TypeAlias = NDArray[np.bool_]
_NEVER = np.empty(0, np.intp)
KEPT = 25  # first and last episodes that are kept


class Latch:
    """``hold`` observations over a limit open an episode or raise its level; ``clear`` below it lower it, ``clear`` safe ones end it.

    All run lengths are properties of the observations alone, so that a chunk's events are found by look-up.
    ``sign`` is −1 where a smaller statistic is worse.
    """

    def __init__(self, levels: int, hold: int, clear: int, sign: float = 1.0) -> None:
        self.levels, self.hold, self.clear, self.sign = levels, hold, clear, sign
        self.over, self.under, self.calm, self.level = [0] * levels, [0] * levels, 0, 0
        self.recent: list[list[float]] = []
        self.piece: dict[str, Any] | None = None
        self.closed: list[dict[str, Any]] = []
        self.dropped = 0

    def advance(self, steps: Steps, judged: Judged) -> list[int]:
        """``steps``: of the judged observations. Returns the positions among them at which an episode opened."""
        cond = judged.cond
        if not len(cond):
            return []
        if not self.level and not cond.any():
            if self.over[0]:
                self.over, self.recent = [0] * self.levels, []
            return []
        return _Pass(self, steps, judged).run()

    def pieces(self) -> list[dict[str, Any]]:
        return [*self.closed, self.piece] if self.piece else list(self.closed)

    def state(self) -> dict[str, Any]:
        names = ("over", "under", "calm", "level", "recent", "piece", "closed", "dropped")
        return {name: getattr(self, name) for name in names}

    def restore(self, state: Mapping[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, list(value) if isinstance(value, list) else value)

    def _keep(self, piece: dict[str, Any]) -> None:
        self.closed.append(piece)
        if len(self.closed) > 2 * KEPT:
            del self.closed[KEPT]
            self.dropped += 1


class _Pass:
    """One chunk's judgements: run lengths as arrays, then a walk over the changes of level only."""

    def __init__(self, latch: Latch, steps: Steps, judged: Judged) -> None:
        self.latch, self.steps, self.cond, self.stat = latch, steps, judged.cond, judged.stat
        index = np.arange(len(self.cond))
        self.n = len(index)
        # no level above these is reached in this chunk, and none is left
        reach = max(latch.level, int(self.cond.max()))
        hits = [self.cond > level for level in range(reach)]
        self.over = [_runs(index, hit, carried) for hit, carried in zip(hits, latch.over, strict=False)]
        self.under = [_runs(index, ~hit, carried) if j else _NEVER for j, (hit, carried) in enumerate(zip(hits, latch.under, strict=False))]
        self.calm = _runs(index, (self.cond == 0) & judged.safe(), latch.calm)
        self.rises = [np.flatnonzero(run >= latch.hold) for run in self.over] + [_NEVER] * (latch.levels - reach)
        self.falls = [np.flatnonzero(run >= latch.clear) for run in self.under]
        self.quiet = np.flatnonzero(self.calm >= latch.clear)

    def run(self) -> list[int]:
        latch, at, opened = self.latch, 0, []
        while at < self.n:
            if not latch.level:
                at = _next(self.rises[0], at, self.n)
                if at == self.n:
                    break
                self._open(at)
                opened.append(at)
                start, at = at, at + 1
            else:
                start = at
            at = self._change(start, at)
        self._carry()
        return opened

    def _open(self, at: int) -> None:
        """The run that reached ``hold`` began up to hold − 1 observations ago, perhaps in an earlier chunk."""
        latch = self.latch
        first = max(0, at - latch.hold + 1)
        recent = latch.recent + [[int(s), float(m)] for s, m in zip(self.steps[first : at + 1], self.stat[first : at + 1], strict=True)]
        recent = recent[-latch.hold :]
        latch.recent, latch.level = [], 1 + sum(bool(run[at] >= latch.hold) for run in self.over[1:])
        peak = latch.sign * max(latch.sign * m for _, m in recent)
        latch.piece = _piece(int(recent[0][0]), int(self.steps[at]), peak, latch.level, opening=True)

    def _change(self, start: int, at: int) -> int:
        """Carry the open episode on to its next change of level, or to the chunk's end; ``start``: first row not yet counted."""
        latch, n = self.latch, self.n
        rise = _next(self.rises[latch.level], at, n) if latch.level < latch.levels else n
        fall = _next(self.falls[latch.level - 1], at, n) if latch.level > 1 else n
        quiet = _next(self.quiet, at, n)
        stop = min(rise, fall, quiet)
        self._extend(start, stop)
        if stop == n:
            return n
        piece = latch.piece or {}
        piece["resolved"] = int(self.steps[stop])
        latch._keep(piece)
        if stop == quiet:
            latch.piece, latch.level = None, 0
            return stop + 1
        latch.level = sum(bool(run[stop] >= latch.hold) for run in self.over) if stop == rise else latch.level - 1
        step, stat = int(self.steps[stop]), float(self.stat[stop])
        latch.piece = _piece(step, step, stat if self.cond[stop] else None, latch.level, opening=False)
        return stop + 1

    def _extend(self, start: int, stop: int) -> None:
        piece, sign = self.latch.piece, self.latch.sign
        on = np.flatnonzero(self.cond[start:stop]) + start
        if piece is None or not len(on):
            return
        piece["end"] = int(self.steps[on[-1]])
        worst = sign * float(np.max(sign * self.stat[on]))
        piece["peak"] = worst if piece["peak"] is None else sign * max(sign * piece["peak"], sign * worst)

    def _carry(self) -> None:
        """Canonical state: what cannot matter any more is zero."""
        latch = self.latch
        rest = [0] * (latch.levels - len(self.over))
        latch.over = [int(run[-1]) for run in self.over] + rest
        latch.calm = int(self.calm[-1]) if latch.level else 0
        latch.under = [int(run[-1]) if latch.level > j > 0 else 0 for j, run in enumerate(self.under)] + rest
        if latch.level:
            latch.recent = []
            return
        tail = min(latch.over[0], latch.hold)
        here = min(tail, self.n)
        kept = [[int(s), float(m)] for s, m in zip(self.steps[self.n - here :], self.stat[self.n - here :], strict=True)]
        latch.recent = (latch.recent if tail > here else []) + kept if tail else []
        latch.recent = latch.recent[-latch.hold :]


def _piece(start: int, fired: int, peak: float | None, level: int, *, opening: bool) -> dict[str, Any]:
    return {"start": start, "fired": fired, "end": fired, "resolved": None, "peak": peak, "level": level, "opening": opening}


def _runs(index: Ints, hit: Bools, carried: int) -> Ints:
    """How many observations in a row ``hit`` has held, this one included; ``carried`` of them before the chunk."""
    run: Ints = index - np.maximum.accumulate(np.where(hit, -1 - carried, index))
    return run


def _next(positions: Ints, at: int, n: int) -> int:
    j = int(np.searchsorted(positions, at))
    return int(positions[j]) if j < len(positions) else n
