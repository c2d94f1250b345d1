"""Rule reward-constant."""

from __future__ import annotations

from ...authoring import Advice, Cause, Clue, Code, Effect, Facts, Found, Next, RowView, Witness, below, rule, step_change
from ...detectors import Level
from ...metrics.actor import TASK_REWARD
from ...metrics.rollout import EVAL_REWARD, RESPONSE_LEN, REWARD_ERROR_RATIO, ROLLOUT_REWARD
from ...metrics.update import ENTROPY, GRAD_NORM
from ...model import Floats, Severity
from ...wording import number, step_text
from ..readings import SPREAD, at_ceiling, one_score, reward_spread


def _says(found: Found) -> str:
    score = one_score(found.run)
    if not found.active:
        return f"Every response of a batch scored the same until step {step_text(found.last)}"
    if score is None:
        return f"Most batches since step {step_text(found.start)} have one reward for all"
    return f"Every response of the batch scores {number(score)} since step {step_text(found.start)}"


def _cap(run: Facts) -> Severity | None:
    return "info" if at_ceiling(run) else None


@rule(
    reads=SPREAD,
    detector=Level(window=10, least=6, hold=5),
    limits=(below(1e-9, "error", "logic"),),
    message=_says,
    label="Range of the rewards",
    severity_cap=_cap,
    witnesses=(
        Witness(ROLLOUT_REWARD),
        Witness(GRAD_NORM, "falls", "no gradient is left", "the gradient goes on: it is not of the reward"),
        Witness(EVAL_REWARD, "steady", "the held-out scorer disagrees with the training verifier"),
        Witness(ENTROPY, "steady", "entropy did not move with it"),
    ),
    causes=(
        Cause(
            "The verifier returns a constant, or the answer is not extracted",
            supports=(
                Clue(ENTROPY, "steady", "entropy did not move with it"),
                Clue(RESPONSE_LEN, "steady", "length did not move with it"),
                Clue(REWARD_ERROR_RATIO, "rises", "reward calls fail"),
            ),
            against=(Clue(EVAL_REWARD, "falls", "the held-out reward falls too"),),
            unobserved=("exceptions and timeouts of the reward function",),
        ),
        Cause(
            "The task is too hard: no answer is right",
            when=lambda run: (one_score(run) or 0.0) <= 0.0,
            unobserved=("whether one right answer by hand is scored as right",),
        ),
        Cause("Every response is cut off before its answer", rule="truncated-responses"),
        Cause("Every question is solved: nothing is left to learn", rule="reward-saturated", when=at_ceiling),
    ),
    remedies=(
        Code("score 10 known right and 10 known wrong answers with the reward function", "a constant verifier shows at once"),
        Code(
            "raise an exception where the reward call fails or times out, or leave the sample out",
            "a silent 0 teaches the policy that right answers are wrong",
            {"areal": "let the workflow's arun_episode raise where scoring fails: the episode then leaves the batch"},
        ),
        Advice("go back to the last checkpoint before the onset", "momentum moves the weights on without any gradient"),
        Advice("use easier data, or SFT first, where right answers are scored right", "the model then never solves the task by itself"),
    ),
    next=Next(
        "Print 20 responses with their rewards, and score a reference answer",
        "minutes, no training",
        (
            ("the reference answer is scored wrong", "the verifier or the answer's extraction is broken"),
            ("it is scored right, no response is", "too hard: easier data or SFT"),
            ("responses end without an answer", "the generation limit is too short"),
        ),
    ),
    explains=(
        Effect("reward-collapse", (0, 20)),
        Effect("reward-saturated", (0, 20)),
        Effect("zero-variance-groups", (0, 50)),
        Effect("zero-gradient-steps", (0, 100)),
        Effect("reward-not-increasing", (0, 10_000)),
    ),
    bad={
        TASK_REWARD.max: step_change(1.0, 0.0, at=40),
        TASK_REWARD.min: step_change(0.0, 0.0),
        TASK_REWARD: step_change(0.7, 0.0, at=40),
    },
    good={TASK_REWARD.max: step_change(1.0, 1.0), TASK_REWARD.min: step_change(0.0, 0.0), TASK_REWARD: step_change(0.3, 0.7)},
)
def reward_constant(run: RowView) -> Floats:
    """Every response of the batch gets the same reward.

    Why it matters: Without a difference between rewards there is no advantage and no gradient. A verifier that is broken, times
    out or no longer finds the answer looks like this, while every metric of the optimizer stays normal.

    How it is measured: Largest less smallest reward of the batch, or the standard deviation over it, is 0: in the majority of
    10 rows, for 5 rows on end. Ten rows of a constant fire; a row in between with one other reward does not hide it. Where the
    reward came to 0.9 of 1 or more by learning it is at most an info: that is reward-saturated.

    What it misses: A verifier that returns a constant for a part of the questions; a verifier that accepts everything after
    the reward had been lower, which can only be told from a solved task by the size of the jump and is an info here.

    Known false alarms: A batch of one group; the first steps of a task that is solved once in a thousand tries. TRL before 0.27
    logs reward_std within groups, which is 0 also where groups differ from each other.

    Source: logic, not statistics (10 rows of a spread of 0).
    """
    return reward_spread(run)
