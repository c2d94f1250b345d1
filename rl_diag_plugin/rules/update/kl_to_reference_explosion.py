"""Rule kl-to-reference-explosion."""

from __future__ import annotations

from ...authoring import Advice, Cause, Clue, Effect, Facts, Lower, Next, Raise, RowView, Witness, above, noise, ramp, rule
from ...detectors import Level
from ...knobs.loss import KL_COEF
from ...knobs.optimizer import LR
from ...metrics.actor import REF_KL
from ...metrics.rollout import EVAL_REWARD
from ...metrics.update import CLIP_RATIO, ENTROPY, GRAD_NORM
from ...model import Floats, Severity
from ..readings import REWARD


def _cap(run: Facts) -> Severity | None:
    """Without a penalty a run means to leave its reference (DAPO, Magistral and Skywork-OR1 do)."""
    return "warning" if run.knobs.number(KL_COEF) == 0 else None


@rule(
    reads=(REF_KL,),
    detector=Level(window=10, least=5, hold=5),
    limits=(
        above(0.5, "warning", "rldoctor; Tulu 3: well below 1"),
        above(2.0, "error", "rldoctor"),
    ),
    message="the policy is {value} a token from the reference",
    severity_cap=_cap,
    log_onset=True,
    witnesses=(
        Witness(EVAL_REWARD, "falls", "what it gains is not what is wanted", "the held-out reward does not fall"),
        Witness(REWARD.options[0]),
        Witness(ENTROPY),
    ),
    causes=(
        Cause("The updates are too large", "update-too-large", supports=(Clue(CLIP_RATIO, "rises", "the clipped share rises with it"),)),
        Cause(
            "The policy exploits the reward", "train-eval-divergence", supports=(Clue(EVAL_REWARD, "falls", "the held-out reward falls"),)
        ),
        Cause("The penalty is too weak for this reward", against=(Clue(GRAD_NORM, "rises", "the gradients grew with it"),)),
    ),
    remedies=(
        Raise(KL_COEF, 2, "leaving the reference then costs more"),
        Lower(LR, 2, "each step then moves the policy less"),
        Advice("go back to a checkpoint from before the onset, or reset the reference to it", "what is lost does not come back by itself"),
    ),
    next=Next(
        "Evaluate the policy and the reference on held-out data",
        "two evaluations, no training",
        (("the policy is better", "it moved because it learned: no harm"), ("it is not", "the reward is exploited: raise the coefficient")),
    ),
    explains=(Effect("reward-collapse", (0, 500)), Effect("train-eval-divergence", (0, 500)), Effect("entropy-collapse", (0, 500))),
    bad={REF_KL: ramp(0.05, 3.0, start=20, sd=0.02)},
    good={REF_KL: noise(0.06, 0.02, least=0)},
)
def kl_to_reference_explosion(run: RowView) -> Floats:
    """The policy runs away from the reference model.

    Why it matters: Far from the reference a learned reward no longer holds, language decays, and a collapse does not come back
    by itself.

    How it is measured: The divergence to the reference, in nats a token; the median of 10 rows is over the limit in 5 rows
    running. Without a penalty it is a warning at most: such runs mean to leave the reference.

    What it misses: Runs that log no divergence, as many do where its coefficient is 0; slow drift below the limit.

    Known false alarms: Divergence grows when the policy learns: read it with the held-out reward. A reference that is reset
    makes saw-teeth. Sums over a sequence where a reading takes them for means.

    Source: rldoctor (0.5 and 2.0); Tulu 3 (well below 1); TRL's FAQ (a sequence's sum between 0 and 10).
    """
    return run[REF_KL]
