"""Rule zero-gradient-steps."""

from __future__ import annotations

import numpy as np

from ...authoring import Advice, Cause, Clue, Code, Effect, Enable, Facts, Found, Next, Raise, RowView, Witness, above, rule, step_change
from ...detectors import Proportion
from ...knobs.loss import REWARD_CLIP, REWARD_SCALE
from ...knobs.sampling import DYNAMIC_FILTER, GROUP_SIZE
from ...metrics.actor import ADVANTAGES, N_SEQS, TASK_REWARD
from ...metrics.rollout import ZERO_VARIANCE_RATIO
from ...metrics.update import ENTROPY, GRAD_NORM
from ...model import Floats
from ...wording import number, share
from ..readings import one_score, one_score_possible, warning_where_solved

ZERO = 1e-8


def _clipped(run: Facts) -> bool:
    """Whether rewards that differ are over the clip once they are scaled (a bias is not known of)."""
    largest, clip = run.value(TASK_REWARD.max), run.knobs.number(REWARD_CLIP)
    return clip is not None and largest is not None and largest * (run.knobs.number(REWARD_SCALE) or 1.0) > clip


def _says(found: Found) -> str:
    if not found.active:
        return f"Up to {share(found.peak)} of the steps had no gradient"
    lead = f"{share(found.value)} of recent steps have gradient 0"
    if one_score(found.run) is not None:
        return f"{lead}: all rewards are equal"
    if _clipped(found.run):
        return f"{lead}: rewards over the clip of {number(found.run.knobs.number(REWARD_CLIP))}"
    return lead if one_score_possible(found.run) else f"{lead}, although rewards differ"


@rule(
    reads=(GRAD_NORM,),
    detector=Proportion(window=50, z=0.0, hold=10, clear=10, count=N_SEQS),
    limits=(above(0.2, "warning", "rldoctor"), above(0.5, "error", "practice")),
    message=_says,
    label="Steps without a gradient",
    unit="%",
    severity_cap=warning_where_solved,
    witnesses=(
        Witness(TASK_REWARD),
        Witness(ZERO_VARIANCE_RATIO, "rises", "groups without spread grow with it", "groups have spread: the gradient is lost elsewhere"),
        Witness(ADVANTAGES),
        Witness(ENTROPY),
    ),
    causes=(
        Cause("All rewards of the batch are equal", rule="reward-constant", when=lambda run: one_score(run) is not None),
        Cause(
            "Plumbing: rewards that differ are clipped to one value",
            when=_clipped,
            unobserved=("how many rewards are at the clip",),
        ),
        Cause(
            "The rewards within each group are equal",
            rule="zero-variance-groups",
            supports=(Clue(ZERO_VARIANCE_RATIO, "rises", "groups without spread grow with it"),),
            against=(Clue(ZERO_VARIANCE_RATIO, "falls", "groups without spread become fewer"),),
        ),
        Cause("The policy always gives the same answer", rule="entropy-collapse", supports=(Clue(ENTROPY, "falls", "entropy fell"),)),
        Cause(
            "Plumbing: all tokens masked, parameters frozen or an adapter not attached",
            unobserved=("tokens in the loss, parameters with a gradient",),
        ),
    ),
    remedies=(
        Raise(REWARD_CLIP, 4, "rewards are over the clip: differences above it then count", applicability="experiment", when=_clipped),
        Enable(DYNAMIC_FILTER, "groups without spread then leave the batch, and every step has a gradient"),
        Raise(GROUP_SIZE, 2, "more samples of a prompt differ more often"),
        Code(
            "before the backward pass assert that some advantage is not 0 and that some trainable parameter has a gradient",
            "tells rewards without spread from masks and frozen weights",
        ),
        Advice("easier data where nothing is right, harder where all is", "groups between have a gradient"),
    ),
    next=Next(
        "Print one batch: rewards by group, advantages, tokens in the loss",
        "one step, no training",
        (
            ("rewards are equal in every group", "no signal: zero-variance-groups tells hard from easy"),
            ("rewards differ, advantages are 0", "clip, scale or normalisation of the reward"),
            ("advantages differ, gradient 0", "masks, frozen parameters"),
        ),
    ),
    explains=(Effect("reward-not-increasing", (0, 10_000)),),
    bad={GRAD_NORM: step_change(0.4, 0.0, at=40), N_SEQS: step_change(64, 64)},
    good={GRAD_NORM: step_change(0.4, 0.3), N_SEQS: step_change(64, 64)},
)
def zero_gradient_steps(run: RowView) -> Floats:
    """Many optimizer steps have a gradient of exactly 0.

    Why it matters: Such a step costs its rollouts and teaches nothing; what still moves the weights is momentum and weight decay.

    How it is measured: The share of the last 50 steps with a gradient norm of at most 1e-8: over 0.2 a warning, over 0.5 an
    error, for 10 rows. From the first rows on the share is of the rows there are. It is a count, not an estimate. Rewards that
    differ, and lie over the reward clip once they are scaled, are named as plumbing.

    What it misses: Gradients that are tiny but not 0; a batch in which one group alone has spread, whose gradient
    normalisation keeps as large as ever.

    Known false alarms: A log that writes 0 for the micro-steps of gradient accumulation, or for steps that the loss scaler
    skips. At the end of a run that has learnt everything it is true and harmless, and a warning at most.

    Source: limits: rldoctor 0.2.0 (0.20) and practice (0.5); 1e-8: below it is 0 in single precision.
    """
    norm = run[GRAD_NORM]
    return np.where(np.isfinite(norm), (norm <= ZERO).astype(float), np.nan)
