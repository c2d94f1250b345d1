"""Rule reward-saturated."""

from __future__ import annotations

import numpy as np

from ...authoring import YES, Advice, Applies, Cause, Clue, Effect, Enable, Facts, Next, RowView, Witness, above, no, ramp, rule
from ...detectors import Level
from ...knobs.sampling import DYNAMIC_FILTER
from ...metrics.actor import TASK_REWARD
from ...metrics.rollout import ALL_CORRECT_RATIO, EVAL_REWARD, ROLLOUT_REWARD, ZERO_VARIANCE_RATIO
from ...metrics.update import GRAD_NORM
from ...model import Floats
from ..readings import REWARD, on_unit_scale, reward_facts


def _applies(run: Facts) -> Applies:
    """A ceiling is known where rewards stay within 0 … 1 and one has reached 1."""
    known = reward_facts(run)
    largest = run.series.get(TASK_REWARD.max.name)
    if known is not None and not on_unit_scale(known):
        return no("the reward leaves 0 to 1: its ceiling is not known")
    if largest is not None and largest.high is not None and largest.high != 1:
        return no("no single reward of exactly 1 and none above: the ceiling is not known")
    return YES


@rule(
    reads=(REWARD,),
    detector=Level(window=20, least=1, hold=10),
    exact_onset=True,
    limits=(above(0.9, "info", "ScaleRL: no resampling from 0.9"), above(0.995, "warning", "practice")),
    message="Reward is {value:num} of 1: little is left to gain",
    applies=_applies,
    witnesses=(
        Witness(ZERO_VARIANCE_RATIO),
        Witness(ALL_CORRECT_RATIO),
        Witness(EVAL_REWARD, "rises", "held-out rises too: learnt"),
        Witness(GRAD_NORM),
    ),
    causes=(
        Cause(
            "The training questions are solved",
            supports=(Clue(EVAL_REWARD, "rises", "the held-out reward rises too"),),
            against=(Clue(EVAL_REWARD, "falls", "the held-out reward falls"),),
        ),
        Cause(
            "The verifier accepts wrong answers, or the policy games it",
            supports=(Clue(EVAL_REWARD, "falls", "the held-out reward falls"),),
            unobserved=("text of the highest-scored responses",),
        ),
        Cause("Few training questions, learnt by heart", rule="train-eval-divergence"),
    ),
    remedies=(
        Enable(DYNAMIC_FILTER, "groups that are all right carry no signal; they then leave the batch"),
        Advice("leave questions out whose pass rate is 0.9 or more, or take harder data", "what is left to learn is in the others"),
        Advice("stop here and keep the checkpoint with the best held-out reward", "more steps cost without teaching"),
    ),
    next=Next(
        "Evaluate on held-out questions, and read 20 of the best-scored responses",
        "one evaluation, no training",
        (
            ("held-out is as high", "solved: stop, or take harder data"),
            ("held-out is far lower", "overfitting or a lenient verifier: train-eval-divergence"),
        ),
    ),
    explains=(
        Effect("zero-variance-groups", (0, 10_000)),
        Effect("zero-gradient-steps", (0, 10_000)),
        Effect("reward-not-increasing", (0, 10_000)),
    ),
    bad={ROLLOUT_REWARD: np.minimum(ramp(0.4, 1.2, 0, 120), 0.97)},
    good={ROLLOUT_REWARD: ramp(0.4, 0.85, 0, 120)},
)
def reward_saturated(run: RowView) -> Floats:
    """The reward is at its ceiling: little is left to learn from these questions.

    Why it matters: A group in which every answer is right has no advantage. At a reward of 0.95 and 8 samples a group, two
    thirds of the groups carry no signal; at 0.995 it is 96 percent.

    How it is measured: The median of 20 rows of the reward is above 0.9 (info) or 0.995 (warning), where rewards stay within
    0 and 1 and single ones reach 1.

    What it misses: Rewards of another range, and shaped rewards whose best answer is under 1. How many groups are without
    signal is zero-variance-groups.

    Known false alarms: A reward that pays for format alone is near 1 by design; a run that ends because it has learnt is
    healthy, which is why 0.9 is an info.

    Source: ScaleRL (questions with a pass rate of 0.9 and more are no longer drawn); AReaL boba² keeps success rates of 0.05
    to 0.95; 0.995: practice (0.995 to the 8th is 0.96).
    """
    return run[REWARD]
