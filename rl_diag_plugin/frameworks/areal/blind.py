"""Metrics that cannot move under a run's settings, whatever happens: their silence is no health."""

from __future__ import annotations

from ...knobs import Knobs
from ...knobs.loss import LOSS_TYPE
from ...knobs.offpolicy import DECOUPLED_LOSS, OFF_POLICY_CORRECTION, PROX_LOGP, RECOMPUTE_LOGPROB
from ...knobs.optimizer import N_MINIBATCHES
from ...metrics import Metric
from ...metrics import update as U
from ...model import Version
from .versions import V104

_WEIGHT = (U.IMPORTANCE_WEIGHT, U.IMPORTANCE_WEIGHT.min, U.IMPORTANCE_WEIGHT.max)
_UPDATE = (U.APPROX_KL, U.CLIP_RATIO, U.DUAL_CLIP_RATIO)
_SAMPLER = (U.BEHAVE_KL, U.POLICY_BEHAVE_KL)
_BEHAVE = (U.BEHAVE_IMP_WEIGHT, U.BEHAVE_IMP_WEIGHT.min, U.BEHAVE_IMP_WEIGHT.max, U.BEHAVE_APPROX_KL, U.BEHAVE_MASKED_RATIO)

OVERWRITTEN = (
    "use_decoupled_loss=false with recompute_logprob=true overwrites the sampler's log-probabilities: "
    "the ratios read 1 and the KL 0 whatever the samples are"
)
OWN_UPDATE = (
    "use_decoupled_loss=false with recompute_logprob=true overwrites the sampler's log-probabilities: "
    "kl_div_* holds this step's own update alone"
)
ONE_MINIBATCH = "ppo_n_minibatches=1: the ratio is 1 before the only step, so nothing is clipped and the log ratio is 0"
NO_CORRECTION = "rejection_sampling=null: behave_* is not logged, and the weight is not applied"
COUPLED = "use_decoupled_loss=false: the proximal policy is the behaviour policy, so behave_* compares it with itself"
SOFT_GATE = "use_sapo_loss=true: a soft gate stands in for the clip, so clip_ratio is 0"


def blind(knobs: Knobs, version: Version | None) -> dict[str, str]:
    """Metric name → why it cannot move. Settings that are not known blind nothing."""
    found: dict[str, str] = {}

    def add(metrics: tuple[Metric, ...], reason: str) -> None:
        for metric in metrics:
            found.setdefault(metric.name, reason)

    one = knobs.number(N_MINIBATCHES) == 1
    decoupled, recompute = knobs.value(DECOUPLED_LOSS), knobs.value(RECOMPUTE_LOGPROB)
    if decoupled is False and recompute is True:
        if one:
            add((*_WEIGHT, *_UPDATE, *_SAMPLER), OVERWRITTEN)
        add(_SAMPLER, OWN_UPDATE)
    if decoupled is True and one and knobs.value(PROX_LOGP) != "loglinear":
        add(_UPDATE, ONE_MINIBATCH)
    no_correction = OFF_POLICY_CORRECTION in knobs and not knobs.value(OFF_POLICY_CORRECTION)
    if no_correction and (version is None or version >= V104):
        add(_BEHAVE, NO_CORRECTION)
    if decoupled is False:
        add(_BEHAVE, COUPLED)
    if knobs.value(LOSS_TYPE) == "sapo":
        add((U.CLIP_RATIO, U.DUAL_CLIP_RATIO), SOFT_GATE)
    return found
