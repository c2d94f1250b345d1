"""What was sampled and trained on: rewards, lengths, advantages, the critic and the times."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...knobs import Knobs
from ...knobs.loss import KL_COEF, REFERENCE_MODEL
from ...metrics import Metric
from ...metrics import actor as A
from ...metrics import critic as C
from ...metrics import rollout as R
from ...model import Floats, Measures, Version
from ..base import Reading
from .versions import V041, V052, V102

_WINDOW = "What finished since the last row, trained on or not; failed workflows are left out."
_RAW = "The raw reward, before bias, scaling, clipping and normalisation; after an overlong penalty."
_RIGHT = "Counts every reward above 0, so a partial reward counts as right."
_SINGLE = "Completion tokens of a whole sequence; with several turns the sum of all turns."


def statistics(
    metric: Metric, base: str, caveat: str = "", *parts: str, scope: str = "actor", measures: Measures = "exact"
) -> tuple[Reading, ...]:
    """The average of a tensor statistic, and of ``parts`` its ``min`` and ``max``."""
    mean = Reading(metric.name, (f"{scope}/{base}/avg",), measures, caveat)
    return (mean, *(Reading(f"{metric.name}/{part}", (f"{scope}/{base}/{part}",), measures, caveat) for part in parts))


def ratio_of(top: str, bottom: str, name: str, caveat: str = "", since: Version | None = None) -> Reading:
    """One count over another; NaN where the second is 0."""

    def convert(columns: Mapping[str, Floats], knobs: Knobs) -> Floats:
        return divide(columns[top], columns[bottom])

    return Reading(name, (top, bottom), "exact", caveat, convert, since=since)


def divide(top: Floats, bottom: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(bottom > 0, top / bottom, np.nan)


def _response_len(columns: Mapping[str, Floats], knobs: Knobs) -> Floats:
    return columns["actor/seq_len/avg"] - columns["actor/prompt_len/avg"]


def _kl_to_reference(columns: Mapping[str, Floats], knobs: Knobs) -> Floats:
    """kl_rewards = -kl_ctl times the KL estimate (actor.py:202). k1 may be below 0 by chance; a KL is not."""
    return np.maximum(-columns["actor/kl_rewards/avg"] / (knobs.number(KL_COEF) or np.nan), 0.0)


def _has_reference(knobs: Knobs) -> bool:
    return knobs.value(REFERENCE_MODEL) is True and (knobs.number(KL_COEF) or 0.0) > 0


def _filtered(columns: Mapping[str, Floats], knobs: Knobs) -> Floats:
    kept, gone = columns["actor/dynamic_sampling/n_group_kept"], columns["actor/dynamic_sampling/n_group_filtered"]
    return divide(gone, kept + gone)


def _no_spread(columns: Mapping[str, Floats], knobs: Knobs) -> Floats:
    return (columns["actor/task_reward/max"] <= columns["actor/task_reward/min"]).astype(float)


def _tool_failures(columns: Mapping[str, Floats], knobs: Knobs) -> Floats:
    return 1.0 - divide(columns["rollout/tool_success_count"], columns["rollout/tool_call_count"])


ROLLOUT = (
    Reading(R.ROLLOUT_REWARD.name, ("rollout/reward",), caveat=_WINDOW),
    Reading(R.EVAL_REWARD.name, ("eval-rollout/reward",), caveat="Logged at evaluation steps only; the first follows an update."),
    Reading(R.EVAL_REWARD.name, ("eval/task_reward/avg",)),
    Reading(R.TURNS.name, ("rollout/num_turns",), caveat=_WINDOW),
    Reading(R.TOOL_CALLS.name, ("rollout/tool_call_count",), caveat=_WINDOW),
    Reading(
        R.TOOL_FAILURE_RATIO.name, ("rollout/tool_success_count", "rollout/tool_call_count"), "exact",
        "One minus successes over calls of the same window.", _tool_failures,
    ),
    # functional.py:410-450 of v0.5.1: groups whose rewards are all equal leave the batch. Gone in v0.5.2.
    Reading(
        R.ZERO_VARIANCE_RATIO.name, ("actor/dynamic_sampling/n_group_filtered", "actor/dynamic_sampling/n_group_kept"),
        "exact", "Counted before these groups leave the batch.", _filtered, until=V052,
    ),
)  # fmt: skip

BATCH = (
    *statistics(A.TASK_REWARD, "task_reward", _RAW, "min", "max"),
    ratio_of("actor/correct_n_seqs", "actor/n_seqs", A.CORRECT_RATIO.name, _RIGHT, V041),
    Reading(
        R.ZERO_VARIANCE_RATIO.lower.name, ("actor/task_reward/max", "actor/task_reward/min"), "lower-bound",
        "1 where all rewards of the batch are equal, else 0: groups alone are not logged.", _no_spread,
    ),
    Reading(A.N_SEQS.name, ("actor/n_seqs",), since=V041),
    # Up to v0.4.0 the whole batch's count is dropped and a minibatch's stands under this key (v0.3.4 actor.py:246).
    Reading(A.N_VALID_TOKENS.name, ("actor/n_valid_tokens",), since=V041),
    *statistics(A.PROMPT_LEN, "prompt_len", "Tool output counts as prompt.", "min", "max"),
    *statistics(A.SEQ_LEN, "seq_len", "Prompt and completion.", "min", "max"),
    *statistics(A.CORRECT_SEQ_LEN, "correct_seq_len", _RIGHT),
    *statistics(A.INCORRECT_SEQ_LEN, "incorrect_seq_len", "Sequences with a reward of 0 or less."),
    *statistics(A.ADVANTAGES, "advantages", "After normalisation, so the mean is near 0 by construction.", "min", "max"),
    *statistics(A.KL_REWARDS, "kl_rewards", "Minus kl_ctl times the KL estimate, each clamped to ±10."),
    Reading(
        A.REF_KL.name, ("actor/kl_rewards/avg",), "exact", "kl_rewards over minus kl_ctl, each token clamped to ±10.",
        _kl_to_reference, when=_has_reference,
    ),
    # Token counts were divided by the context-parallel size until v1.0.2 (pull request 990); lengths never were.
    ratio_of("actor/n_valid_tokens", "actor/n_seqs", R.RESPONSE_LEN.name, _SINGLE, V102),
    Reading(R.RESPONSE_LEN.name, ("actor/seq_len/avg", "actor/prompt_len/avg"), "exact", _SINGLE, _response_len),
)  # fmt: skip

CRITIC = (
    *statistics(C.CRITIC_LOSS, "critic_loss", scope="critic"),
    *statistics(C.CRITIC_CLIP_RATIO, "clip_ratio", scope="critic"),
    *statistics(C.CRITIC_VALUE, "new_value", "After the minibatches before it.", scope="critic"),
    *statistics(C.CRITIC_RETURNS, "target_value", scope="critic"),
    *statistics(C.CRITIC_RETURNS, "returns", scope="critic"),  # v0.3.0 ppo_interface.py:1216
)

_PARTS = tuple(
    f"timeperf/{part}" for part in (
        "recompute_logp", "ref_logp", "teacher_logp", "critic_values", "compute_advantage", "critic_train_step",
        "update_weights", "save", "checkpoint_for_recover", "eval", "clear_batches",
    )
)  # fmt: skip


def _whole_step(columns: Mapping[str, Floats], knobs: Knobs) -> Floats:
    total = columns["timeperf/train_step"] + columns["timeperf/rollout"]
    for part in _PARTS:
        if part in columns:
            total = total + np.nan_to_num(columns[part], nan=0.0)
    return total


TIMES = (
    Reading(C.TIME_STEP.name, ("timeperf/e2e",)),
    Reading(
        C.TIME_STEP.name, ("timeperf/train_step", "timeperf/rollout"), "lower-bound", "The sum of the timed parts: no total is logged.",
        _whole_step, _PARTS,
    ),
    Reading(C.TIME_ROLLOUT.name, ("timeperf/rollout",), caveat="With asynchronous rollout the time the trainer waits for a batch."),
    Reading(C.TIME_WAIT_BATCH.name, ("timeperf/rollout",), caveat="Without asynchronous rollout all of the generation."),
    Reading(C.TIME_UPDATE_WEIGHTS.name, ("timeperf/update_weights",)),
)  # fmt: skip
