"""Ranking of what explains what. The edges stand in the rules; a rank is never a probability."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .authoring import Cause, Clue, Facts
from .model import SuspectedCause


def ranked(causes: Sequence[Cause], run: Facts, holds: Callable[[Clue], bool | None], found: Sequence[str]) -> tuple[SuspectedCause, ...]:
    """Likeliest first: +1 a clue that supports, −1 one that speaks against, +2 where the cause's own rule has fired.

    ``holds`` tells whether a clue's move was seen (None: its metric is not logged). Ties keep the rule's own order.
    """
    scored = []
    for order, cause in enumerate(causes):
        if cause.when is not None and not cause.when(run):
            continue
        supporting = [c.text for c in cause.supports if holds(c)]
        against = [c.text for c in cause.against if holds(c)]
        unseen = [f"{c.metric.label.lower()} is not logged" for c in (*cause.supports, *cause.against) if holds(c) is None]
        score = len(supporting) - len(against) + (2 if cause.rule in found else 0)
        scored.append((-score, order, cause, supporting, against, [*cause.unobserved, *unseen]))
    scored.sort(key=lambda s: (s[0], s[1]))
    return tuple(
        SuspectedCause(cause.title, rank, cause.rule, tuple(plus), tuple(minus), tuple(dict.fromkeys(unseen)))
        for rank, (_, _, cause, plus, minus, unseen) in enumerate(scored, 1)
    )
