"""Rule entropy-collapse."""

from __future__ import annotations

import numpy as np

from ...authoring import Advice, Cause, Clue, Effect, Facts, Found, Lower, Next, Raise, RowView, Set, Witness, below, noise, ramp, rule
from ...detectors import Relative
from ...knobs.loss import CLIP_EPS_HIGH, ENTROPY_COEF
from ...knobs.optimizer import LR, N_EPOCHS, N_MINIBATCHES
from ...knobs.sampling import TEMPERATURE
from ...metrics.rollout import UNIQUE_RATIO, ZERO_VARIANCE_RATIO
from ...metrics.update import BEHAVE_KL, CLIP_RATIO, ENTROPY, GRAD_NORM
from ...model import Floats, Severity
from ...wording import number, share
from ..readings import REWARD, reward_facts

_BEST_FIFTH = 0.8


def _while_it_pays(run: Facts) -> Severity | None:
    """With the reward at its best no harm is proven: a warning, unless a consequence is found too."""
    known = reward_facts(run)
    if known is None or known.value is None or known.low is None or known.high is None or known.high <= known.low:
        return None
    return "warning" if known.value >= known.low + _BEST_FIFTH * (known.high - known.low) else None


def _says(found: Found) -> str:
    if not found.active:
        return f"Entropy was down to {share(found.peak)} of its start until step {found.last:,}"
    now = f"{number(found.after)} nats, " if found.after == found.after else ""
    return f"Entropy is down to {now}{share(found.value)} of its start"


@rule(
    reads=(ENTROPY,),
    detector=Relative(window=10, skip=0, n0=10, hold=10),
    limits=(below(0.1, "warning", "rldoctor"), below(0.02, "error", "practice")),
    message=_says,
    label="Entropy over its start",
    unit="× the start",
    severity_cap=_while_it_pays,
    witnesses=(
        Witness(REWARD.options[0], "falls", "the reward falls with it"),
        Witness(ZERO_VARIANCE_RATIO, "rises", "groups without spread grow with it"),
        Witness(UNIQUE_RATIO, "falls", "answers of a prompt are alike"),
        Witness(GRAD_NORM, "falls", "gradients vanish with it"),
    ),
    causes=(
        Cause(
            "The reward pays for one fixed answer",
            supports=(Clue(REWARD.options[0], "rises", "the reward rises while entropy falls"),),
            unobserved=("text of the responses",),
        ),
        Cause(
            "The updates are too large",
            rule="update-too-large",
            supports=(Clue(CLIP_RATIO, "rises", "more tokens are clipped"), Clue(GRAD_NORM, "rises", "gradients grew")),
        ),
        Cause("Many optimizer steps on one batch", when=lambda run: (run.knobs.number(N_MINIBATCHES) or 1) > 1),
        Cause(
            "Sampler and trainer disagree",
            rule="rollout-training-mismatch",
            supports=(Clue(BEHAVE_KL, "rises", "the gap to the sampler grew with it"),),
        ),
    ),
    remedies=(
        Lower(N_MINIBATCHES, 2, "more steps on one batch make entropy fall faster (Skywork-OR1)", least=1),
        Lower(N_EPOCHS, 2, "so does passing over a batch again", least=1),
        Raise(CLIP_EPS_HIGH, 1.4, "leaves unlikely tokens room to grow (DAPO: 0.28 for 0.2)"),
        Set(TEMPERATURE, 1.0, "sampling as the policy is"),
        Lower(LR, 2, "smaller updates"),
        Raise(ENTROPY_COEF, 2, "last: a bonus is hard to tune (Magistral)", applicability="experiment"),
        Advice("go back to a checkpoint from before the fall", "a policy without randomness hardly explores again"),
    ),
    next=Next(
        "50 steps from the last checkpoint before the fall with half the optimizer steps",
        "50 steps",
        (("entropy falls slower, the reward rises", "the updates were too many"), ("it falls alike", "look at what the reward pays for")),
    ),
    explains=(
        Effect("zero-variance-groups", (0, 500)),
        Effect("zero-gradient-steps", (0, 500)),
        Effect("reward-saturated", (0, 500)),
        Effect("reward-not-increasing", (0, 10_000)),
        Effect("reward-collapse", (0, 500)),
        Effect("length-collapse", (0, 500)),
    ),
    bad={ENTROPY: ramp(1.0, 0.01, 10, n=80, end=40)},
    good={ENTROPY: ramp(2.2, 0.6, 0, n=120, sd=0.03) + noise(0.0, 0.01, n=120)},
)
def entropy_collapse(run: RowView) -> Floats:
    """The policy has hardly any randomness left.

    Why it matters: Without different answers to one prompt there is nothing to compare: groups lose their spread, gradients
    vanish, and what is not found yet is never found.

    How it is measured: Median of 10 rows of the mean token entropy against the median of the first 10: under a tenth, for 10
    rows. Under a fiftieth it is an error, unless the reward is in the best fifth of its range; then it takes a consequence, such
    as groups without spread. The level itself is not judged: healthy runs lie between 0.03 and 2 nats.

    What it misses: Entropy that was low from the first row (a resumed run, an instructed model), and slow falls above a tenth.

    Known false alarms: A fall to a quarter is the normal course and is below the limit. Tasks with one right action end near
    0; the entropy of continuous actions can be 0 or less in a healthy run.

    Source: rldoctor 0.2.0 (a tenth of the start); the Entropy Mechanism paper (73 percent lost in the first 200
    steps of healthy runs); Skywork-OR1; a fiftieth: practice.
    """
    entropy = run[ENTROPY]
    return np.where(entropy >= 0, entropy, np.nan)
