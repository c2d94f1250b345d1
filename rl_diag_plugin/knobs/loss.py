"""What the loss is made of."""

from __future__ import annotations

from .base import Knob

MASK_TRUNCATED = Knob("mask_truncated", "cut-off sequences leave the loss")
OVERLONG_PENALTY = Knob("overlong_penalty", "soft penalty near the limit")
CLIP_EPS = Knob("clip_eps", "lower clip range")
CLIP_EPS_HIGH = Knob("clip_eps_high", "upper clip range")
DUAL_CLIP = Knob("dual_clip", "dual-clip bound")
VALUE_CLIP = Knob("value_clip", "clip range of the value update")
VALUE_COEF = Knob("value_coef", "weight of the value loss")
KL_COEF = Knob("kl_coef", "weight of the KL to the reference")
KL_ESTIMATOR = Knob("kl_estimator", "k1, k2, k3 …")
TARGET_KL = Knob("target_kl", "early stop of an update")
ENTROPY_COEF = Knob("entropy_coef", "weight of the entropy bonus")
ADV_NORM = Knob("adv_norm", "advantage normalisation")
ADV_ESTIMATOR = Knob("adv_estimator", "GRPO, RLOO, GAE …")
GAMMA = Knob("gamma", "discount of later rewards")
GAE_LAMBDA = Knob("gae_lambda", "lambda of the advantage estimate")
REWARD_SCALE = Knob("reward_scale", "factor on the reward")
REWARD_CLIP = Knob("reward_clip", "can silence a reward that is still paying")
REWARD_NORM = Knob("reward_norm", "reward normalisation")
LOSS_AGGREGATION = Knob("loss_aggregation", "token or sequence mean")
LOSS_TYPE = Knob("loss_type", "which policy loss")
OVERLONG_TOKENS = Knob("overlong_tokens", "tokens before the limit at which the penalty begins")
REFERENCE_MODEL = Knob("reference_model", "a reference model is loaded")
