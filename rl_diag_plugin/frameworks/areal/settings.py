"""Where AReaL's settings stand, per version (areal/api/cli_args.py), and those that are code.

Only the ``actor`` section counts: the saved configuration repeats its keys with other values under ``ref``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...knobs import Knob
from ...knobs import logging as G
from ...knobs import loss as L
from ...knobs import offpolicy as O
from ...knobs import optimizer as P
from ...knobs import sampling as S
from ...model import Version
from ..base import CodeKnob, KnobPath
from . import settings_values as V
from .versions import LITE, V033, V034, V040, V041, V050, V052, V100, V101, V104

Read = Callable[[Any], Any]


def path(key: str, default: Any = None, since: Version | None = None, until: Version | None = None, read: Read | None = None,
         write: Callable[[Any], str] = V.text, whole: V.Whole | None = None) -> KnobPath:  # fmt: skip
    return KnobPath(key, since, until, read, write, default, whole)


def both(old: str, new: str, default: Any = None, since: Version | None = None) -> tuple[KnobPath, ...]:
    """A key of v0.3.0 (realhf) and the one that followed it."""
    return (path(new, default, since=since or LITE), path(old, default, until=LITE))


SAMPLING: dict[Knob, tuple[KnobPath, ...]] = {
    # actor.max_new_tokens serves the overlong penalty alone, ref.* and eval_gconfig.* nothing of the training.
    S.MAX_NEW_TOKENS: both("ppo.gen.max_new_tokens", "gconfig.max_new_tokens", 16384),
    S.MAX_TOTAL_LENGTH: (path("gconfig.max_tokens", 32768, V052), path("gconfig.max_tokens", 65536, V034, V052)),
    S.MAX_PROMPT_LENGTH: both("dataset.max_prompt_len", "train_dataset.max_length"),
    S.TEMPERATURE: both("ppo.gen.temperature", "gconfig.temperature", 1.0),
    S.LEARNER_TEMPERATURE: (path("actor.temperature", 1.0, LITE),),
    S.GROUP_SIZE: both("group_size", "gconfig.n_samples", 1),
    S.ROLLOUT_BATCH_SIZE: (path("rollout.consumer_batch_size", None, LITE),),
    S.DYNAMIC_FILTER: (path("actor.dynamic_sampling", None, V033, V052, whole=V.filter_switched_on),),
}

OFF_POLICY: dict[Knob, tuple[KnobPath, ...]] = {
    O.MAX_STALENESS: both("max_head_offpolicyness", "rollout.max_head_offpolicyness", 0),
    O.ASYNCHRONOUS: (
        path("rollout.max_head_offpolicyness", None, V041, read=V.positive, write=V.staleness_text),
        path("async_training", None, LITE, V041),
        path("max_head_offpolicyness", None, until=LITE, read=V.positive, write=V.staleness_text),
    ),
    O.DECOUPLED_LOSS: both("ppo.use_decoupled_loss", "actor.use_decoupled_loss", False),
    O.RECOMPUTE_LOGPROB: both("ppo.recompute_logprob", "actor.recompute_logprob", False),
    O.PROX_LOGP: (path("actor.prox_logp_method", "recompute", V050),),
    O.BEHAVE_CAP: (
        path("actor.rejection_sampling.upper", None, V104, whole=V.rejection_upper),
        path("actor.behave_imp_weight_cap", 5.0, V101, V104),
        path("actor.behav_imp_weight_cap", None, LITE, V101),
        path("ppo.behav_imp_weight_cap", None, until=LITE),
    ),
    O.BEHAVE_FLOOR: (path("actor.rejection_sampling.lower", None, V104),),
    O.OFF_POLICY_CORRECTION: (
        path("actor.rejection_sampling", None, V104, read=V.rejection_action, write=V.rejection_text),
        path("actor.behave_imp_weight_mode", "mask", V101, V104, V.mode_action, V.mode_text),
        path("actor.use_decoupled_loss", None, LITE, V101, whole=V.correction_before_modes("actor")),
        path("ppo.use_decoupled_loss", None, until=LITE, whole=V.correction_before_modes("ppo")),
    ),
    O.REJECTION: (
        path("actor.rejection_sampling", None, V104, read=V.rejected_level, write=V.rejection_text),
        path("actor.behave_imp_weight_mode", "token", V101, V104, V.mode_level, V.mode_text),
        path("actor.behav_imp_weight_cap", None, LITE, V101, whole=V.level_before_modes("actor")),
        path("ppo.behav_imp_weight_cap", None, until=LITE, whole=V.level_before_modes("ppo")),
    ),
    O.DETERMINISTIC: (path("actor.megatron.use_deterministic_algorithms", False, V040),),
    O.ROUTER_REPLAY: (path("rollout.return_routed_experts", False, V100),),
    O.DATA_RANKS: (
        path("actor.backend", None, V104, whole=V.data_ranks),
        path("allocation_mode", None, LITE, V104, whole=V.data_ranks),
    ),
}  # fmt: skip

OPTIMIZER: dict[Knob, tuple[KnobPath, ...]] = {
    P.N_MINIBATCHES: both("ppo.ppo_n_minibatches", "actor.ppo_n_minibatches", 4),
    P.TRAIN_BATCH_SIZE: both("dataset.train_bs_n_seqs", "train_dataset.batch_size"),  # prompts, not sequences
    P.LR: (path("actor.optimizer.lr", 1e-3, V040), path("actor.optimizer.lr", 2e-5, until=V040)),
    P.CRITIC_LR: (path("critic.optimizer.lr"),),
    P.GRAD_CLIP: (path("actor.optimizer.gradient_clipping", 1.0),),
    P.PLANNED_STEPS: both("exp_ctrl.benchmark_steps", "total_train_steps"),
}

LOSS: dict[Knob, tuple[KnobPath, ...]] = {
    L.MASK_TRUNCATED: (path("actor.mask_no_eos_with_zero", False, LITE),),
    L.OVERLONG_PENALTY: (path("actor.overlong_reward_penalty", False, V033),),
    L.OVERLONG_TOKENS: (path("actor.overlong_tokens", None, V033),),
    L.CLIP_EPS: both("ppo.eps_clip", "actor.eps_clip", 0.2),
    L.CLIP_EPS_HIGH: (path("actor.eps_clip_higher", None, V033),),
    L.DUAL_CLIP: both("ppo.c_clip", "actor.c_clip"),
    L.VALUE_CLIP: both("ppo.value_eps_clip", "critic.eps_clip"),
    L.KL_COEF: both("ppo.kl_ctl", "actor.kl_ctl", 0.1),
    L.KL_ESTIMATOR: (path("actor.kl_estimator", "k1", V034),),
    L.REFERENCE_MODEL: (path("ref", None, LITE, whole=V.reference_model),),
    L.ADV_NORM: (
        path("actor.adv_norm", None, LITE, read=V.norm_read, write=V.norm_text),
        path("ppo.adv_norm", True, until=LITE),
    ),
    L.REWARD_NORM: (path("actor.reward_norm", None, V034, read=V.norm_read, write=V.norm_text),),
    L.GAMMA: both("ppo.discount", "actor.discount", 1.0),
    L.GAE_LAMBDA: both("ppo.gae_lambda", "actor.gae_lambda", 1.0),
    L.REWARD_SCALE: both("ppo.reward_output_scaling", "actor.reward_scaling", 1.0),
    L.REWARD_CLIP: both("ppo.max_reward_clip", "actor.reward_clip", 20.0),
    L.LOSS_TYPE: (path("actor.importance_sampling_level", None, V040, write=V.loss_text, whole=V.loss_type),),
}

LOGGING: dict[Knob, tuple[KnobPath, ...]] = {
    G.EVAL_INTERVAL: both("exp_ctrl.eval_freq_steps", "evaluator.freq_steps"),
    G.EVAL_BEFORE_TRAIN: (path("evaluator.eval_before_train", False, V104),),
    G.CHECKPOINT_INTERVAL: both("exp_ctrl.save_freq_steps", "saver.freq_steps"),
}

KNOB_PATHS: dict[Knob, tuple[KnobPath, ...]] = {**SAMPLING, **OFF_POLICY, **OPTIMIZER, **LOSS, **LOGGING}

_LAMBDA = "lambda x: 0 < x['rewards'].mean() < 1"

CODE_KNOBS: dict[Knob, tuple[CodeKnob, ...]] = {
    S.DYNAMIC_FILTER: (
        CodeKnob(f"pass dynamic_filter_fn={_LAMBDA} to PPOTrainer.train(…), or should_accept_fn=… to prepare_batch", V050),
        CodeKnob(f"pass should_accept_fn={_LAMBDA} to prepare_batch", V041, V050),
        CodeKnob(f"pass should_accept={_LAMBDA} to prepare_batch", LITE, V041),
        CodeKnob("no filter in this version: leave prompts that are always or never solved out of the data set", until=LITE, none=True),
    ),
    O.DETERMINISTIC: (
        CodeKnob("no key before v0.4.0: call torch.use_deterministic_algorithms(True) in the training script", until=V040, none=True),
    ),
    G.EVAL_BEFORE_TRAIN: (
        CodeKnob("no key before v1.0.4: evaluate the base model once before the loop of the training script", until=V104, none=True),
    ),
    L.ENTROPY_COEF: (CodeKnob("the loss has no entropy bonus: raise eps_clip_higher, or use the AEnt recipe's loss", none=True),),
    L.TARGET_KL: (CodeKnob("updates are not stopped early: fewer ppo_n_minibatches or a lower learning rate", none=True),),
    L.VALUE_COEF: (CodeKnob("the critic has an optimizer of its own: change critic.optimizer.lr", none=True),),
    L.LOSS_AGGREGATION: (CodeKnob("the loss is always the mean over all tokens of the batch", none=True),),
    P.N_EPOCHS: (CodeKnob("each batch is passed over once: change ppo_n_minibatches", none=True),),
    P.GRAD_ACCUM: (
        CodeKnob("micro-batches (actor.mb_spec) do not change the update: change ppo_n_minibatches or the batch size", none=True),
    ),
    P.CRITIC_WARMUP: (CodeKnob("the critic is trained from the first step: skip the actor's update in the training script", none=True),),
    S.FILTER_ROUNDS: (CodeKnob("prepare_batch goes on until the batch is full; there is no limit of rounds", none=True),),
}
