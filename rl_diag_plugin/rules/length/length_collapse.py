"""Rule length-collapse."""

from __future__ import annotations

from ...authoring import Advice, Cause, Clue, Code, Effect, Facts, Next, RowView, Set, Witness, any_of, below, noise, rule, step_change
from ...detectors import Relative
from ...knobs.loss import LOSS_AGGREGATION
from ...metrics.actor import NO_EOS_RATIO, SEQ_LEN
from ...metrics.rollout import EMPTY_RATIO, EVAL_REWARD, RESPONSE_LEN
from ...metrics.update import ENTROPY
from ...model import Floats, Severity
from ..readings import REWARD, reward_facts

_BEST_FIFTH = 0.8


def _where_it_pays(run: Facts) -> Severity | None:
    """Short answers with the reward at its best are efficient ones."""
    known = reward_facts(run)
    if known is None or known.value is None or known.low is None or known.high is None or known.high <= known.low:
        return None
    return "info" if known.value >= known.low + _BEST_FIFTH * (known.high - known.low) else None


@rule(
    reads=(any_of(RESPONSE_LEN, SEQ_LEN),),
    detector=Relative(window=20, skip=5, n0=20, hold=10),
    limits=(below(0.5, "warning", "practice"), below(0.2, "error", "practice")),
    message="Responses are down to {value:share} of their length at the start",
    label="Length over its start",
    unit="× the start",
    severity_cap=_where_it_pays,
    log_onset=True,
    witnesses=(
        Witness(REWARD.options[0], "falls", "the reward falls with it", "the reward does not fall: short and right?"),
        Witness(EVAL_REWARD, "falls", "the held-out reward falls too", "the held-out reward does not fall"),
        Witness(EMPTY_RATIO, "rises", "more responses are empty"),
        Witness(ENTROPY),
    ),
    causes=(
        Cause(
            "The reward is had without an answer: for format, or for being short",
            supports=(Clue(REWARD.options[0], "rises", "the reward rises while answers shrink"),),
            unobserved=("text of the responses",),
        ),
        Cause(
            "Responses that were cut off taught the policy to be short",
            rule="truncated-responses",
            supports=(Clue(NO_EOS_RATIO, "falls", "fewer responses are cut off than before"),),
        ),
        Cause("The policy has no randomness left", rule="entropy-collapse", supports=(Clue(ENTROPY, "falls", "entropy fell with it"),)),
        Cause("Empty or aborted generations", supports=(Clue(EMPTY_RATIO, "rises", "more responses are empty"),)),
    ),
    remedies=(
        Code("score an empty and a one-word response with the reward function", "it must not pay for them"),
        Advice("read 20 responses of the last step", "short and right is efficiency, short and empty is not"),
        Set(LOSS_AGGREGATION, "token-mean", "a mean per sequence favours short right answers (Dr. GRPO)"),
    ),
    next=Next(
        "Evaluate the present and the first checkpoint on held-out data",
        "two evaluations",
        (("the present one is better", "efficient answers: leave it"), ("it is worse", "go back, mend what pays for short answers")),
    ),
    explains=(Effect("train-eval-divergence", (0, 300)), Effect("reward-collapse", (0, 300))),
    bad={RESPONSE_LEN: step_change(400, 120, at=50, n=120, sd=10)},
    good={RESPONSE_LEN: noise(400, 20, n=120)},
)
def length_collapse(run: RowView) -> Floats:
    """Responses became very short.

    Why it matters: A policy that stops reasoning, or learns that an empty answer does not hurt, rarely comes back; the reward
    may hide it where it pays for the format.

    How it is measured: Median of 20 rows against the median of rows 6 to 25: under half a warning, under a fifth an error, for
    10 rows. Where the reward is in the best fifth of its range it is information: short answers then are efficient ones.

    What it misses: A collapse within the first rows, which is then its own baseline. Where only the length with the prompt is
    logged, long prompts hide it.

    Known false alarms: A length penalty that is meant to shorten; base models that first drop what they write after the answer.

    Source: practice (0.5 and 0.2; post-training-toolkit takes 0.2 and 0.35).
    """
    return run[any_of(RESPONSE_LEN, SEQ_LEN)]
