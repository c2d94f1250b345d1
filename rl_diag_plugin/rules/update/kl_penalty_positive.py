"""Rule kl-penalty-positive."""

from __future__ import annotations

from ...authoring import (
    YES,
    Applies,
    Cause,
    Code,
    Effect,
    Example,
    Facts,
    Next,
    RowView,
    Set,
    Witness,
    above,
    constant,
    is_true,
    no,
    noise,
    rule,
)
from ...detectors import Level
from ...knobs.loss import KL_COEF, REFERENCE_MODEL
from ...metrics.actor import KL_REWARDS
from ...metrics.rollout import RESPONSE_LEN
from ...metrics.update import ENTROPY
from ...model import Floats

UNKNOWN = 0.1  # AReaL's default


def _applies(run: Facts) -> Applies:
    return no("the coefficient of the KL is 0: there is no penalty") if run.knobs.number(KL_COEF) == 0 else YES


@rule(
    reads=(KL_REWARDS,),
    detector=Level(window=10, least=3, hold=5),
    limits=(above(1e-2, "error", "identity; 0.01 nats of noise is practice"),),
    message="the KL penalty pays {value} a token instead of costing",
    applies=_applies,
    unit="nats",
    witnesses=(
        Witness(RESPONSE_LEN, "rises", "longer answers collect more of it"),
        Witness(ENTROPY, "rises", "unlikely tokens are paid for"),
    ),
    causes=(
        Cause("A penalty without a reference model", when=lambda run: is_true(run, REFERENCE_MODEL) is not True),
        Cause("The sampler's and the reference's log-probabilities are not of the same tokens", unobserved=("mask, shift and template",)),
    ),
    remedies=(
        Set(KL_COEF, 0.0, "without a reference there is nothing to stay close to"),
        Code(
            "load the reference model that the penalty is measured against",
            "the penalty then costs what the policy moves",
            {"areal": "fill the ref section (its path, the base model) beside actor.kl_ctl"},
        ),
    ),
    next=Next(
        "Run 20 steps with the coefficient at 0",
        "20 steps",
        (("the length stays", "the penalty paid for length"), ("the length grows all the same", "the reward itself pays for length")),
    ),
    explains=(
        Effect("length-growth", (0, 500)),
        Effect("truncated-responses", (0, 1000)),
        Effect("reward-collapse", (0, 1000)),
        Effect("reward-not-increasing", (0, 10_000)),
    ),
    bad=Example({KL_REWARDS: noise(0.22, 0.003)}, {KL_COEF: 0.1}),
    good=Example({KL_REWARDS: constant(0.0)}, {KL_COEF: 0.1}),
)
def kl_penalty_positive(run: RowView) -> Floats:
    """The KL penalty adds to the reward.

    Why it matters: A divergence is never below 0, so its penalty is never above 0 in the mean. Where it is, the policy is paid
    for unlikely tokens: answers grow longer and wilder, the reward rises for a while and then falls.

    How it is measured: The penalty's mean over its coefficient, so in nats a token; a coefficient that is not known counts as
    0.1. The median of 10 rows, judged from the third row, is over the limit in 5 rows running.

    What it misses: A penalty that goes into the loss and not into the reward. A wrong reference whose penalty is still negative.

    Known false alarms: Batches of some hundred tokens in the first steps, where a one-sample estimate is above 0 by chance.

    Source: Gibbs' inequality; TRL's documentation (negative KL is a bug or an exploit); AReaL 1.0.4 with kl_ctl above 0 and no
    ref section, which subtracts from 0 in place of the reference (actor.py:192).
    """
    return run[KL_REWARDS] / (run.number(KL_COEF) or UNKNOWN)
