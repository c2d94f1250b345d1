"""Rule task-reward-variance."""

from __future__ import annotations

import math

import numpy as np

from ...authoring import YES, Applies, Cause, Effect, Facts, Found, Next, Raise, RowView, Witness, above, constant, noise, rule, unknown
from ...detectors import Level
from ...knobs.optimizer import TRAIN_BATCH_SIZE
from ...knobs.sampling import GROUP_SIZE
from ...metrics.actor import CORRECT_RATIO, N_SEQS, TASK_REWARD
from ...metrics.rollout import EVAL_REWARD
from ...metrics.update import GRAD_NORM
from ...model import Floats
from ...wording import number

TARGET = 0.05  # of the range: half the limit


def _applies(run: Facts) -> Applies:
    share, reward = run.value(CORRECT_RATIO), run.value(TASK_REWARD)
    if share is not None and reward is not None and abs(share - reward) > 1e-5:
        return unknown("rewards are not only 0 and 1, and their spread is not logged; log the reward's standard deviation")
    return YES


def _says(found: Found) -> str:
    times = math.ceil((found.value / TARGET) ** 2)
    return f"Sampling noise of the reward is {number(found.value)}; {times}× the batch gives {TARGET}"


@rule(
    reads=(TASK_REWARD, N_SEQS, CORRECT_RATIO),
    detector=Level(window=20, least=10, hold=5),
    limits=(above(0.1, "warning", "practice: 10 % of the range"),),
    message=_says,
    label="Sampling error",
    applies=_applies,
    witnesses=(Witness(TASK_REWARD), Witness(EVAL_REWARD, "rises", "held-out rises nevertheless"), Witness(GRAD_NORM)),
    causes=(
        Cause("The batch is too small for the reward's own scatter"),
        Cause("Samples of one prompt agree, so that the batch counts for less", unobserved=("spread between and within groups",)),
    ),
    remedies=(
        Raise(TRAIN_BATCH_SIZE, 4, "four times the samples halve the noise (the guide: increase the batch size)"),
        Raise(GROUP_SIZE, 2, "where more prompts do not fit: more samples each; less effective, as samples of a prompt agree"),
    ),
    next=Next(
        "20 steps from the last checkpoint with 4 times the batch",
        "4 times the rollouts for 20 steps",
        (
            ("the reward's steps become half as large", "sampling noise: keep the batch"),
            ("they stay as large", "something else: large updates, mixed data, a flaky verifier"),
        ),
    ),
    explains=(Effect("reward-not-increasing", (0, 10_000)),),
    bad={TASK_REWARD: noise(0.5, 0.1, least=0.2, most=0.8), CORRECT_RATIO: noise(0.5, 0.1, least=0.2, most=0.8), N_SEQS: constant(16)},
    good={TASK_REWARD: noise(0.5, 0.04), CORRECT_RATIO: noise(0.5, 0.04), N_SEQS: constant(128)},
)
def task_reward_variance(run: RowView) -> Floats:
    """The batch is so small that its reward is mostly noise.

    Why it matters: Where sampling alone moves the mean reward by a tenth of its range from step to step, neither the curve nor
    the gradient tells much, and learning looks like chance. The guide's remedy is a larger batch.

    How it is measured: The standard error of a mean of rewards that are 0 or 1, √(p (1 − p) / n) with n the sequences of the
    row: what sampling must add, at least, since samples of one prompt agree. Rewards are known to be 0 or 1 where the share of
    rewarded responses equals the mean. Median of 20 rows above 0.1. The multiple of the batch is (now / 0.05)².

    What it misses: Swings that are more than sampling noise, as those of a learning rate far too high with a large batch; they
    have another cause and no batch would cure them. Agreement within prompts, which can double the noise of 8 samples a
    prompt. Rewards other than 0 and 1.

    Known false alarms: Runs that average over many small steps by design (a low learning rate): the noise is there, the harm
    is not.

    Source: binomial standard error; AReaL's guide (large swings of task_reward: a larger batch, no number given); 10 percent:
    practice.
    """
    p, n = np.clip(run[TASK_REWARD], 0.0, 1.0), run[N_SEQS]
    error = np.sqrt(p * (1 - p) / np.where(n > 0, n, np.nan))
    return np.where(np.abs(run[CORRECT_RATIO] - run[TASK_REWARD]) <= 1e-5, error, np.nan)
