"""Rule truncated-responses."""

from __future__ import annotations

from ...authoring import Cause, Clue, Effect, Enable, Found, Next, Raise, RowView, Witness, above, rule, shares
from ...detectors import Proportion
from ...knobs.loss import OVERLONG_PENALTY
from ...knobs.sampling import DYNAMIC_FILTER, MAX_NEW_TOKENS
from ...metrics.actor import N_SEQS, NO_EOS_RATIO
from ...metrics.rollout import RESPONSE_LEN
from ...model import Floats
from ...wording import share
from ..readings import REWARD


def _says(found: Found) -> str:
    if not found.active:
        return f"Up to {share(found.peak)} of the responses were cut off before they end"
    if found.value <= found.limit.value:
        return f"Up to {share(found.peak)} of the responses were cut off, {share(found.value)} lately"
    return f"{share(found.value)} of the responses are cut off before they end"


@rule(
    reads=(NO_EOS_RATIO,),
    detector=Proportion(window=10, z=3.0, hold=5, count=N_SEQS),
    limits=(
        above(0.05, "warning", "AReaL guide"),
        above(0.10, "error", "ScaleRL A.15"),
        above(0.15, "critical", "ScaleRL A.15"),
    ),
    onset_method="hinge",
    message=_says,
    witnesses=(
        Witness(RESPONSE_LEN, "rises", "responses grow towards the limit"),
        Witness(REWARD.options[0], "falls", "the reward falls with it"),
    ),
    causes=(
        Cause(
            "The limit is too short for the task",
            supports=(Clue(RESPONSE_LEN, "steady", "the length did not change: short from the start"),),
            unobserved=("text of the responses",),
        ),
        Cause(
            "Responses grow, by reward or by a KL term that pays for length",
            rule="length-growth",
            supports=(Clue(RESPONSE_LEN, "rises", "the length rises before the cut-off"),),
        ),
    ),
    remedies=(
        Raise(MAX_NEW_TOKENS, 2, "longer generations can then finish"),
        Enable(DYNAMIC_FILTER, "a filter can also keep overlong trajectories out of the update"),
        Enable(OVERLONG_PENALTY, "a soft penalty before the limit teaches the policy to end (DAPO)"),
    ),
    next=Next(
        "Sample 64 responses of the present policy with twice the limit",
        "offline, no training",
        (("most end by themselves", "the limit is too short: raise it"), ("most run on", "the policy does not stop: look at the reward")),
    ),
    explains=(
        Effect("reward-collapse", (0, 200)),
        Effect("length-collapse", (0, 200)),
        Effect("reward-not-increasing", (0, 10_000)),
        Effect("reward-constant", (0, 10_000)),
        Effect("zero-variance-groups", (0, 10_000)),
        Effect("zero-gradient-steps", (0, 10_000)),
    ),
    bad={NO_EOS_RATIO: shares(0.12, 64)},
    good={NO_EOS_RATIO: shares(0.02, 64)},
)
def truncated_responses(run: RowView) -> Floats:
    """Responses are cut off at the generation limit before they end.

    Why it matters: A response that is cut off before its answer is scored as wrong, so the policy is taught by the limit and
    not by the task; at 10 to 15 percent training becomes unstable.

    How it is measured: The share of responses without an end token, pooled over 10 rows; it fires when the lower bound of the
    pooled share (Wilson, z = 3, widened for the correlation of samples of one prompt) is over the limit in 5 rows. It is dated
    as a ramp, since lengths grow into the limit; a sudden change is dated a few rows early. Where a trainer logs no such share,
    proven bounds from the lengths take its place: a lower bound over the limit fires, an upper bound under it passes, and
    between them nothing is known.

    What it misses: Shares below 5 percent, and on trainers that log lengths only, whatever lies between the two bounds.

    Known false alarms: A turn limit that is counted as a cut-off; an end token that falls exactly on the last allowed position.

    Source: AReaL's guide (5 percent); ScaleRL, appendix A.15 (10 to 15 percent destabilise training); Wilson 1927.
    """
    return run[NO_EOS_RATIO]
