"""Rule reward-not-increasing."""

from __future__ import annotations

import numpy as np

from ...authoring import Advice, Cause, Clue, Enable, Example, Found, Next, Raise, RowView, Witness, below, rule, shares
from ...authoring.facts import YES, Applies, Facts, is_true, no, unknown
from ...detectors import Flat
from ...knobs.logging import EVAL_BEFORE_TRAIN
from ...knobs.optimizer import LR, PLANNED_STEPS, TRAIN_BATCH_SIZE
from ...knobs.sampling import DYNAMIC_FILTER
from ...metrics.rollout import EPISODE_RETURN, EVAL_REWARD, ROLLOUT_REWARD
from ...metrics.update import ENTROPY, GRAD_NORM
from ...model import Floats, Severity
from ...wording import number
from ..readings import REWARD, rose_early, saturated_from_the_start

ENOUGH_ROWS = 300  # Unsloth's guide: at least 300 steps before a verdict
ENOUGH_SHARE, AT_MOST = 0.3, 1000  # of the planned steps; rows


def _applies(run: Facts) -> Applies:
    if is_true(run, DYNAMIC_FILTER) and not run.has(ROLLOUT_REWARD) and not run.has(EPISODE_RETURN):
        return unknown("only the filtered reward is logged, which a dynamic filter holds near its middle; log rollout/reward")
    if saturated_from_the_start(run):
        return no("the reward was at its ceiling from the start: reward-saturated judges that")
    return YES


def _cap(run: Facts) -> Severity | None:
    """Info until a slow rise would have shown, and where the reward rose and then stayed."""
    if rose_early(run):
        return "info"
    planned = run.knobs.number(PLANNED_STEPS)
    enough = min(ENOUGH_SHARE * planned, AT_MOST) if planned else ENOUGH_ROWS
    return None if run.rows >= enough else "info"


def _says(found: Found) -> str:
    rows, rise, mdr = f"{found.rows:,} rows", found.facts["rise"], found.facts["mdr"]
    if not found.active:
        return "Reward did not rise at first; it has since, or is undecided"
    if rose_early(found.run):
        return f"Reward rose early on, then no more: {number(found.after)} of late"
    if mdr < 1e-12:
        return f"Reward has not changed at all in {rows}"
    if found.facts["verdict"] == "falling" or found.value <= 0:
        return f"Reward falls: by {number(-rise)} over {rows} (±{number(mdr / 2.487 * 1.96)})"
    return f"Reward rose by at most {number(found.value)} in {rows}; {number(mdr)} would show"


@rule(
    reads=(REWARD,),
    detector=Flat(least=40, clear=20),
    limits=(below(0.1, "info", "practice"), below(0.02, "warning", "practice: 2 % of the range")),
    message=_says,
    applies=_applies,
    severity_cap=_cap,
    witnesses=(Witness(EVAL_REWARD), Witness(GRAD_NORM), Witness(ENTROPY)),
    causes=(
        Cause("Every response gets the same reward", rule="reward-constant"),
        Cause("Responses are cut off before their answer", rule="truncated-responses"),
        Cause("No group has rewards that differ", rule="zero-variance-groups"),
        Cause("There is no gradient", rule="zero-gradient-steps"),
        Cause("The learning rate is 0", rule="learning-rate-zero"),
        Cause("The KL penalty holds the policy at its reference", unobserved=("whether the weights move",)),
        Cause("Samples are too old, or sampler and trainer disagree", rule="rollout-training-mismatch"),
        Cause("The reward is too noisy for its rise to show", rule="task-reward-variance"),
        Cause(
            "The task is too hard for this model, or the data do not match it",
            supports=(Clue(EVAL_REWARD, "rises", "the held-out reward rises: the training data are harder"),),
            unobserved=("reward on the test set before training",),
        ),
    ),
    remedies=(
        Enable(EVAL_BEFORE_TRAIN, "a baseline: the test set's reward before training"),
        Advice(
            "train on the test set for 50 to 100 steps, as a diagnosis only",
            "whether that reward rises tells hyperparameters and model from data",
            "experiment",
        ),
        Raise(TRAIN_BATCH_SIZE, 2, "if it does not rise on the test set: less noise a step"),
        Raise(LR, 2, "if it does not rise on the test set: larger steps", "experiment"),
        Advice("try another base model, or SFT first", "if it does not rise on the test set: this model may not be able to do the task"),
        Enable(DYNAMIC_FILTER, "if it rises on the test set only: keeps the difficulty right; look at the training data too"),
    ),
    next=Next(
        "Evaluate the base model; then train on the test set, 50–100 steps",
        "one evaluation and 50 to 100 steps; a diagnosis, never a result",
        (
            ("the test set's reward does not rise", "larger batch or learning rate, another base model, SFT first"),
            ("it rises there, not on the training set", "training data: quality, difficulty; dynamic filtering"),
            ("both rise", "too short or too noisy: go on with a larger batch"),
        ),
    ),
    bad=Example({ROLLOUT_REWARD: shares(0.35, 128, 150)}, {PLANNED_STEPS: 150}),
    good=Example({ROLLOUT_REWARD: shares(0.35 + 0.5 * np.arange(100) / 100, 128)}, {PLANNED_STEPS: 100}),
)
def reward_not_increasing(run: RowView) -> Floats:
    """The training reward has not risen since the start.

    Why it matters: It is the first thing to see of a run that does not learn, and it has many causes; the guide's tree and the
    free checks of the other rules tell them apart.

    How it is measured: A line through the whole run's reward, its standard error widened for autocorrelation. It fires where
    the upper 95 percent bound of the rise is under 2 percent of a range of 1 (warning), or under 10 percent (info). Before 300
    rows (30 percent of the planned steps where they are known, at most 1,000 rows) it is an info. The minimum detectable rise
    stands beside it: what a one-sided 5 percent test would find with power 0.8. A wide interval is undecided, never flat.

    What it misses: A rise that ended long ago is told from none by the lowest and the last reward alone (then it is an info).
    Rewards on a scale of much more than 1, where only a fall is seen. In short or noisy runs the interval is too wide for a
    verdict.

    Known false alarms: A slow rise in its first rows (an info, over once it shows), a curriculum that gets harder, a length
    penalty that ramps in, rewards on a scale much smaller than 1. Under dynamic filtering the trained reward stays near its
    middle: the raw reward is read.

    Source: AReaL's guide (the tree); Unsloth (at least 300 steps); equivalence test, Schuirmann 1987; 2 and 10 percent:
    practice.
    """
    return run[REWARD]
