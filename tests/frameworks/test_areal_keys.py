"""Which keys are AReaL's, under which prefix, and that none of the recorded ones is overlooked."""

from __future__ import annotations

import pytest

from rl_diag_plugin.frameworks import AREAL
from rl_diag_plugin.metrics import find_metric

from .areal_reading import RUNS, SHORT_RUNS, long_rows, needs_recordings, read, short_rows

# Known, and read by nobody: what each one is, instead of a metric that it could be taken for.
UNREAD = {
    "final_reward": "reward of a token: about reward over length",
    "new_logp": "", "old_logp": "", "clipped_new_logp": "", "clipped_old_logp": "", "vocab_min_logits": "", "vocab_max_logits": "",
    "compute_logp/prox_logp_gt": "", "compute_logp/kl_div_direct": "k1 to the sampler; k3 is read",
    "compute_logp/kl_div_taylor": "k2 to the sampler; k3 is read",
    "compute_logp/linear": "approximations compared", "compute_logp/loglinear": "", "compute_logp/rollout": "",
    "sapo_soft_gate": "", "sapo_scaled_gate_pos": "", "sapo_scaled_gate_neg": "",
    "no_eos_ratios/min": "", "no_eos_ratios/max": "1 in every row", "kl_rewards/min": "", "kl_rewards/max": "",
    "correct_seq_len/min": "one of the bounds", "incorrect_seq_len/min": "",
    "approx_kl/min": "", "approx_kl/max": "", "entropy/min": "", "entropy/max": "", "actor_loss/min": "", "actor_loss/max": "",
    "clip_ratio/min": "an indicator", "clip_ratio/max": "", "dual_clip_ratio/min": "", "dual_clip_ratio/max": "",
    "behave_approx_kl/min": "", "behave_approx_kl/max": "", "compute_logp/kl_div_dual/min": "", "compute_logp/kl_div_dual/max": "",
    "n_tokens": "with padding", "update/n_tokens": "", "clipped_tokens": "", "dual_clipped_tokens": "", "num_micro_batches": "",
    "compute_logp/n_valid_tokens": "", "version_stats/n_valid_tokens": "", "version_stats/n_valid_generated_tokens": "",
    "version_stats/v_theta": "", "version_stats/v_proximal": "", "version_stats/sample_staleness_proximal_avg": "theta's less 1",
    "version_stats/sample_staleness_proximal_max": "", "version_stats/sample_staleness_proximal_min": "",
    "version_stats/sample_staleness_theta_min": "",
    "eps_clip": "a setting", "use_dual_clip": "", "c_clip": "", "mask_no_eos_with_zero": "", "rs_upper": "", "rs_lower": "",
}  # fmt: skip
UNREAD_ELSEWHERE = {"rollout/accepted", "rollout/rejected", "rollout/true_trunc"}  # 1.0 whenever they are there; the last is our driver's
READ = {key for reading in AREAL.readings for key in (*reading.keys, *reading.optional)}


def unread(name: str) -> bool:
    if name in UNREAD_ELSEWHERE:
        return True
    stem = name.removeprefix("actor/")
    return any(stem == known or stem.startswith(known + "/") for known in UNREAD)


