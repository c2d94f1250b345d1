"""Rule train-eval-divergence."""

from __future__ import annotations

import numpy as np

from ...authoring import Advice, Cause, Clue, Code, Effect, Found, Lower, Next, Raise, RowView, Witness, above, earlier, ramp, rule
from ...authoring.facts import YES, Applies, Facts, unknown
from ...detectors import Relative
from ...knobs.logging import EVAL_INTERVAL
from ...knobs.loss import KL_COEF
from ...knobs.optimizer import LR
from ...metrics.actor import REF_KL
from ...metrics.rollout import EVAL_REWARD, RESPONSE_LEN, ROLLOUT_REWARD
from ...model import Floats
from ...wording import number
from ..readings import on_unit_scale


def _applies(run: Facts) -> Applies:
    for metric in (EVAL_REWARD, ROLLOUT_REWARD):
        known = run.series.get(metric.name)
        if known is not None and known.points > known.nonfinite and not on_unit_scale(known):
            return unknown(f"{run.key(metric)} leaves 0 to 1: whether training and held-out share a scale is not known")
    return YES


def _says(found: Found) -> str:
    if not found.active:
        return f"Training was up to {number(found.peak)} more ahead of held-out than at first"
    return f"Training is {number(found.after)} ahead of held-out and draws away"


def _every_tenth(values: Floats) -> Floats:
    return np.where(np.arange(len(values)) % 10 == 9, values, np.nan)


@rule(
    reads=(EVAL_REWARD, earlier(ROLLOUT_REWARD)),
    detector=Relative(window=1, skip=0, n0=1, difference=True, least=1, hold=3, clear=2),
    limits=(above(0.15, "warning", "rldoctor"), above(0.30, "error", "rldoctor")),
    message=_says,
    label="Ahead of held-out",
    exact_onset=True,
    applies=_applies,
    witnesses=(
        Witness(ROLLOUT_REWARD, "rises", "the training reward rises"),
        Witness(EVAL_REWARD, "falls", "the held-out reward falls"),
        Witness(REF_KL, "rises", "the policy moves away from the base model"),
        Witness(RESPONSE_LEN, "moves", "the length moves with it"),
    ),
    causes=(
        Cause(
            "The training verifier pays for wrong answers, or the policy games it",
            supports=(
                Clue(EVAL_REWARD, "falls", "the held-out reward falls below where it was"),
                Clue(RESPONSE_LEN, "moves", "the length moves with it"),
                Clue(REF_KL, "rises", "the policy moves away from the base model"),
            ),
            unobserved=("the training verifier's verdict on held-out answers",),
        ),
        Cause(
            "Few training questions, seen often: learnt by heart",
            unobserved=("number of questions and passes over them",),
        ),
        Cause("Prompt template, temperature or scorer of the evaluation differ", unobserved=("the evaluation's settings",)),
    ),
    remedies=(
        Code("score the same 50 held-out answers with the training verifier and with the evaluation's", "a wrong key shows at once"),
        Advice("read 50 of the best-paid training responses", "gaming is plain to see in the text"),
        Advice("stop at the best held-out reward and keep that checkpoint", "what comes after it is worse"),
        Advice("take more, or more varied, training questions", "a small set is learnt by heart in a few passes"),
        Lower(LR, 2, "where the set cannot grow: fewer steps away from the base model", applicability="experiment"),
        Raise(KL_COEF, 2, "where a learned reward is gamed: holds the policy near its reference (Secrets of RLHF: 0.05)", "experiment"),
        Lower(EVAL_INTERVAL, 2, "more evaluations date the turning point", least=1),
    ),
    next=Next(
        "Score held-out answers of the last checkpoint by the training verifier",
        "one evaluation, no training",
        (
            ("it pays them where the evaluation does not", "the training verifier is wrong or gamed"),
            ("both agree that they are wrong", "overfitting: more data, or an earlier checkpoint"),
        ),
    ),
    explains=(Effect("reward-saturated", (0, 10_000)),),
    bad={ROLLOUT_REWARD: ramp(0.2, 0.9), EVAL_REWARD: _every_tenth(ramp(0.35, 0.2))},
    good={ROLLOUT_REWARD: ramp(0.2, 0.9), EVAL_REWARD: _every_tenth(ramp(0.25, 0.85))},
)
def train_eval_divergence(run: RowView) -> Floats:
    """The training reward draws away from the held-out reward.

    Why it matters: What is paid for is no longer what is wanted: a wrong or gamed verifier, or a few questions learnt by heart.
    The training curve alone looks like success.

    How it is measured: How far training is ahead of held-out, at each evaluation, against its nearest earlier row; never below
    0. What this has grown by since the first evaluation is over 0.15 (warning) or 0.30 (error) in three evaluations on end. The
    onset is the first of them.

    What it misses: A gap that was there at the first evaluation and does not grow; divergence in a run with fewer than four
    evaluations; rewards outside 0 to 1.

    Known false alarms: A held-out set that is much harder: training can rise by 0.3 more than held-out while both learn.
    Evaluations of fewer than about 100 answers (30 questions: a standard error of 0.09).

    Source: rldoctor 0.2.0 (0.15 and 0.30); the phenomenon: DAPO section 4, Secrets of RLHF figure 4; three evaluations: practice.
    """
    return np.maximum(run[earlier(ROLLOUT_REWARD)] - run[EVAL_REWARD], 0.0)
