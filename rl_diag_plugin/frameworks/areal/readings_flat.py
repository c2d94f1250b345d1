"""v0.1 and v0.2: one flat row a step (v0.2.0 realhf/impl/model/interface/ppo_interface.py:657-715)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...knobs import Knobs
from ...metrics import actor as A
from ...metrics import rollout as R
from ...metrics import update as U
from ...model import Floats
from ..base import Reading


def _response_len(columns: Mapping[str, Floats], knobs: Knobs) -> Floats:
    return columns["flat/avg_seq_len"] - columns["flat/avg_prompt_len"]


def _size(columns: Mapping[str, Floats], knobs: Knobs) -> Floats:
    return np.abs(columns["flat/ppo_approx_kl"])


FLAT_READINGS = (
    Reading(A.TASK_REWARD.name, ("flat/task_reward",)),
    Reading(A.NO_EOS_RATIO.name, ("flat/no_eos_ratio",)),
    Reading(A.SEQ_LEN.name, ("flat/avg_seq_len",)),
    Reading(A.PROMPT_LEN.name, ("flat/avg_prompt_len",)),
    Reading(R.RESPONSE_LEN.name, ("flat/avg_seq_len", "flat/avg_prompt_len"), "exact", "", _response_len),
    Reading(A.N_SEQS.name, ("flat/n_seqs",)),
    Reading(A.N_VALID_TOKENS.name, ("flat/n_valid_tokens",)),
    Reading(A.ADVANTAGES.name, ("flat/advantage",)),
    Reading(A.KL_REWARDS.name, ("flat/kl_reward",)),
    Reading(U.IMPORTANCE_WEIGHT.name, ("flat/importance_weight",)),
    Reading(U.CLIP_RATIO.name, ("flat/actor_clip_ratio",)),
    Reading(U.APPROX_KL.name, ("flat/ppo_approx_kl",), "exact", "Logged with its sign; the size is read.", _size),
    Reading(U.ACTOR_LOSS.name, ("flat/actor_loss",)),
)
