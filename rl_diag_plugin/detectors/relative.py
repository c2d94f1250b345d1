"""Relative: the level against that of the first observations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..model import Floats, Limit
from .level import LevelStream
from .running import BOUND, NAN, QUIET, Bulk, One, Stream, departures, oriented, quiet
from .statistics import median, narrowed, rolling_median


@dataclass(frozen=True, slots=True)
class Relative:
    """A majority of the last ``window`` is over factor * baseline, the median of observations skip + 1 … skip + n0, frozen.

    Limits are factors ("below": a majority is under); clear at 1.3 * the mildest limit but at most 0.95 of the baseline, above
    at 0.7 * but at least 1.05. A baseline ≤ 0 has no multiples: nothing is judged. With ``difference`` the limits are departures
    from the baseline in the signal's unit, a fall negative, and clear at 0.7 * the departure. ``least``: observations after the
    baseline before anything is judged, window // 2 where not given.
    """

    window: int = 20
    skip: int = 5
    n0: int = 20
    difference: bool = False
    least: int | None = None
    hold: int = 10
    clear: int = 10

    @property
    def needed(self) -> int:
        return max(1, self.window // 2) if self.least is None else self.least

    @property
    def warmup(self) -> int:
        return self.skip + self.n0 + self.needed

    def start(self, limits: Sequence[Limit]) -> RelativeStream:
        if self.difference:
            sign, values = departures(limits)
            return RelativeStream(sign, values, 0.7 * values[0], self)
        sign, values = oriented(limits)
        factor = limits[0].value
        if not all(limit.value > 0 for limit in limits):
            raise ValueError(f"Relative takes factors > 0, got {[limit.value for limit in limits]}; difference=True takes departures")
        clear = min(factor, max(0.7 * factor, 1.05)) if sign > 0 else max(factor, min(1.3 * factor, 0.95))
        return RelativeStream(sign, values, sign * clear, self)

    def statistic(self, values: Floats, width: int = 1) -> Floats:
        skip, n0 = self.skip // width, narrowed(self.n0, width)
        out, at = np.full(values.shape, np.nan), np.flatnonzero(np.isfinite(values))
        if at.size > skip + n0:
            baseline = median(np.sort(values[at[skip : skip + n0]]).tolist())
            after = at[skip + n0 :]
            level = rolling_median(values[after], narrowed(self.window, width), narrowed(self.needed, width))
            out[after] = level - baseline if self.difference else level / baseline if baseline > 0 else np.nan
        return out

    def label(self) -> str:
        now = "value" if self.window == 1 else f"median of {self.window} rows"
        first, last = self.skip + 1, self.skip + self.n0
        start = f"row {first}" if first == last else f"rows {first}–{last}"
        return f"{now} {'less' if self.difference else 'over'} that of {start}"


class RelativeStream(Stream):
    """A Level that starts when the baseline is frozen. ``clear``: a harm-oriented multiple, or departure."""

    def __init__(self, sign: float, limits: Sequence[float], clear: float, spec: Relative) -> None:
        super().__init__(sign, limits, spec.skip + spec.n0)
        self.clear, self.spec = clear, spec
        self.base: list[float] = []
        self.baseline: float | None = None  # in the rule's own sign
        self.level: LevelStream | None = None

    def one(self, x: float) -> One:
        self.seen += 1
        if self.baseline is None:
            if self.seen > self.spec.skip:
                self.base.append(x)
            if len(self.base) == self.spec.n0:
                self._freeze(self.sign * median(sorted(self.base)))
            return QUIET
        if self.level is None:
            return QUIET
        cond, safe, stat = self.level.one(x)
        return One(cond, safe, self._relative(stat) if cond else NAN)

    def _freeze(self, baseline: float) -> None:
        self.base, self.baseline = [], baseline + 0.0
        if self.spec.difference:
            origin = self.sign * baseline
            limits, clear = [origin + t for t in self.limits], origin + self.clear
        elif baseline > 0:
            limits, clear = [baseline * t for t in self.limits], baseline * self.clear
        else:
            return
        self.level = LevelStream(1.0, limits, clear, self.spec.window, self.spec.needed)

    def _relative(self, stat: float) -> float:
        """Harm-oriented: a level as a multiple of the baseline, or as a departure from it."""
        baseline = self.baseline or 0.0
        return stat - self.sign * baseline if self.spec.difference else min(max(stat / baseline, -BOUND), BOUND)

    def bulk(self, x: Floats) -> Bulk:
        self.seen += x.size
        if self.level is None:
            cond, _, stat = quiet(x.size)
            return Bulk(cond, lambda: np.zeros(x.size, bool), stat)
        cond, safe, stat = self.level.bulk(x)
        i = np.flatnonzero(cond)
        if i.size:
            baseline = self.baseline or 0.0
            away = stat[i] - self.sign * baseline if self.spec.difference else np.clip(stat[i] / baseline, -BOUND, BOUND)
            stat[i] = away
        return Bulk(cond, safe, stat)

    def state(self) -> dict[str, Any]:
        return {"seen": self.seen, "base": list(self.base), "baseline": self.baseline, "level": self.level and self.level.state()}

    def restore(self, state: Mapping[str, Any]) -> None:
        self.level, self.baseline = None, None
        if state["baseline"] is not None:
            self._freeze(state["baseline"])
        self.seen, self.base = state["seen"], list(state["base"])
        if self.level is not None:
            self.level.restore(state["level"])

    def facts(self) -> dict[str, Any]:
        """``baseline`` in the signal's unit, None until known; ``first`` … ``last``: the observations it is the median of."""
        return {"baseline": self.baseline, "first": self.spec.skip + 1, "last": self.spec.skip + self.spec.n0}
