"""How AReaL writes a setting, and settings that take more than one key to know."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from ..base import lookup

Config: TypeAlias = Mapping[str, Any]
Whole: TypeAlias = Callable[[Config], tuple[bool, Any]]

NOT_FOUND: tuple[bool, Any] = (False, None)


def text(value: Any) -> str:
    """As the saved configuration has it: ``null``, ``true``, ``5.0``, ``1.0e-05``."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        written = repr(value)
        return written.replace("e", ".0e") if "e" in written and "." not in written else written
    return str(value)


def staleness_text(value: Any) -> str:
    """Asynchronous or not is the staleness that is allowed."""
    return "2" if value else "0"


def positive(value: Any) -> bool:
    return isinstance(value, (int, float)) and value > 0


def rejection_text(value: Any) -> str:
    if value in (None, False):
        return "null"
    action = value if value in ("mask", "clamp") else "mask"
    return f"{{action: {action}, metric: ratio, upper: 5.0}}"


def rejection_action(value: Any) -> Any:
    """``rejection_sampling``: null → None, a mapping → its action (the default is mask, cli_args.py:1327)."""
    return value.get("action", "mask") if isinstance(value, Mapping) else None


def rejection_upper(config: Config) -> tuple[bool, Any]:
    """A section without ``upper`` has the default 5.0; a section that is null has no cap."""
    there, section = lookup(config, "actor.rejection_sampling")
    if isinstance(section, Mapping):
        return True, section.get("upper", 5.0)
    return there, None


def rejected_level(value: Any) -> Any:
    """What leaves the loss: tokens or sequences; None where weights are only clamped."""
    return value.get("level", "token") if isinstance(value, Mapping) and value.get("action", "mask") == "mask" else None


def mode_action(value: Any) -> Any:
    """``behave_imp_weight_mode`` of v1.0.1 to v1.0.3: token_mask, sequence_truncate, …, disabled."""
    if not isinstance(value, str) or value == "disabled":
        return None
    return "clamp" if value.endswith("truncate") else "mask"


def mode_level(value: Any) -> Any:
    return value.partition("_")[0] if isinstance(value, str) and value.endswith("_mask") else None


def mode_text(value: Any) -> str:
    if value in (None, False):
        return "disabled"
    return "token_truncate" if value == "clamp" else "token_mask"


def norm_read(value: Any) -> Any:
    """A NormConfig → "group", "batch" or "mean group, std batch"; the bare switch of v0.3.2 and before stays one."""
    if not isinstance(value, Mapping):
        return value
    mean, std = value.get("mean_level", "batch"), value.get("std_level", "batch")
    if mean == std:
        return mean
    return f"mean {text(mean)}, std {text(std)}"


def norm_text(value: Any) -> str:
    if value in (None, False):
        return "null"
    level = value if value in ("group", "batch") else "batch"
    return f"{{mean_level: {level}, std_level: {level}}}"


def correction_before_modes(section: str) -> Whole:
    """Up to v1.0.0 the weight is applied whenever the loss is decoupled, cut only where a cap is set."""

    def whole(config: Config) -> tuple[bool, Any]:
        there, decoupled = lookup(config, f"{section}.use_decoupled_loss")
        if not there:
            return NOT_FOUND
        if not decoupled:
            return True, None
        return True, "mask" if lookup(config, f"{section}.behav_imp_weight_cap")[1] is not None else "uncapped"

    return whole


def level_before_modes(section: str) -> Whole:
    correction = correction_before_modes(section)

    def whole(config: Config) -> tuple[bool, Any]:
        there, action = correction(config)
        return there, "token" if action == "mask" else None

    return whole


def reference_model(config: Config) -> tuple[bool, Any]:
    """Loaded only with ``kl_ctl`` above 0 and a ``ref`` section (rl_trainer.py); the section alone, with kl_ctl 0, loads none."""
    if not lookup(config, "actor.ppo_n_minibatches")[0] and not lookup(config, "actor.kl_ctl")[0]:
        return NOT_FOUND
    there, coefficient = lookup(config, "actor.kl_ctl")
    return True, bool(positive(coefficient) or not there) and lookup(config, "ref")[1] is not None


def loss_type(config: Config) -> tuple[bool, Any]:
    there, level = lookup(config, "actor.importance_sampling_level")
    if lookup(config, "actor.use_sapo_loss")[1] is True:
        return True, "sapo"
    return (True, "gspo" if level == "sequence" else "ppo") if there else NOT_FOUND


def loss_text(value: Any) -> str:
    return "sequence" if value == "gspo" else "token"


def filter_switched_on(config: Config) -> tuple[bool, Any]:
    """``actor.dynamic_sampling`` true says so; false does not, since a filter may be passed in code."""
    return (True, True) if lookup(config, "actor.dynamic_sampling")[1] is True else NOT_FOUND


def data_ranks(config: Config) -> tuple[bool, Any]:
    """From ``actor.backend`` (``fsdp:d4p1t1``), else from an ``allocation_mode`` with one training part (``sglang:d4+fsdp:d2t2``)."""
    for path in ("actor.backend", "allocation_mode"):
        there, value = lookup(config, path)
        if there and isinstance(value, str) and value:
            ranks = _ranks(value)
            if ranks is not None:
                return True, ranks
    return NOT_FOUND


def _ranks(allocation: str) -> int | None:
    parts = [part.strip() for part in allocation.split("+")]
    training = [part for part in parts if not part.startswith(("sglang", "vllm")) and part not in ("cpu", "eval")]
    if len(training) != 1 or ("|" in training[0] and "attn" not in training[0]):
        return None
    # megatron:(attn:d4p2t2c2|ffn:d2p2t4e2): the batch is split over the attention part's d (alloc_mode.py).
    dims = training[0].split("|")[0].rpartition(":")[2]
    found = re.fullmatch(r"(?:[a-z]\d+)+", dims)
    size = re.search(r"d(\d+)", dims)
    if not found:
        return None
    return int(size.group(1)) if size else 1
