"""Alternatives that several rules read alike, and what the reward's facts say of its level."""

from __future__ import annotations

import math

import numpy as np

from ..authoring import Facts, KeyFacts, Read, RowView, any_of, maybe
from ..metrics.actor import N_SEQS, TASK_REWARD
from ..metrics.rollout import EPISODE_RETURN, REWARD_MAX, REWARD_MIN, REWARD_STD, ROLLOUT_REWARD
from ..model import Floats, Severity

REWARD = any_of(ROLLOUT_REWARD, TASK_REWARD, EPISODE_RETURN)
TRAINED_REWARD = any_of(TASK_REWARD, ROLLOUT_REWARD)
SPREAD: tuple[Read, ...] = (any_of(TASK_REWARD.max, REWARD_MAX, REWARD_STD), maybe(TASK_REWARD.min), maybe(REWARD_MIN))


def reward_spread(run: RowView) -> Floats:
    """Largest less smallest reward of the batch, else the standard deviation over it; NaN where one of a pair is missing."""
    for high, low in ((TASK_REWARD.max, TASK_REWARD.min), (REWARD_MAX, REWARD_MIN)):
        top = served(run, high)
        if top is not None:
            return top - run[low]
    return run[REWARD_STD]


def served(run: RowView, read: Read) -> Floats | None:
    """The values of a reading, None where another one stands for it."""
    try:
        return run[read]
    except KeyError:
        return None


def reward_facts(run: Facts, *, trained: bool = False) -> KeyFacts | None:
    """Of the reward as rules read it, or of the one trained on."""
    options = (TRAINED_REWARD if trained else REWARD).options
    return next((run.series[m.name] for m in options if run.has(m)), None)


def on_unit_scale(known: KeyFacts | None) -> bool:
    """Whether a reward has stayed within 0 … 1, where limits as shares of its range are known to be meant."""
    return known is not None and known.low is not None and known.high is not None and known.low >= 0 and known.high <= 1


def at_ceiling(run: Facts) -> bool:
    """The reward is at 0.9 of 1 or more and was lower before: it came there, which no constant does."""
    known = reward_facts(run, trained=True)
    if known is None or not on_unit_scale(known) or known.value is None or known.low is None:
        return False
    return known.value >= 0.9 and known.low < known.value


def one_score(run: Facts) -> float | None:
    """The reward that every response of the last batch got; None where they differ or cannot be known."""
    for high, low in ((TASK_REWARD.max, TASK_REWARD.min), (REWARD_MAX, REWARD_MIN)):
        a, b = run.value(high), run.value(low)
        if a is not None and b is not None:
            return a if np.isclose(a, b, rtol=0, atol=1e-9) else None
    if run.value(REWARD_STD) == 0:
        known = reward_facts(run, trained=True)
        return None if known is None else known.value
    return None


def one_score_possible(run: Facts) -> bool:
    """Whether one reward for all of a batch can have been: no batch's largest was below every batch's smallest."""
    for high, low in ((TASK_REWARD.max, TASK_REWARD.min), (REWARD_MAX, REWARD_MIN)):
        top, bottom = run.series.get(high.name), run.series.get(low.name)
        if top and bottom and top.low is not None and bottom.high is not None and top.low <= bottom.high:
            return True
    return False


def saturated_from_the_start(run: Facts) -> bool:
    """Whether a reward that moves has been around 0.9 of 1 or more ever since the first row."""
    known = reward_facts(run)
    if known is None or not on_unit_scale(known) or known.low is None or known.high is None:
        return False
    return known.low < known.high and (known.low + known.high) / 2 >= 0.9


def rose_early(run: Facts) -> bool:
    """Whether the last reward is over the lowest by more than the noise of both: a rise that a line through a long run dilutes."""
    known = reward_facts(run)
    if known is None or known.value is None or known.low is None or not on_unit_scale(known):
        return False
    sequences = max(run.value(N_SEQS) or 64.0, 1.0)
    return known.value - known.low > max(0.15, 6 * math.sqrt(0.25 / sequences))


def warning_where_solved(run: Facts) -> Severity | None:
    """A bound for rules over missing signal: a task that is solved wastes its rollouts and harms nothing."""
    return "warning" if at_ceiling(run) else None
