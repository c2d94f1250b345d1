"""Rule zero-variance-groups."""

from __future__ import annotations

import numpy as np

from ...authoring import Advice, Cause, Clue, Effect, Enable, Found, Next, Raise, RowView, Witness, above, any_of, maybe, rule, shares
from ...authoring.facts import YES, Applies, Facts, unknown
from ...detectors import Level
from ...knobs.sampling import DYNAMIC_FILTER, GROUP_SIZE, TEMPERATURE
from ...metrics.actor import TASK_REWARD
from ...metrics.rollout import ALL_CORRECT_RATIO, ALL_WRONG_RATIO, REWARD_MAX, REWARD_MIN, ZERO_VARIANCE_RATIO
from ...metrics.update import ENTROPY, GRAD_NORM
from ...model import Floats
from ...wording import number, share
from ..readings import at_ceiling, on_unit_scale, one_score, one_score_possible, reward_facts, reward_spread, served, warning_where_solved

HARD, EASY = 0.15, 0.85  # mean reward on a scale of 0 to 1


def _applies(run: Facts) -> Applies:
    """Where no share is logged, a batch whose rewards are all equal proves one of 100 percent; nothing proves less."""
    if run.has(ZERO_VARIANCE_RATIO) or run.has(ZERO_VARIANCE_RATIO.lower):
        return YES
    if one_score_possible(run):
        return YES
    return unknown("the share of groups without spread is not logged, and no batch proves it; log each group's spread of rewards")


def _kind(run: Facts) -> str:
    """All right, all wrong, one constant score, or none of these."""
    known, score = reward_facts(run, trained=True), one_score(run)
    if at_ceiling(run):
        return "all right"
    if score is not None:
        return f"all score {number(score)}"
    if known is None or known.value is None or not on_unit_scale(known):
        return "no spread"
    return "all wrong" if known.value <= HARD else "all right" if known.value >= EASY else "no spread"


def _says(found: Found) -> str:
    if not found.active:
        return f"Up to {share(found.peak)} of the groups had no spread of rewards"
    return f"{share(found.value)} of the groups give no signal: {_kind(found.run)}"


@rule(
    reads=(any_of(ZERO_VARIANCE_RATIO, ZERO_VARIANCE_RATIO.lower, TASK_REWARD.max, REWARD_MAX), maybe(TASK_REWARD.min), maybe(REWARD_MIN)),
    detector=Level(window=20, least=10, hold=5),
    limits=(
        above(0.5, "warning", "cost: 2 rollouts a useful one"),
        above(0.75, "error", "cost: 4 rollouts a useful one"),
        above(0.9, "critical", "cost: 10 rollouts a useful one"),
    ),
    message=_says,
    label="Groups without spread",
    unit="%",
    applies=_applies,
    severity_cap=warning_where_solved,
    witnesses=(
        Witness(TASK_REWARD),
        Witness(ALL_CORRECT_RATIO),
        Witness(ALL_WRONG_RATIO),
        Witness(GRAD_NORM, "falls", "the gradient falls with it"),
        Witness(ENTROPY, "falls", "entropy falls: answers repeat"),
    ),
    causes=(
        Cause("Every response gets the same reward", rule="reward-constant", when=lambda run: one_score(run) is not None),
        Cause("Responses are cut off before their answer", rule="truncated-responses"),
        Cause(
            "Too hard: groups are all wrong",
            supports=(Clue(ALL_WRONG_RATIO, "rises", "groups that are all wrong grow"), Clue(TASK_REWARD, "falls", "the reward falls")),
            when=lambda run: _kind(run) != "all right",
        ),
        Cause(
            "Too easy: groups are all right",
            rule="reward-saturated",
            supports=(Clue(ALL_CORRECT_RATIO, "rises", "groups that are all right grow"), Clue(TASK_REWARD, "rises", "the reward rises")),
            when=lambda run: _kind(run) != "all wrong",
        ),
        Cause(
            "The samples of a prompt are alike: little randomness, or one seed for all",
            rule="entropy-collapse",
            supports=(Clue(ENTROPY, "falls", "entropy falls"),),
            unobserved=("how many answers of a group are distinct",),
        ),
    ),
    remedies=(
        Enable(DYNAMIC_FILTER, "groups without spread leave the batch, and other prompts take their place"),
        Advice("easier data or SFT where groups are all wrong, harder data where all are right", "only mixed groups have a gradient"),
        Raise(GROUP_SIZE, 2, "at a pass rate of 0.1 a group of 8 has no spread in 43 percent, one of 16 in 19"),
        Raise(TEMPERATURE, 1.2, "where the samples of a prompt are alike", "experiment"),
    ),
    next=Next(
        "Sample 16 answers each to 64 training prompts and count the right ones",
        "offline, no training",
        (
            ("most prompts have none right", "too hard, or the verifier: score reference answers too"),
            ("most have all right", "too easy: harder data, or stop"),
            ("mixed, yet training groups are not", "the samples of a group repeat: seeds, temperature"),
        ),
    ),
    explains=(Effect("zero-gradient-steps", (0, 500)), Effect("reward-not-increasing", (0, 10_000))),
    bad={ZERO_VARIANCE_RATIO: shares(0.8, 64)},
    good={ZERO_VARIANCE_RATIO: shares(0.3, 64)},
)
def zero_variance_groups(run: RowView) -> Floats:
    """Most groups have equal rewards, so that they have no advantage and no gradient.

    Why it matters: At a share f each useful rollout costs 1 / (1 − f) of them: 2 at a half, 10 at 0.9. The few groups that are
    left are scaled up by normalisation, and their noise with them.

    How it is measured: The share of groups without spread, median of 20 rows over 0.5, 0.75 and 0.9. Where it is not logged, a
    batch whose largest and smallest reward are equal proves a share of 1; other batches prove nothing and count as 0. All-wrong,
    all-right and one constant score are told apart by the level of the reward and by whether it ever was another.

    What it misses: Where the share is not logged, everything short of a whole batch without spread. Rewards that differ and are
    clipped to one value afterwards have no gradient either: zero-gradient-steps.

    Known false alarms: Groups of one or two samples. A filter that removes such groups after they were counted. At a pass rate
    of 0.9 and 8 samples a group 43 percent are expected; a task that is solved is a warning at most.

    Source: arithmetic of the cost (rldoctor has 0.30, 0.50, 0.75); the phenomenon: DAPO section 3.2; 0.15 and 0.85: practice.
    """
    for logged in (ZERO_VARIANCE_RATIO, ZERO_VARIANCE_RATIO.lower):
        values = served(run, logged)
        if values is not None:
            return values
    spread = reward_spread(run)
    return np.where(np.isfinite(spread), (spread <= 1e-9).astype(float), np.nan)
