"""Finite observations of one signal, one at a time or many at once, with the same bits either way.

Both paths compute the same IEEE operations in the same order; + - * ÷ and the square root are exact to the last bit in Python and
numpy alike. Streams work in the direction of harm: a signal whose limits are "below" is negated on the way in and out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..model import Floats, Limit, Steps
from .base import Flags, Judged, Levels

SMALL = 12  # chunks up to this length cost less one observation at a time
BOUND = 1e100  # larger magnitudes count as this, so that no square or sum of them overflows
NAN = float("nan")


class One(NamedTuple):
    """The judgement of one observation."""

    cond: int
    safe: bool
    stat: float


class Bulk(NamedTuple):
    """The judgements of many observations."""

    cond: Levels
    safe: Callable[[], Flags]
    stat: Floats


QUIET = One(0, False, NAN)
FIRST = np.zeros(1, np.intp)  # the positions of a chunk of one
FIRST.setflags(write=False)


class Stream:
    """``one`` and ``bulk`` are a detector; this hands observations to either and keeps what KEPT names as its state.

    ``scalar``: how many first observations must go one at a time (a baseline, a window that fills).
    """

    KEPT: ClassVar[tuple[str, ...]] = ()

    def __init__(self, sign: float, limits: Sequence[float], scalar: int = 0) -> None:
        self.sign, self.limits, self.scalar, self.seen = sign, tuple(limits), scalar, 0

    def one(self, x: float) -> One:
        raise NotImplementedError

    def bulk(self, x: Floats) -> Bulk:
        raise NotImplementedError

    def advance(self, steps: Steps, values: Floats, counts: Floats | None = None) -> Judged:
        v = np.asarray(values, float)
        if v.size <= SMALL:
            return self._singly(v)
        ok = np.isfinite(v)
        whole = bool(ok.all())
        at = np.arange(v.size) if whole else np.flatnonzero(ok)
        if at.size <= SMALL:
            return self._singly(v)
        cond, safe, stat = self.warmed(self._inwards(v if whole else v[at]))
        return Judged(at, cond, safe, self._outwards(stat))

    def warmed(self, x: Floats) -> Bulk:
        """``bulk``, with the first ``scalar`` observations of the run taken singly."""
        k = min(max(self.scalar - self.seen, 0), x.size)
        if not k:
            return self.bulk(x)
        head = columns([self.one(v) for v in x[:k].tolist()])
        if k == x.size:
            return head
        tail = self.bulk(x[k:])
        return Bulk(
            np.concatenate((head.cond, tail.cond)),
            lambda: np.concatenate((head.safe(), tail.safe())),
            np.concatenate((head.stat, tail.stat)),
        )

    def _singly(self, values: Floats) -> Judged:
        at, rows = [], []
        for i, x in enumerate(values.tolist()):
            if x - x == 0.0:
                x = min(max(x, -BOUND), BOUND)
                at.append(i)
                rows.append(self.one(x + 0.0 if self.sign > 0 else 0.0 - x))
        got = columns(rows)
        return Judged(FIRST if at == [0] else np.array(at, np.intp), got.cond, got.safe, self._outwards(got.stat))

    def _inwards(self, x: Floats) -> Floats:
        # the sum with 0.0 makes -0.0 a plain zero, whose sign no minimum or sort can then lose
        x = np.minimum(np.maximum(x, -BOUND), BOUND)
        return x + 0.0 if self.sign > 0 else 0.0 - x

    def _outwards(self, stat: Floats) -> Floats:
        return stat if self.sign > 0 else 0.0 - stat

    def own(self, value: float | None) -> float | None:
        """A harm-oriented number in the rule's own sign."""
        return None if value is None else self.sign * value

    def state(self) -> dict[str, Any]:
        return {name: _copied(getattr(self, name)) for name in self.KEPT}

    def restore(self, state: Mapping[str, Any]) -> None:
        for name in self.KEPT:
            setattr(self, name, _copied(state[name]))
        self.derive()

    def derive(self) -> None:
        """Forget whatever can be rebuilt from the state."""

    def facts(self) -> dict[str, Any]:
        return {}


def _copied(value: Any) -> Any:
    return list(value) if isinstance(value, list) else value


def columns(rows: Sequence[One]) -> Bulk:
    """Single judgements as arrays."""
    if len(rows) == 1:  # a live row
        one = rows[0]
        return Bulk(np.array((one.cond,), np.int8), lambda: np.array((one.safe,), bool), np.array((one.stat,)))
    safe = [r.safe for r in rows]
    return Bulk(np.array([r.cond for r in rows], np.int8), lambda: np.array(safe, bool), np.array([r.stat for r in rows], float))


def quiet(n: int) -> Bulk:
    """No limit exceeded anywhere, no statistic yet; the arrays are for the caller to fill."""
    cond = np.zeros(n, np.int8)
    return Bulk(cond, lambda: cond == 0, np.full(n, NAN))


def oriented(limits: Sequence[Limit], nested: bool = True) -> tuple[float, tuple[float, ...]]:
    """The sign that makes larger values worse, and the limits multiplied by it.

    Raises ValueError where there is no limit, there are two sides, or (``nested``) a severer limit is passed before a milder one.
    """
    if not limits:
        raise ValueError("a detector needs at least one limit, got none")
    if len({limit.side for limit in limits}) > 1:
        raise ValueError(f"limits of one rule must have one side, got {_shown(limits)}; write a rule for each side")
    sign = 1.0 if limits[0].side == "above" else -1.0
    values = tuple(sign * float(limit.value) for limit in limits)
    if not all(abs(v) <= BOUND for v in values):
        raise ValueError(f"limits must be finite numbers, got {_shown(limits)}")
    if nested and list(values) != sorted(values):
        raise ValueError(f"limits must run from mild to severe, got {_shown(limits)}; order values as their severities")
    return sign, values


def departures(limits: Sequence[Limit], nested: bool = True) -> tuple[float, tuple[float, ...]]:
    """``oriented`` limits of a change since a baseline: a fall is negative, so limits "below" must not be positive."""
    sign, values = oriented(limits, nested)
    if min(values) < 0:
        word = "positive" if sign > 0 else "negative"
        raise ValueError(f"a change {limits[0].side} its limit must be {word} or 0, got {_shown(limits)}; change the sign")
    return sign, values


def _shown(limits: Sequence[Limit]) -> str:
    return ", ".join(f"{limit.side} {limit.value:g} ({limit.severity})" for limit in limits)
