"""Rule explained-variance-nonpositive."""

from __future__ import annotations

import numpy as np

from ...authoring import YES, Advice, Applies, Cause, Clue, Effect, Facts, Next, Raise, RowView, Set, Witness, below, maybe, no, noise, rule
from ...detectors import Level
from ...knobs.loss import ADV_ESTIMATOR, GAE_LAMBDA, REWARD_NORM, VALUE_CLIP, VALUE_COEF
from ...knobs.optimizer import CRITIC_LR, CRITIC_WARMUP
from ...metrics import METRICS, Metric
from ...metrics.critic import CRITIC_LOSS, CRITIC_RETURNS, EXPLAINED_VARIANCE
from ...metrics.rollout import EPISODE_RETURN, REWARD_STD
from ...metrics.update import ENTROPY
from ...model import Floats
from ..readings import REWARD

_CRITIC = tuple(m for name, m in METRICS.items() if name.startswith("ppo_critic/"))
_WITHOUT = ("grpo", "rloo", "reinforce", "remax", "opo", "gpg", "dapo")
_SMALL = 1e-4  # of the squared return: an error of one percent


def has_critic(run: Facts, needed: Metric) -> Applies:
    """Whether a value function is trained: by its metrics and settings. A trainer that logs none of them has none."""
    estimator = run.knobs.value(ADV_ESTIMATOR)
    if isinstance(estimator, str) and any(word in estimator.lower() for word in _WITHOUT):
        return no(f"no critic is trained ({estimator})")
    set_up = any(run.knobs.value(knob) is not None for knob in (CRITIC_LR, VALUE_CLIP, VALUE_COEF, CRITIC_WARMUP))
    if run.has(needed) or set_up or any(run.has(metric) for metric in _CRITIC):
        return YES
    return no("no critic is trained")


def _applies(run: Facts) -> Applies:
    return has_critic(run, EXPLAINED_VARIANCE)


@rule(
    reads=(
        EXPLAINED_VARIANCE,
        maybe(CRITIC_RETURNS.min),
        maybe(CRITIC_RETURNS.max),
        maybe(CRITIC_LOSS),
        maybe(CRITIC_RETURNS),
        maybe(EPISODE_RETURN),
        maybe(REWARD_STD),
    ),
    detector=Level(window=20, least=50, clear_at=0.05, hold=10),
    limits=(below(0.0, "warning", "SB3 documentation, logger"), below(-0.5, "error", "practice")),
    message="The critic explains {value:num} of the returns' variance",
    label="Explained variance",
    applies=_applies,
    witnesses=(
        Witness(CRITIC_LOSS, "rises", "the value loss rises", "the value loss does not rise"),
        Witness(CRITIC_RETURNS, "moves", "the targets moved"),
        Witness(REWARD.options[0], "falls", "the reward falls"),
    ),
    causes=(
        Cause("The critic learns too slowly, or was not warmed up", supports=(Clue(CRITIC_LOSS, "steady", "its loss does not fall"),)),
        Cause(
            "The critic diverges",
            rule="value-loss-explosion",
            supports=(Clue(CRITIC_LOSS, "rises", "its loss rises"),),
        ),
        Cause("Returns became nearly constant", supports=(Clue(ENTROPY, "falls", "the policy became deterministic"),)),
        Cause("The targets move faster than the critic", supports=(Clue(CRITIC_RETURNS, "moves", "the targets moved"),)),
    ),
    remedies=(
        Raise(CRITIC_WARMUP, 2, "the critic learns before the policy moves"),
        Raise(CRITIC_LR, 3, "the critic must learn faster than the policy changes"),
        Set(GAE_LAMBDA, 1.0, "targets without the critic's own bias", applicability="experiment"),
        Set(REWARD_NORM, "batch", "targets of a steady scale"),
        Advice("a critic apart from the policy's network, or an estimator without a critic", "where none of this helps"),
    ),
    next=Next(
        "Train the critic alone on stored rollouts",
        "minutes, no sampling",
        (("it explains them", "warm-up or a higher learning rate"), ("it does not", "its inputs lack what the return depends on")),
    ),
    explains=(Effect("reward-not-increasing", (0, 10_000)),),
    bad={EXPLAINED_VARIANCE: noise(-0.3, 0.05, n=120)},
    good={EXPLAINED_VARIANCE: noise(0.4, 0.1, n=120)},
)
def explained_variance_nonpositive(run: RowView) -> Floats:
    """The critic predicts the returns no better than a constant does.

    Why it matters: The critic is there to take noise out of the advantages. At 0 it takes out none, below 0 it adds some.

    How it is measured: Median of 20 rows of 1 - Var(returns - values) / Var(returns): 0 or less is a warning, -0.5 or less an
    error, for 10 rows, from row 50 on. Rows in which there is no variance to explain are left out: the largest return equals the
    smallest, the reward has no spread, or the critic's error is under one percent of the return.

    What it misses: A critic that explains a little, and the first 50 rows.

    Known false alarms: A long warm-up; rewards at the end of a response only, which are hard to predict at first; a solved
    task whose returns hardly differ and where neither their spread nor the value loss is logged.

    Source: Stable-Baselines3, logger documentation (0: as good as predicting nothing, below: worse); Schulman's notes; -0.5:
    practice.
    """
    explained = run[EXPLAINED_VARIANCE]
    flat = run[maybe(CRITIC_RETURNS.max)] <= run[maybe(CRITIC_RETURNS.min)]
    flat |= run[maybe(REWARD_STD)] == 0
    for size in (run[maybe(CRITIC_RETURNS)], run[maybe(EPISODE_RETURN)]):
        flat |= run[maybe(CRITIC_LOSS)] < _SMALL * np.square(size)
    return np.where(flat, np.nan, explained)
