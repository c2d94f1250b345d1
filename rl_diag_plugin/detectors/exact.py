"""Exact: a value that must lie within a tolerance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..model import Floats, Limit
from .running import Bulk, One, Stream, oriented


@dataclass(frozen=True, slots=True)
class Exact:
    """x > limit, without memory. Limits are nested tolerances of the signal itself (an absolute deviation, as a rule)."""

    hold: int = 3
    clear: int = 10

    @property
    def warmup(self) -> int:
        return 0

    def start(self, limits: Sequence[Limit]) -> ExactStream:
        return ExactStream(*oriented(limits))

    def statistic(self, values: Floats, width: int = 1) -> Floats:
        return values

    def label(self) -> str:
        return ""


class ExactStream(Stream):
    KEPT = ("seen",)

    def one(self, x: float) -> One:
        self.seen += 1
        cond = sum(x > t for t in self.limits)
        return One(cond, cond == 0, x)

    def bulk(self, x: Floats) -> Bulk:
        self.seen += x.size
        cond = (x > self.limits[0]).astype(np.int8)
        if cond.any():
            for t in self.limits[1:]:
                cond += x > t
        return Bulk(cond, lambda: cond == 0, x)
