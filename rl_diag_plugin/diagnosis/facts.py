"""What is known of a run at the time of a report, for predicates, fact rules and remedies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..authoring import Facts
from ..frameworks import CANONICAL
from ..knobs import Knobs
from ..knobs.optimizer import PLANNED_STEPS

if TYPE_CHECKING:
    from .engine import Diagnosis


def gather(run: Diagnosis) -> Facts:
    detected, canon = run._detected, run._canon
    framework = detected.framework if detected else CANONICAL
    version = detected.version if detected else None
    keys = dict(sorted(run._keys.facts().items()))
    knobs = canon.knobs if canon else Knobs(run.given)
    knobs = knobs.over(framework.infer({k: v for k, v in run._keys.last_values().items() if v == v}))
    rows, first, last = run.extent() or (0, None, None)
    names = {key: framework.normalise(key) for key in keys}
    intermittent = frozenset(key for key, name in names.items() if name is not None and framework.intermittent(name))
    silent, gap = _silence(run)
    return Facts(
        knobs=knobs,
        framework=framework.name if detected and detected.recognised else None,
        version=version,
        rows=rows,
        first=first,
        last=last,
        keys=keys,
        series=dict(sorted(run._metrics.facts().items())),
        readings=dict(sorted(canon.used.items())) if canon else {},
        events=tuple(run.events),
        blind=dict(framework.blind(knobs, version)),
        intermittent=intermittent,
        finished=finished(run, knobs),
        silent_for=silent,
        median_gap=gap,
    )


def finished(run: Diagnosis, knobs: Knobs) -> bool:
    """By an exit record or the planned steps; never by the clock."""
    if any(event.kind == "finished" for event in run.events):
        return True
    planned, extent = knobs.number(PLANNED_STEPS), run.extent()
    return planned is not None and extent is not None and extent[2] >= planned - 1


def _silence(run: Diagnosis) -> tuple[float | None, float | None]:
    """Seconds since the last row by the caller's clock, and the usual distance between rows."""
    walls = run._walls
    gap = float(np.median(np.diff(walls))) if len(walls) > 2 else None
    return (run.now - walls[-1] if run.now is not None and walls else None), gap
