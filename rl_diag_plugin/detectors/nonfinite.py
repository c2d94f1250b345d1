"""NonFinite: a logged value is NaN or infinite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..model import Floats, Limit, Steps
from .base import Judged
from .running import oriented


@dataclass(frozen=True, slots=True)
class NonFinite:
    """1 where the value is NaN or infinite, else 0, against limits under 1. A key that was not logged is no value."""

    hold: int = 1
    clear: int = 1

    @property
    def warmup(self) -> int:
        return 0

    def start(self, limits: Sequence[Limit]) -> NonFiniteStream:
        return NonFiniteStream(sum(t < 1 for t in oriented(limits)[1]))

    def statistic(self, values: Floats, width: int = 1) -> Floats:
        return values

    def label(self) -> str:
        return ""


class NonFiniteStream:
    """The one detector of values that all others drop."""

    def __init__(self, exceeded: int) -> None:
        self.exceeded, self.seen, self.found = exceeded, 0, 0

    def advance(self, steps: Steps, values: Floats, counts: Floats | None = None) -> Judged:
        bad = ~np.isfinite(np.asarray(values, float))
        n = int(np.count_nonzero(bad))
        self.seen += bad.size - n
        self.found += n
        cond = bad.astype(np.int8) * np.int8(self.exceeded)
        return Judged(np.arange(bad.size), cond, lambda: cond == 0, bad.astype(float))

    def state(self) -> dict[str, Any]:
        return {"seen": self.seen, "found": self.found}

    def restore(self, state: Mapping[str, Any]) -> None:
        self.seen, self.found = state["seen"], state["found"]

    def facts(self) -> dict[str, Any]:
        return {"found": self.found}
