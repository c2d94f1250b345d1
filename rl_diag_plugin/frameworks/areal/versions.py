"""The version of AReaL, from a saved configuration or from the keys that a run logs, and how its configuration is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...model import Version, parse_version
from ..base import lookup

FLAT: Version = (0, 2, 0)
REALHF: Version = (0, 3, 0)  # the last release on realhf; v0.3.0-lite, the first one on areal/, counts as LITE
LITE: Version = (0, 3, 1)
V033: Version = (0, 3, 3)
V034: Version = (0, 3, 4)
V040: Version = (0, 4, 0)
V041: Version = (0, 4, 1)
V050: Version = (0, 5, 0)
V052: Version = (0, 5, 2)
V053: Version = (0, 5, 3)
V100: Version = (1, 0, 0)
V101: Version = (1, 0, 1)
V102: Version = (1, 0, 2)
V103: Version = (1, 0, 3)
V104: Version = (1, 0, 4)

# Keys of AReaL's actor section that no other trainer's configuration has there.
_ACTOR_KEYS = ("ppo_n_minibatches", "use_decoupled_loss", "recompute_logprob", "rejection_sampling", "behave_imp_weight_cap",
               "behav_imp_weight_cap", "kl_ctl", "overlong_reward_penalty")  # fmt: skip

# Newest first: what a row must hold from a version on (the git tags of actor.py, workflow_executor.py:1113, rl_trainer.py).
_ADDED: tuple[tuple[Version, str], ...] = (
    (V103, "/compute_logp/kl_div_dual/avg"),
    (V053, "timeperf/clear_batches"),
    (V052, "rollout/accepted"),
    (V050, "/version_stats/v_theta"),
)


def recognise_config(config: Mapping[str, Any]) -> bool:
    """``gconfig`` beside an actor section with AReaL's own keys; v0.3.0: a ``ppo`` section with its minibatches."""
    if _is_realhf(config):
        return True
    return lookup(config, "gconfig")[0] and any(lookup(config, f"actor.{key}")[0] for key in _ACTOR_KEYS)


def version_of(config: Mapping[str, Any], keys: frozenset[str]) -> Version | None:
    """The version; None where nothing tells, which counts as the newest. ``keys``: as logged.

    Where only an interval is known it is the newest version that fits a configuration and the oldest that fits logged keys.
    """
    said = _said(config)
    if said is not None and said < V101 and lookup(config, "actor.behave_imp_weight_cap")[0]:
        return V101  # v1.0.0.post1 has the spelling of v1.0.1
    return said or _from_config(config, keys) or _from_keys(keys)


def _said(config: Mapping[str, Any]) -> Version | None:
    """``version_info`` of the W&B configuration (v0.4.0 on; stats_logger.py)."""
    for path in ("version_info.version", "version_info/version"):
        there, text = lookup(config, path)
        if there and isinstance(text, str):
            try:
                return parse_version(text)
            except ValueError:
                return None
    return None


def _is_realhf(config: Mapping[str, Any]) -> bool:
    return lookup(config, "ppo.ppo_n_minibatches")[0] or lookup(config, "ppo.gen.max_new_tokens")[0]


def _from_config(config: Mapping[str, Any], keys: frozenset[str]) -> Version | None:
    if _is_realhf(config):
        return FLAT if "ppo_approx_kl" in keys else REALHF
    if lookup(config, "actor.rejection_sampling")[0]:
        return V104
    if lookup(config, "actor.behave_imp_weight_cap")[0] or lookup(config, "actor.behave_imp_weight_mode")[0]:
        return V103
    if lookup(config, "actor.behav_imp_weight_cap")[0]:
        return _behav_era(config)
    return None


def _behav_era(config: Mapping[str, Any]) -> Version:
    """v0.3.0-lite … v1.0.0. What a key's absence says holds only for a full dump, not for a recipe written by hand."""
    if lookup(config, "async_training")[0]:  # removed in v0.4.1
        return V040 if lookup(config, "actor.importance_sampling_level")[0] else V034
    if lookup(config, "actor.dynamic_sampling")[0]:  # v0.3.3 … v0.5.1
        full = lookup(config, "actor.gae_lambda")[0] and lookup(config, "actor.reward_clip")[0]
        return V041 if full and not lookup(config, "actor.prox_logp_method")[0] else (0, 5, 1)
    return V100


def _from_keys(keys: frozenset[str]) -> Version | None:
    if "ppo_approx_kl" in keys and "actor_clip_ratio" in keys:
        return FLAT
    if _any_ends(keys, "/rs_upper", "/rs_filtered_fraction", "/num_micro_batches"):
        return V104
    if _any_ends(keys, "/behave_imp_weight_cap"):
        return V103 if _any_ends(keys, "/compute_logp/kl_div_dual/avg") else V101
    scoped = _any_ends(keys, "actor/update/importance_weight/avg")
    if not scoped and _any_ends(keys, "actor/importance_weight/avg"):
        return REALHF if _any_ends(keys, "/use_prox_logp", "/head_offpolicyness/avg", "timeperf/e2e") else LITE
    # What is missing tells only where the whole row was kept; a few keys logged by hand say nothing.
    whole_row = _any_ends(keys, "/vocab_max_logits/avg") and _any_ends(keys, "/use_dual_clip")
    if not scoped or not (whole_row or _any_ends(keys, "/behav_imp_weight_cap")):
        return None
    return next((version for version, key in _ADDED if _any_ends(keys, key)), V041)


def _any_ends(keys: frozenset[str], *tails: str) -> bool:
    return any(key.endswith(tails) for key in keys)


def caveats(version: Version | None) -> tuple[str, ...]:
    """v0.3.0 to v0.4.0 commit a list with one record a minibatch, each at a step of its own (v0.3.4 stats_logger.py)."""
    if version is not None and (0, 3) <= version < V041:
        return ("this version logs one row a minibatch: steps and rows are minibatches, not training steps",)
    return ()
