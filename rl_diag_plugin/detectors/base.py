"""The contract of a detector: a frozen specification that starts a running, chunk-streaming statistic.

Chunk invariance is exact: however the observations are cut into chunks, and with the state saved as JSON and restored at any
cut, ``advance`` judges the same observations with the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..model import Floats, Limit, Rows, Steps

Flags = NDArray[np.bool_]
Levels = NDArray[np.int8]


class Judged(NamedTuple):
    """Judgements of one chunk.

    ``at``: positions in the chunk that were judged. ``cond``: how many limits are exceeded there (limits are nested, mildest
    first). ``safe``: called only while an episode is open or opening; whether the observation is on the safe side of the
    clearing level (``cond > 0`` and safe exclude each other). ``stat``: the statistic that the limits are for, in the rule's
    unit and sign; NaN where ``cond`` is 0 and it would cost something.
    """

    at: Rows
    cond: Levels
    safe: Callable[[], Flags]
    stat: Floats


class Running(Protocol):
    """A started detector. ``seen`` counts the finite observations so far."""

    seen: int

    def advance(self, steps: Steps, values: Floats, counts: Floats | None = None) -> Judged:
        """``steps`` and ``values``: one entry an observation; NaN and infinities open and close nothing.

        ``counts``: how many samples each value is the share of (proportion alone uses it).
        """
        ...

    def state(self) -> dict[str, Any]:
        """Bounded, canonical, strict JSON: two equal histories give equal states."""
        ...

    def restore(self, state: Mapping[str, Any]) -> None: ...

    def facts(self) -> dict[str, Any]:
        """What a report may show of the statistic (baseline, minimum detectable rise, n and where it is from …), JSON."""
        ...


class Detector(Protocol):
    """A specification: parameters only, hashable, shared by all runs.

    ``hold`` observations over a limit open an episode or raise its severity; ``clear`` safe ones end it or lower it.
    ``warmup``: finite observations after which the statistic can first be over a limit (0: from the first).
    """

    @property
    def hold(self) -> int: ...

    @property
    def clear(self) -> int: ...

    @property
    def warmup(self) -> int: ...

    def start(self, limits: Sequence[Limit]) -> Running:
        """Limits of one rule: one side, mildest first."""
        ...

    def statistic(self, values: Floats, width: int = 1) -> Floats:
        """The statistic at every value for drawing, NaN where there is none yet; ``width``: logged points behind a value."""
        ...

    def label(self) -> str:
        """The statistic's name in words: "median of 10 rows"; "" where it is the value itself."""
        ...
