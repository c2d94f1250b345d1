"""A logged key of any AReaL version → the one key that readings are written in.

``actor/…``, ``critic/…``: statistics of the trained batch and of the update, whatever scopes stand before them and with
``update/`` (v0.4.1 on) taken off; ``flat/…``: the names without any scope of v0.1 and v0.2; ``eval/…``: the evaluation of
v0.3.0-lite. Anything else is not AReaL's: None, never a guess.
"""

from __future__ import annotations

from functools import lru_cache

# Example scripts and recipes wrap the calls in scopes of their own: grpo_actor/ppo_actor/update/… (v0.4.1
# examples/experimental/proxy/gsm8k_grpo_proxy.py, v0.5 examples/lora), aent_ppo_actor/… (recipe AEnt).
_ACTORS = frozenset({"ppo_actor", "grpo_actor", "aent_ppo_actor"})
_CRITIC = "ppo_critic"
_KEPT = frozenset({"rollout", "eval-rollout", "timeperf"})
# Both parts of a row count tokens, over different masks (trainer/ppo/actor.py:275, 500): these two keep their scope.
_IN_BOTH_PARTS = frozenset({"n_tokens", "n_valid_tokens"})

# v0.2.0 realhf/impl/model/interface/ppo_interface.py:657-715. An exact list: elsewhere such bare names mean anything.
_FLAT = frozenset(
    {
        "task_reward", "kl_reward", "final_reward", "dense_reward", "advantage", "avg_seq_len", "avg_prompt_len",
        "n_tokens", "n_valid_tokens", "n_seqs", "no_eos_ratio", "disable_value", "mask_no_eos_with_zero",
        "ppo_approx_kl", "actor_loss", "actor_clip_ratio", "importance_weight",
    }
)  # fmt: skip

# The guide leaves the statistic out (``ppo/actor/task_reward``, ``ppo_actor/update/importance_weight``) and means the average.
_GUIDE = frozenset({"task_reward", "seq_len", "importance_weight", "behave_imp_weight"})


@lru_cache(maxsize=1 << 15)
def normalise(key: str) -> str | None:
    """``grpo_actor/ppo_actor/update/entropy/avg`` → ``actor/entropy/avg``; None for a key that AReaL does not log."""
    if key in _FLAT:
        return f"flat/{key}"
    parts = key.split("/")
    if len(parts) < 2 or "" in parts:
        return None
    if parts[:2] == ["ppo", "actor"] and len(parts) > 2:
        return _scoped("actor", parts[2:])
    scopes = [i for i, part in enumerate(parts[:-1]) if part in _ACTORS or part == _CRITIC]
    if scopes:
        last = scopes[-1]
        return _scoped("critic" if parts[last] == _CRITIC else "actor", parts[last + 1 :])
    if parts[0] == "grpo-eval":
        return "/".join(["eval", *parts[1:]])
    return key if parts[0] in _KEPT else None


def _scoped(scope: str, rest: list[str]) -> str:
    if len(rest) > 1 and rest[0] == "update" and not (len(rest) == 2 and rest[1] in _IN_BOTH_PARTS):
        rest = rest[1:]
    if len(rest) == 1 and rest[0] in _GUIDE:
        rest = [rest[0], "avg"]
    return "/".join([scope, *rest])
