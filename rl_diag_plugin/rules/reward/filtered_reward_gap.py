"""Rule filtered-reward-gap."""

from __future__ import annotations

from ...authoring import (
    YES,
    Advice,
    Applies,
    Cause,
    Clue,
    Effect,
    Example,
    Facts,
    Found,
    Next,
    RowView,
    Witness,
    above,
    no,
    noise,
    ramp,
    rule,
)
from ...detectors import Level
from ...knobs.sampling import DYNAMIC_FILTER
from ...metrics.actor import TASK_REWARD
from ...metrics.rollout import ACCEPT_RATIO, DISCARDED_VALID, EVAL_REWARD, GENERATION_ROUNDS, ROLLOUT_REWARD
from ...model import Floats
from ...wording import number


def _applies(run: Facts) -> Applies:
    if run.knobs.value(DYNAMIC_FILTER):
        return YES
    return no("no dynamic filter is known of: the two rewards then cover different episodes, not filtered ones")


def _easy(run: Facts) -> bool:
    """Whether the filter drops the easy groups: the trained reward is the lower one."""
    trained, sampled = run.value(TASK_REWARD), run.value(ROLLOUT_REWARD)
    return trained is not None and sampled is not None and trained < sampled


def _hard(run: Facts) -> bool:
    return not _easy(run)


def _says(found: Found) -> str:
    which, side = ("easy", "under") if _easy(found.run) else ("hard", "over")
    return f"Trained reward is {number(found.value)} {side} the sampled: {which} groups dropped"


@rule(
    reads=(TASK_REWARD, ROLLOUT_REWARD),
    detector=Level(window=20, least=10, hold=5),
    limits=(above(0.05, "note", "practice"), above(0.3, "warning", "practice")),
    message=_says,
    label="Trained − sampled reward",
    onset_method="hinge",
    applies=_applies,
    witnesses=(
        Witness(ROLLOUT_REWARD, "rises", "the sampled reward rises: it learns, whatever the trained reward does"),
        Witness(EVAL_REWARD, "rises", "the held-out reward rises"),
        Witness(TASK_REWARD),
        Witness(ACCEPT_RATIO),
        Witness(GENERATION_ROUNDS),
        Witness(DISCARDED_VALID),
    ),
    causes=(
        Cause(
            "The filter drops groups that are all right: the data became easy",
            supports=(Clue(ROLLOUT_REWARD, "rises", "the sampled reward rises"),),
            when=_easy,
        ),
        Cause("The filter drops groups that are all wrong: the data are hard", when=_hard),
    ),
    remedies=(
        Advice("judge learning by rollout/reward and the held-out reward, not by the trained one", "a filter holds that near its middle"),
        Advice(
            "add harder questions where easy groups are dropped, easier ones where hard groups are", "dropped groups cost their rollouts"
        ),
    ),
    next=Next(
        "Count the groups that the filter drops, all right and all wrong, a step",
        "one line in the accept function",
        (
            ("most are all right", "harder questions"),
            ("most are all wrong", "easier questions, or SFT first"),
        ),
    ),
    explains=(Effect("reward-not-increasing", (0, 10_000)),),
    bad=Example({ROLLOUT_REWARD: ramp(0.4, 0.95, 0, 120), TASK_REWARD: noise(0.55, 0.02, 120)}, {DYNAMIC_FILTER: True}),
    good=Example({ROLLOUT_REWARD: ramp(0.4, 0.6, 0, 120), TASK_REWARD: ramp(0.42, 0.58, 0, 120)}, {DYNAMIC_FILTER: True}),
)
def filtered_reward_gap(run: RowView) -> Floats:
    """A dynamic filter sets the trained reward apart from the sampled one.

    Why it matters: It explains a trained reward that is flat or near its middle although the policy learns: groups that are all
    right or all wrong are left out of it and still count in the sampled reward. The size says how much sampling is thrown away.

    How it is measured: The absolute difference of trained and sampled reward, median of 20 rows: above 0.05 a note, above 0.3
    of a range of 1 a warning that most of the data are too easy or too hard. Only with a dynamic filter.

    What it misses: A filter that drops as many easy groups as hard ones moves neither. How many groups are dropped is not in
    the two rewards.

    Known false alarms: With samples that wait long before training the sampled reward is ahead by what was learnt meanwhile; an
    overlong penalty that one of the two leaves out; where a filter is only inferred from rejected groups, episodes that failed.

    Source: AReaL's guide (the two differ under dynamic filtering) and a maintainer's answer in its issue 138; limits: practice.
    """
    return abs(run[TASK_REWARD] - run[ROLLOUT_REWARD])
