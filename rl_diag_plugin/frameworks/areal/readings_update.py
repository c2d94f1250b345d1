"""The policy update: ratios, divergences, entropy, gradients. What each key means: trainer/ppo/actor.py:341-597 of v1.0.4."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np

from ...knobs import Knobs
from ...knobs.loss import LOSS_TYPE
from ...knobs.offpolicy import BEHAVE_CAP, DECOUPLED_LOSS, OFF_POLICY_CORRECTION, PROX_LOGP, RECOMPUTE_LOGPROB
from ...knobs.optimizer import N_MINIBATCHES
from ...metrics import Metric
from ...metrics import update as U
from ...model import Floats
from ..base import Reading
from .readings_batch import divide, statistics
from .versions import V041, V101, V103, V104

_VALID, _VALID_OLD, _KEPT = "actor/update/n_valid_tokens", "actor/n_valid_tokens", "actor/unclipped_behave_tokens"
_SAMPLER = "Its denominator is the sampler's probability: mismatch and staleness are in it."
_INTERPOLATED = "Against an interpolated proximal policy: not 1 with stale samples, even with one minibatch."
_SEQUENCE = "The geometric mean of a sequence, at each of its tokens: single tokens do not show."
_REJECTED = "Rejected tokens counted as 0 in the logged average; they are taken out here."
_ZEROS = "Rejected tokens are logged as 0: a row with any has no value."
_KEPT_ONLY = "Over the tokens that rejection keeps: the tail above the cap is left out."
_KEPT_MEAN = "Mean over kept tokens only; over all tokens it would be 1 in expectation, so it hides the tail."


def _is_off(knobs: Knobs) -> bool:
    """The correction is known to be off (``rejection_sampling: null``), which is not the same as unknown."""
    return OFF_POLICY_CORRECTION in knobs and not knobs.value(OFF_POLICY_CORRECTION)


def _masks(knobs: Knobs) -> bool:
    return knobs.value(OFF_POLICY_CORRECTION) not in ("clamp", "uncapped") and not _is_off(knobs)


def _clamps(knobs: Knobs) -> bool:
    return bool(knobs.value(OFF_POLICY_CORRECTION) == "clamp")


def _uncapped(knobs: Knobs) -> bool:
    return BEHAVE_CAP in knobs and knobs.value(BEHAVE_CAP) is None


def _is_gspo(knobs: Knobs) -> bool:
    return bool(knobs.value(LOSS_TYPE) == "gspo")


def _is_coupled(knobs: Knobs) -> bool:
    return not _is_gspo(knobs) and knobs.value(DECOUPLED_LOSS) is False and knobs.value(RECOMPUTE_LOGPROB) is False


def _is_loglinear(knobs: Knobs) -> bool:
    return not _is_gspo(knobs) and knobs.value(DECOUPLED_LOSS) is True and knobs.value(PROX_LOGP) == "loglinear"


def _is_plain(knobs: Knobs) -> bool:
    return not (_is_gspo(knobs) or _is_coupled(knobs) or _is_loglinear(knobs))


def _step_is_absent(knobs: Knobs) -> bool:
    """θ is still the policy that scored the batch: one minibatch, or no correction whose keys would hold the difference."""
    return knobs.number(N_MINIBATCHES) == 1 or _is_off(knobs)


def _undeflate(columns: Mapping[str, Floats], knobs: Knobs) -> Floats:
    """Σ r over kept tokens stands over all valid ones (functional.py: r is 0 outside ``keep``): back to the mean of the kept."""
    mean, kept = columns["actor/importance_weight/avg"], columns[_KEPT]
    return np.where(np.isfinite(kept), divide(mean * columns[_VALID], kept), mean)


def _true_minimum(columns: Mapping[str, Floats], knobs: Knobs) -> Floats:
    low = columns["actor/importance_weight/min"]
    return np.where((low == 0) & (columns[_KEPT] < columns[_VALID]), np.nan, low)


def _rejected_share(columns: Mapping[str, Floats], knobs: Knobs) -> Floats:
    valid = columns.get(_VALID, columns.get(_VALID_OLD))
    assert valid is not None
    return 1.0 - divide(columns[_KEPT], valid)


def _size(key: str, metric: Metric, caveat: str) -> Reading:
    def convert(columns: Mapping[str, Floats], knobs: Knobs) -> Floats:
        return np.abs(columns[key])

    return Reading(metric.name, (key,), "exact", caveat, convert)


def _importance_weight() -> tuple[Reading, ...]:
    """From v1.0.4 rejection deflates the average; before, and with no rejection, it stands as it is."""
    out: list[Reading] = []
    for when, caveat in ((_is_gspo, _SEQUENCE), (_is_coupled, _SAMPLER), (_is_loglinear, _INTERPOLATED), (_is_plain, "")):
        both, least = f"{caveat} {_REJECTED}".strip(), f"{caveat} {_ZEROS}".strip()
        avg, low, high = (f"actor/importance_weight/{part}" for part in ("avg", "min", "max"))
        optional = (_VALID, _KEPT)
        out += [
            Reading(U.IMPORTANCE_WEIGHT.name, (avg,), "exact", both, _undeflate, optional, V104, when=when),
            Reading(U.IMPORTANCE_WEIGHT.name, (avg,), "exact", caveat, until=V104, when=when),
            Reading(U.IMPORTANCE_WEIGHT.min.name, (low,), "exact", least, _true_minimum, optional, V104, when=when),
            Reading(U.IMPORTANCE_WEIGHT.min.name, (low,), "exact", caveat, until=V104, when=when),
            Reading(U.IMPORTANCE_WEIGHT.max.name, (high,), "exact", caveat, when=when),
        ]
    return tuple(out)


def _behave() -> tuple[Reading, ...]:
    weight = statistics(U.BEHAVE_IMP_WEIGHT, "behave_imp_weight", "", "min", "max")
    # Up to v1.0.0 a null cap means: applied, uncapped (areal functional.py of v1.0.0).
    uncut = tuple(dataclasses.replace(r, until=V101, when=_uncapped) for r in weight)
    clamped = tuple(dataclasses.replace(r, measures="post-cap", when=_clamps, caveat="After clamping to the cap.") for r in weight)
    cut = tuple(dataclasses.replace(r, measures="post-cap", caveat=_KEPT_MEAN) for r in weight)
    approx = _size("actor/behave_approx_kl/avg", U.BEHAVE_APPROX_KL, "Logged with its sign; the size is read.")
    fraction = ("actor/rs_filtered_fraction",)
    return (
        *uncut, *clamped, *cut,
        dataclasses.replace(approx, when=_clamps),
        dataclasses.replace(approx, measures="post-cap", caveat=_KEPT_ONLY),
        Reading(U.BEHAVE_MASKED_RATIO.name, (_KEPT, _VALID), "exact", "One minus kept over valid tokens.", _rejected_share, since=V041),
        Reading(U.BEHAVE_MASKED_RATIO.name, (_KEPT, _VALID_OLD), "exact", "Of one minibatch.", _rejected_share, until=V041),
        Reading(
            U.BEHAVE_MASKED_RATIO.name, fraction, "exact", "An unweighted mean over minibatches: up to 3 % off the share of tokens.",
            since=V104, when=_masks,
        ),
        Reading(U.BEHAVE_OVER_CAP_RATIO.name, fraction, "exact", "An unweighted mean over minibatches.", since=V104, when=_clamps),
    )  # fmt: skip


def _to_the_sampler() -> tuple[Reading, ...]:
    """k3 of the weights at each minibatch against the sampler (v1.0.3 on, actor.py:1078)."""
    key = ("actor/compute_logp/kl_div_dual/avg",)
    own = "With several minibatches it holds this step's own update too."
    return (
        Reading(U.BEHAVE_KL.name, key, "exact", "", since=V103, when=lambda k: _step_is_absent(k) and not _masks(k)),
        Reading(U.BEHAVE_KL.name, key, "post-cap", _KEPT_ONLY, since=V103, when=_step_is_absent),
        Reading(U.POLICY_BEHAVE_KL.name, key, "exact", own, since=V103, when=lambda k: not _masks(k)),
        Reading(U.POLICY_BEHAVE_KL.name, key, "post-cap", f"{_KEPT_ONLY} {own}", since=V103),
    )


_CLAIMED = "What the sampler claims of its weights; each sequence's last token and rejected tokens are left out."
_STALENESS = "actor/version_stats/sample_staleness_theta"

UPDATE = (
    *_importance_weight(),
    _size("actor/approx_kl/avg", U.APPROX_KL, "Logged with its sign, log of policy over proximal; the size is read."),
    *statistics(U.CLIP_RATIO, "clip_ratio", "Where the clip binds, by the advantage's sign; both sides together."),
    *statistics(U.DUAL_CLIP_RATIO, "dual_clip_ratio"),
    *statistics(U.ENTROPY, "entropy", "At actor.temperature; with several minibatches the weights move meanwhile."),
    *statistics(U.ACTOR_LOSS, "actor_loss"),
    Reading(U.GRAD_NORM.name, ("actor/grad_norm",), caveat="Before clipping, mean over minibatches; one NaN makes it NaN."),
    Reading(U.LR.name, ("actor/lr",), caveat="Before the scheduler's step."),
    Reading(U.UPDATE_SUCCESSFUL.name, ("actor/update_successful",), caveat="Mean over minibatches."),
    *_behave(),
    *_to_the_sampler(),
    Reading(U.STALENESS.name, (f"{_STALENESS}_avg",), caveat=_CLAIMED),
    Reading(U.STALENESS.max.name, (f"{_STALENESS}_max",), caveat=f"{_CLAIMED} A mean of micro-batches' maxima."),
    # v0.3.0: versions between the start of a sequence and its training; its tokens are at most that old.
    Reading(U.STALENESS.name, ("actor/head_offpolicyness/avg",), "upper-bound", "Age of each sequence's first token."),
    Reading(U.STALENESS.max.name, ("actor/head_offpolicyness/max",), caveat="Age of each sequence's first token."),
)  # fmt: skip