@needs_recordings
def test_every_key_of_every_recorded_row_is_read_or_known_to_be_unread() -> None:
    logged = {key for run in RUNS for row in long_rows(run) for key in row} | {
        key for run in SHORT_RUNS for row in short_rows(run) for key in row
    }
    overlooked = [key for key in sorted(logged) if (name := AREAL.normalise(key)) is None or (name not in READ and not unread(name))]
    assert overlooked == []
    assert len(logged) > 200


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("ppo_actor/update/importance_weight/avg", "actor/importance_weight/avg"),
        ("ppo_actor/importance_weight/avg", "actor/importance_weight/avg"),
        ("grpo_actor/importance_weight/avg", "actor/importance_weight/avg"),
        ("grpo_actor/ppo_actor/update/importance_weight/avg", "actor/importance_weight/avg"),
        ("aent_ppo_actor/update/entropy/avg", "actor/entropy/avg"),
        ("my/own/scopes/ppo_actor/task_reward/avg", "actor/task_reward/avg"),
        ("ppo_actor/update/compute_logp/kl_div_dual/avg", "actor/compute_logp/kl_div_dual/avg"),
        ("ppo_actor/update/version_stats/v_theta", "actor/version_stats/v_theta"),
        ("ppo_critic/new_value/avg", "critic/new_value/avg"),
        ("ppo_critic/update/critic_loss/avg", "critic/critic_loss/avg"),
        ("rollout/reward", "rollout/reward"),
        ("eval-rollout/reward", "eval-rollout/reward"),
        ("timeperf/train_step", "timeperf/train_step"),
        ("grpo-eval/task_reward/avg", "eval/task_reward/avg"),
        ("task_reward", "flat/task_reward"),
        ("ppo/actor/task_reward", "actor/task_reward/avg"),
        ("ppo_actor/update/behave_imp_weight", "actor/behave_imp_weight/avg"),
    ],
)
def test_prefixes_of_all_versions_lead_to_one_key(key: str, name: str) -> None:
    assert AREAL.normalise(key) == name


def test_token_counts_of_the_batch_and_of_the_update_stay_apart() -> None:
    assert AREAL.normalise("ppo_actor/n_valid_tokens") == "actor/n_valid_tokens"
    assert AREAL.normalise("ppo_actor/update/n_valid_tokens") == "actor/update/n_valid_tokens"
    assert AREAL.normalise("ppo_actor/update/n_tokens") == "actor/update/n_tokens"


@pytest.mark.parametrize(
    "key",
    [
        "timing_s/reward",
        "reward",
        "actor/entropy",
        "critic/score/mean",
        "train/reward",
        "loss",
        "task_reward/avg",
        "seq_len",
        "ppo_actor",
        "",
        "a//b",
    ],
)
def test_a_key_that_is_not_areals_is_unmapped_and_never_guessed(key: str) -> None:
    assert AREAL.normalise(key) is None


def test_a_naive_match_on_reward_reads_nothing() -> None:
    assert read({"timing_s/reward": 12.0, "reward/timing": 1.0, "ppo_actor/final_reward/avg": 0.01}) == {}


def test_every_reading_gives_a_metric_that_exists() -> None:
    assert [r.metric for r in AREAL.readings if find_metric(r.metric).name != r.metric] == []


def test_every_metric_that_can_be_switched_on_exists_and_its_line_is_short() -> None:
    for name, enabling in AREAL.enables.items():
        assert find_metric(name).name == name
        assert len(enabling.shows) <= 40


def test_keys_that_vanish_without_a_fault_are_known() -> None:
    gone = ["rollout/reward", "actor/clipped_new_logp/avg", "actor/correct_seq_len/avg", "actor/behave_imp_weight/max", "timeperf/eval"]
    assert [key for key in gone if not AREAL.intermittent(key)] == []
    assert not AREAL.intermittent("actor/task_reward/avg")
    assert not AREAL.intermittent("actor/importance_weight/max")
    assert not AREAL.intermittent("timeperf/train_step")


@needs_recordings
def test_what_vanishes_in_a_healthy_recording_is_intermittent() -> None:
    for run in RUNS:
        rows = long_rows(run)
        every = set.intersection(*(set(row) for row in rows))
        vanishing = {AREAL.normalise(key) for row in rows for key in row} - {AREAL.normalise(key) for key in every}
        assert [key for key in sorted(str(k) for k in vanishing) if not AREAL.intermittent(key)] == [], run


@needs_recordings
def test_decisive_keys_are_in_every_recorded_row() -> None:
    for run in RUNS:
        assert all(AREAL.decisive & {AREAL.normalise(key) for key in row} for row in long_rows(run))
