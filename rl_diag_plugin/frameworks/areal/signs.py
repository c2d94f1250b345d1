"""What a row of metrics says of the settings, which keys mark AReaL, and which come and go without a fault."""

from __future__ import annotations

from collections.abc import Mapping

from ...knobs import Knob, KnobValue
from ...knobs.loss import CLIP_EPS, DUAL_CLIP, LOSS_TYPE, MASK_TRUNCATED
from ...knobs.offpolicy import BEHAVE_CAP, BEHAVE_FLOOR, OFF_POLICY_CORRECTION, PROX_LOGP
from ...knobs.sampling import DYNAMIC_FILTER
from .normalise import normalise

# No other trainer logs one of these.
DECISIVE = frozenset(
    {
        "actor/no_eos_ratios/avg", "actor/mask_no_eos_with_zero", "actor/use_dual_clip", "actor/importance_weight/avg",
        "actor/behave_imp_weight/avg", "actor/behave_approx_kl/avg", "actor/unclipped_behave_tokens", "actor/kl_rewards/avg",
        "actor/correct_n_seqs", "actor/vocab_min_logits/avg", "actor/version_stats/v_theta",
        "actor/version_stats/sample_staleness_theta_avg", "actor/compute_logp/kl_div_dual/avg", "actor/compute_logp/prox_logp_gt/avg",
        "actor/rs_filtered_fraction", "flat/actor_clip_ratio",
    }
)  # fmt: skip

TYPICAL = frozenset(
    {
        "rollout/reward", "eval-rollout/reward", "rollout/accepted", "rollout/rejected", "actor/task_reward/avg", "actor/seq_len/avg",
        "actor/prompt_len/avg", "actor/grad_norm", "actor/update_successful", "actor/entropy/avg", "actor/clip_ratio/avg",
        "timeperf/rollout", "timeperf/train_step", "timeperf/update_weights", "timeperf/compute_advantage", "critic/new_value/avg",
        "flat/ppo_approx_kl", "flat/no_eos_ratio", "flat/avg_seq_len", "flat/avg_prompt_len", "flat/task_reward",
    }
)  # fmt: skip

# Windows in which nothing finished, evaluation steps, denominators that are 0 (stats_tracker.py:246-283).
_COME_AND_GO = (
    "rollout/", "eval-rollout/", "eval/", "actor/clipped_new_logp/", "actor/clipped_old_logp/", "actor/correct_seq_len/",
    "actor/incorrect_seq_len/", "actor/behave_imp_weight/", "actor/behave_approx_kl/", "actor/compute_logp/",
    "critic/clipped_new_value/", "critic/clipped_old_value/",
)  # fmt: skip
_TIMED_NOW_AND_THEN = ("eval", "save", "checkpoint_for_recover", "clear_batches")
_ON_AND_OFF = ("load", "pause", "pause_generation", "continue_generation", "resume")


def intermittent(key: str) -> bool:
    """Whether a normalised key may be missing from a row of a healthy run."""
    scope, _, name = key.partition("/")
    if scope == "timeperf":
        return name in _TIMED_NOW_AND_THEN or name.endswith(_ON_AND_OFF)
    return key.startswith(_COME_AND_GO)


def infer(row: Mapping[str, float]) -> dict[Knob, KnobValue]:
    """Settings that AReaL echoes among its metrics (actor.py:306-322). ``row``: as logged."""
    logged: dict[str, tuple[str, float]] = {}
    for key, value in row.items():
        name = normalise(key)
        if name is not None:
            logged[name] = (key, value)
    found = {**_loss(logged), **_correction(logged)}
    if "rollout/rejected" in logged:
        found[DYNAMIC_FILTER] = KnobValue(True, "rollout/rejected", "log")
    return found


def _loss(logged: Mapping[str, tuple[str, float]]) -> dict[Knob, KnobValue]:
    found: dict[Knob, KnobValue] = {}
    if "actor/eps_clip" in logged:
        found[CLIP_EPS] = _number(logged["actor/eps_clip"])
    if "actor/c_clip" in logged:
        found[DUAL_CLIP] = _number(logged["actor/c_clip"])
    elif logged.get("actor/use_dual_clip", ("", 1.0))[1] == 0:
        found[DUAL_CLIP] = KnobValue(None, logged["actor/use_dual_clip"][0], "log")
    for name in ("actor/mask_no_eos_with_zero", "flat/mask_no_eos_with_zero"):
        if name in logged:
            found[MASK_TRUNCATED] = KnobValue(bool(logged[name][1]), logged[name][0], "log")
    if "actor/sapo_soft_gate/avg" in logged:
        found[LOSS_TYPE] = KnobValue("sapo", logged["actor/sapo_soft_gate/avg"][0], "log")
    log_linear = "actor/compute_logp/loglinear/approx_logp/avg"
    if log_linear in logged:
        method = "metrics" if "actor/compute_logp/linear/approx_logp/avg" in logged else "loglinear"
        found[PROX_LOGP] = KnobValue(method, logged[log_linear][0], "log")
    return found


def _correction(logged: Mapping[str, tuple[str, float]]) -> dict[Knob, KnobValue]:
    """``rs_lower`` 0 comes with the action clamp (cli_args.py); a v1.0.4 row without ``rs_upper`` has no correction."""
    found: dict[Knob, KnobValue] = {}
    if "actor/rs_upper" in logged:
        key, _ = logged["actor/rs_upper"]
        lower = logged.get("actor/rs_lower", ("", float("nan")))[1]
        found[BEHAVE_CAP] = _number(logged["actor/rs_upper"])
        found[OFF_POLICY_CORRECTION] = KnobValue("clamp" if lower == 0 else "mask", key, "log")
    elif "actor/num_micro_batches" in logged and "actor/use_dual_clip" in logged:
        found[OFF_POLICY_CORRECTION] = KnobValue(None, logged["actor/use_dual_clip"][0], "log")
    if "actor/rs_lower" in logged:
        found[BEHAVE_FLOOR] = _number(logged["actor/rs_lower"])
    for name in ("actor/behave_imp_weight_cap", "actor/behav_imp_weight_cap"):
        if name in logged:
            found[BEHAVE_CAP] = _number(logged[name])
    return found


def _number(cell: tuple[str, float]) -> KnobValue:
    """Settings are logged in single precision: 0.4000000059604645 is 0.4."""
    return KnobValue(float(f"{cell[1]:.7g}"), cell[0], "log")
