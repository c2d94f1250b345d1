"""How far sampler and trainer may part, and what corrects it."""

from __future__ import annotations

from .base import Knob

MAX_STALENESS = Knob("max_staleness", "versions a sample may be old")
ASYNCHRONOUS = Knob("asynchronous", "rollout and training overlap")
DECOUPLED_LOSS = Knob("decoupled_loss", "proximal policy apart from the behaviour policy")
RECOMPUTE_LOGPROB = Knob("recompute_logprob", "the trainer scores the samples again")
PROX_LOGP = Knob("prox_logp", "how the proximal log-probability is had")
BEHAVE_CAP = Knob("behave_cap", "upper bound of the behave weight")
BEHAVE_FLOOR = Knob("behave_floor", "lower bound of the behave weight")
OFF_POLICY_CORRECTION = Knob("off_policy_correction", "whether and how the behave weight enters the loss")
REJECTION = Knob("rejection", "tokens or sequences that leave the loss")
DETERMINISTIC = Knob("deterministic", "deterministic kernels")
ROUTER_REPLAY = Knob("router_replay", "MoE routing of the sampler replayed")
MOE = Knob("moe", "a mixture-of-experts model")
DATA_RANKS = Knob("data_ranks", "data-parallel ranks of the trainer")
