"""Rule length-growth."""

from __future__ import annotations

from ...authoring import Advice, Cause, Clue, Effect, Enable, Facts, Found, Next, Raise, RowView, Witness, above, any_of, noise, ramp, rule
from ...detectors import Relative
from ...knobs.loss import OVERLONG_PENALTY
from ...knobs.sampling import MAX_NEW_TOKENS
from ...metrics.actor import INCORRECT_SEQ_LEN, KL_REWARDS, NO_EOS_RATIO, SEQ_LEN
from ...metrics.rollout import RESPONSE_LEN
from ...metrics.update import ENTROPY
from ...model import Floats, Severity
from ...wording import number
from ..readings import REWARD

_NEAR = 0.7  # of the limit: practice
_CUT_OFF = 0.05  # AReaL's guide


def _unless_near_the_limit(run: Facts) -> Severity | None:
    """Growth alone is how reasoning is learnt; it is a warning where the mean comes near the limit or responses are cut off."""
    length, limit = run.value(RESPONSE_LEN), run.knobs.number(MAX_NEW_TOKENS)
    if length is not None and limit and length >= _NEAR * limit:
        return None
    cut = [run.value(metric) for metric in (NO_EOS_RATIO, NO_EOS_RATIO.lower)]
    return None if any(x is not None and x > _CUT_OFF for x in cut) else "info"


def _says(found: Found) -> str:
    length, limit = found.run.value(RESPONSE_LEN), found.run.knobs.number(MAX_NEW_TOKENS)
    times = f"{number(found.value)} times as long as at first"
    if not found.active:
        return f"Responses were up to {times}"
    if length is None:
        return f"Sequences are {times}"
    return f"Responses are {times}: {number(length)}" + (f" of {number(limit)} tokens" if limit else " tokens")


@rule(
    reads=(any_of(RESPONSE_LEN, SEQ_LEN),),
    detector=Relative(window=10, skip=0, n0=20, hold=10, clear=20),
    limits=(above(1.2, "info", "practice"), above(1.5, "warning", "rldoctor")),
    message=_says,
    label="Length over its start",
    unit="× the start",
    severity_cap=_unless_near_the_limit,
    onset_method="hinge",
    log_onset=True,
    witnesses=(
        Witness(RESPONSE_LEN),
        Witness(NO_EOS_RATIO, "rises", "more responses are cut off", "no more responses are cut off"),
        Witness(REWARD.options[0], "rises", "the reward rises with it"),
        Witness(ENTROPY),
    ),
    causes=(
        Cause(
            "A KL term without a reference pays for every unlikely token",
            rule="kl-penalty-positive",
            supports=(Clue(KL_REWARDS, "rises", "the KL part of the reward rises"),),
        ),
        Cause(
            "The reward pays for length, or the task needs it",
            supports=(Clue(REWARD.options[0], "rises", "the reward rises with the length"),),
            against=(Clue(REWARD.options[0], "falls", "the reward falls"),),
            unobserved=("text of the responses",),
        ),
        Cause("Wrong answers grow: length bias of the loss", supports=(Clue(INCORRECT_SEQ_LEN, "rises", "wrong answers grow"),)),
        Cause("Looping text", rule="entropy-collapse", supports=(Clue(ENTROPY, "falls", "entropy falls with it"),)),
    ),
    remedies=(
        Advice("watch how many responses are cut off", "growth usually ends in truncation; below 5 % it does no harm"),
        Raise(MAX_NEW_TOKENS, 2, "in stages, before the longest responses reach the limit"),
        Enable(OVERLONG_PENALTY, "a soft penalty before the limit, where the length is not needed"),
    ),
    next=Next(
        "Read 10 responses of the first steps and 10 of the last",
        "offline, no training",
        (
            ("more reasoning, right more often", "healthy growth: raise the limit in time"),
            ("filler, repetition, text after the answer", "something pays for length: look at reward and KL term"),
        ),
    ),
    explains=(Effect("truncated-responses", (0, 1_000)),),
    bad={RESPONSE_LEN: ramp(400, 900, n=120, sd=20)},
    good={RESPONSE_LEN: noise(400, 20, n=120)},
)
def length_growth(run: RowView) -> Floats:
    """Responses grow steadily.

    Why it matters: Longer responses are often how reasoning is learnt, and then healthy. They also run into the generation limit:
    cut-off responses count as wrong, and the reward falls after them. It costs time and memory in any case.

    How it is measured: Median of 10 rows over the median of the first 20: more than 1.2 times for 10 rows. It is information.
    More than 1.5 times is a warning where the mean is over 0.7 of the limit or more than 5 percent of the responses are cut
    off. (A test for trend finds no smooth ramp: it takes the bend for autocorrelation.)

    What it misses: Growth within the first 20 rows, and longest responses that grow while the mean does not.

    Known false alarms: Data sorted from short to long answers; batches of a few prompts; a limit that is raised in stages.

    Source: AReaL's guide (a growing seq_len: watch the truncation, no number); practice (20 percent; 0.7 of the limit);
    rldoctor (50 percent).
    """
    return run[any_of(RESPONSE_LEN, SEQ_LEN)]
