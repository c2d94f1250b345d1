"""Settings from AReaL's saved configuration, the version, what rows echo, and what settings blind."""

from __future__ import annotations

from typing import Any

import pytest

from rl_diag_plugin.frameworks import AREAL, read_knobs
from rl_diag_plugin.knobs import KNOBS, find_knob
from rl_diag_plugin.model import Version

from .areal_reading import NEWEST, RUNS, SHORT_RUNS, config_of, knobs_of, long_rows, needs_recordings, settings, short_rows

U = "ppo_actor/update/"


def value(config: dict[str, Any], knob: str, version: Version | None = NEWEST) -> Any:
    return read_knobs(AREAL, config, version).value(find_knob(knob))


@needs_recordings
def test_the_actor_section_counts_and_not_what_ref_repeats() -> None:
    config, knobs = config_of("mismatch_one_minibatch"), knobs_of("mismatch_one_minibatch")
    assert config["ref"]["ppo_n_minibatches"] == 4
    assert knobs.value(find_knob("n_minibatches")) == 1
    assert knobs.value(find_knob("decoupled_loss")) is True
    assert knobs.value(find_knob("behave_cap")) == 5.0
    assert knobs.value(find_knob("max_new_tokens")) == 24


@needs_recordings
@pytest.mark.parametrize(
    ("run", "knob", "expected"),
    [
        ("healthy_s0", "kl_coef", 0.0), ("healthy_s0", "reference_model", False), ("healthy_s0", "eval_interval", 10),
        ("healthy_s0", "eval_before_train", False), ("healthy_s0", "planned_steps", 80), ("healthy_s0", "data_ranks", 1),
        ("healthy_s0", "reward_norm", "group"), ("healthy_s0", "adv_norm", "batch"), ("healthy_s0", "reward_scale", 10.0),
        ("healthy_s0", "group_size", 8), ("healthy_s0", "train_batch_size", 16), ("healthy_s0", "off_policy_correction", "mask"),
        ("healthy_s0", "rejection", "token"), ("healthy_s0", "asynchronous", True), ("healthy_s0", "loss_type", "ppo"),
        ("healthy_s0", "checkpoint_interval", None), ("healthy_s0", "lr", 0.0005), ("healthy_s0", "clip_eps", 0.4),
        ("kl_without_reference", "kl_coef", 0.1), ("kl_without_reference", "reference_model", False),
        ("sync_guide", "max_staleness", 0), ("sync_guide", "asynchronous", False), ("sync_guide", "recompute_logprob", False),
        ("no_correction", "off_policy_correction", None), ("no_correction", "behave_cap", None),
        ("temperature_mismatch", "temperature", 1.4), ("temperature_mismatch", "learner_temperature", 1.0),
        ("truncated_all", "max_new_tokens", 2),
    ],
)  # fmt: skip
def test_settings_are_those_of_the_recorded_run(run: str, knob: str, expected: Any) -> None:
    knobs = knobs_of(run)
    assert find_knob(knob) in knobs
    assert knobs.value(find_knob(knob)) == expected


@pytest.mark.parametrize(
    ("config", "version", "cap", "correction"),
    [
        ({"actor": {"use_decoupled_loss": True, "behav_imp_weight_cap": 5.0}}, (1, 0, 0), 5.0, "mask"),
        ({"actor": {"use_decoupled_loss": True, "behav_imp_weight_cap": None}}, (0, 5, 1), None, "uncapped"),
        ({"actor": {"use_decoupled_loss": False, "behav_imp_weight_cap": 5.0}}, (1, 0, 0), 5.0, None),
        ({"ppo": {"use_decoupled_loss": True, "behav_imp_weight_cap": 5.0, "ppo_n_minibatches": 4}}, (0, 3, 0), 5.0, "mask"),
        ({"actor": {"behave_imp_weight_cap": 5.0, "behave_imp_weight_mode": "sequence_truncate"}}, (1, 0, 2), 5.0, "clamp"),
        ({"actor": {"behave_imp_weight_cap": None, "behave_imp_weight_mode": "disabled"}}, (1, 0, 3), None, None),
        ({"actor": {"rejection_sampling": {"metric": "ratio"}}}, (1, 0, 4), 5.0, "mask"),
        ({"actor": {"rejection_sampling": {"action": "clamp", "upper": 2.0}}}, (1, 0, 4), 2.0, "clamp"),
        ({"actor": {"rejection_sampling": None}}, (1, 0, 4), None, None),
    ],
)
def test_the_cap_and_the_correction_have_another_key_in_each_era(config: Any, version: Version, cap: Any, correction: Any) -> None:
    knobs = read_knobs(AREAL, config, version)
    assert find_knob("off_policy_correction") in knobs
    assert (knobs.value(find_knob("behave_cap")), knobs.value(find_knob("off_policy_correction"))) == (cap, correction)


@pytest.mark.parametrize(
    ("version", "key"),
    [((0, 3, 0), "ppo.behav_imp_weight_cap"), ((1, 0, 0), "actor.behav_imp_weight_cap"), ((1, 0, 1), "actor.behave_imp_weight_cap"),
     ((1, 0, 3), "actor.behave_imp_weight_cap"), ((1, 0, 4), "actor.rejection_sampling.upper"), (None, "actor.rejection_sampling.upper")],
)  # fmt: skip
def test_a_remedy_names_the_key_of_the_runs_own_version(version: Version | None, key: str) -> None:
    path = AREAL.path_of(find_knob("behave_cap"), version)
    assert path is not None
    assert path.path == key


@pytest.mark.parametrize(
    ("knob", "canonical", "written"),
    [("behave_cap", 5.0, "5.0"), ("decoupled_loss", True, "true"), ("dual_clip", None, "null"), ("lr", 1e-5, "1.0e-05"),
     ("lr", 1.7e-5, "1.7e-05"),
     ("n_minibatches", 1, "1"), ("asynchronous", False, "0"),
     ("off_policy_correction", "mask", "{action: mask, metric: ratio, upper: 5.0}"),
     ("adv_norm", "group", "{mean_level: group, std_level: group}"), ("loss_type", "gspo", "sequence")],
)  # fmt: skip
def test_values_are_written_as_the_configuration_writes_them(knob: str, canonical: Any, written: str) -> None:
    path = AREAL.path_of(find_knob(knob), NEWEST)
    assert path is not None
    assert path.write is not None
    assert path.write(canonical) == written


@pytest.mark.parametrize(
    ("config", "ranks"),
    [
        ({"actor": {"backend": "fsdp:d4p1t1"}}, 4),
        ({"actor": {"backend": "megatron:(attn:d4p2t2c2|ffn:d2p2t4e2)"}}, 4),
        ({"actor": {"backend": "fsdp:t4"}}, 1),
        ({"allocation_mode": "sglang.d4p1t1+d8p1t1"}, 8),
        ({"allocation_mode": "sglang:d4t2+fsdp:d2"}, 2),
        ({"allocation_mode": "d4t2"}, 4),
        ({"allocation_mode": "sglang[r]:d2+fsdp[a]:d4+fsdp[c]:d4"}, None),
        ({"allocation_mode": "sglang[r]:d2+fsdp[a]:d4|fsdp[c]:d2"}, None),
        ({"allocation_mode": ""}, None),
        ({"allocation_mode": "sglang:d8"}, None),
    ],
)
def test_data_parallel_ranks_are_read_where_they_are_unambiguous(config: Any, ranks: int | None) -> None:
    assert value(config, "data_ranks") == ranks


@pytest.mark.parametrize(
    ("config", "keys", "version"),
    [
        ({"version_info": {"version": "0.5.3"}, "actor": {"behav_imp_weight_cap": 5.0}}, (), (0, 5, 3)),
        ({"version_info": {"version": "1.0.0.post1"}, "actor": {"behave_imp_weight_cap": 5.0}}, (), (1, 0, 1)),
        ({"actor": {"rejection_sampling": None}}, (), (1, 0, 4)),
        ({"actor": {"behave_imp_weight_cap": 5.0}}, (), (1, 0, 3)),
        ({"actor": {"behav_imp_weight_cap": 5.0}}, (), (1, 0, 0)),
        ({"actor": {"behav_imp_weight_cap": 5.0, "dynamic_sampling": False}}, (), (0, 5, 1)),
        ({"actor": {"behav_imp_weight_cap": 5.0}, "async_training": True}, (), (0, 3, 4)),
        ({"ppo": {"ppo_n_minibatches": 4}}, (), (0, 3, 0)),
        ({}, ("ppo_actor/rs_upper",), (1, 0, 4)),
        ({}, ("ppo_actor/behave_imp_weight_cap", "ppo_actor/update/compute_logp/kl_div_dual/avg"), (1, 0, 3)),
        ({}, ("ppo_actor/behave_imp_weight_cap",), (1, 0, 1)),
        ({}, ("ppo_actor/importance_weight/avg", "timeperf/e2e"), (0, 3, 0)),
        ({}, ("grpo_actor/importance_weight/avg",), (0, 3, 1)),
        ({}, ("ppo_approx_kl", "actor_clip_ratio"), (0, 2, 0)),
        ({}, ("ppo_actor/update/importance_weight/avg",), None),
        ({}, ("ppo_actor/update/importance_weight/avg", "ppo_actor/update/vocab_max_logits/avg", "ppo_actor/use_dual_clip"), (0, 4, 1)),
        ({}, ("ppo_actor/update/importance_weight/avg", "ppo_actor/behav_imp_weight_cap", "rollout/accepted"), (0, 5, 2)),
        ({}, ("rollout/reward",), None),
    ],
)
def test_the_version_is_said_by_the_configuration_or_by_the_keys(config: Any, keys: tuple[str, ...], version: Version | None) -> None:
    assert AREAL.version_of(config, frozenset(keys)) == version


@needs_recordings
def test_every_recording_is_recognised_as_104() -> None:
    for run in RUNS:
        assert AREAL.recognise_config(config_of(run))
        assert AREAL.version_of(config_of(run), frozenset()) == NEWEST
        assert AREAL.version_of({}, frozenset(long_rows(run)[0])) == NEWEST
    for run in SHORT_RUNS:
        assert AREAL.version_of({}, frozenset(short_rows(run)[0])) == NEWEST


def test_other_trainers_configurations_are_not_recognised() -> None:
    assert not AREAL.recognise_config({"actor": {"ppo_mini_batch_size": 4}, "algorithm": {}})
    assert not AREAL.recognise_config({"gconfig": {}, "actor": {"lr": 1}})
    assert AREAL.recognise_config({"gconfig": {"n_samples": 4}, "actor": {"ppo_n_minibatches": 1}})


@needs_recordings
def test_rows_echo_the_settings_that_the_configuration_has() -> None:
    for run in RUNS:
        echoed, saved = AREAL.infer(long_rows(run)[0]), knobs_of(run)
        differs = [knob.name for knob, entry in echoed.items() if knob in saved and saved.value(knob) != entry.value]
        assert differs == []
        assert all(entry.source == "log" for entry in echoed.values())


def test_single_precision_is_taken_off_an_echo() -> None:
    found = AREAL.infer({"ppo_actor/eps_clip": 0.4000000059604645, "ppo_actor/rs_upper": 1.0499999523162842, "ppo_actor/rs_lower": 0.0})
    assert {knob.name: entry.value for knob, entry in found.items()} == {
        "clip_eps": 0.4, "behave_cap": 1.05, "behave_floor": 0.0, "off_policy_correction": "clamp",
    }  # fmt: skip


def test_a_rejected_rollout_shows_the_filter() -> None:
    assert AREAL.infer({"rollout/rejected": 1.0})[find_knob("dynamic_filter")].value is True
    assert AREAL.infer({"rollout/accepted": 1.0}) == {}


@pytest.mark.parametrize(
    ("version", "words"),
    [((0, 3, 4), "should_accept="), ((0, 4, 1), "should_accept_fn="), ((0, 5, 0), "dynamic_filter_fn="), (None, "dynamic_filter_fn=")],
)
def test_the_dynamic_filter_is_code_with_a_name_for_each_era(version: Version | None, words: str) -> None:
    code = AREAL.code_of(find_knob("dynamic_filter"), version)
    assert code is not None
    assert words in code.text
    assert not code.none


def test_determinism_has_a_key_since_v040() -> None:
    path, code = AREAL.path_of(find_knob("deterministic"), NEWEST), AREAL.code_of(find_knob("deterministic"), (0, 3, 4))
    assert path is not None
    assert path.path == "actor.megatron.use_deterministic_algorithms"
    assert AREAL.path_of(find_knob("deterministic"), (0, 3, 4)) is None
    assert code is not None
    assert code.none


def test_an_overwritten_sampler_blinds_every_gauge_of_it() -> None:
    seen = AREAL.blind(settings(decoupled_loss=False, recompute_logprob=True, n_minibatches=1), NEWEST)
    for name in (
        "importance_weight",
        "importance_weight/min",
        "importance_weight/max",
        "approx_kl",
        "clip_ratio",
        "behave_kl",
        "policy_behave_kl",
    ):
        assert "use_decoupled_loss=false" in seen[U + name]
    assert U + "staleness" not in seen


@needs_recordings
def test_what_is_called_blind_did_not_move_in_the_recording() -> None:
    for row in long_rows("recompute_coupled"):
        assert row[U + "importance_weight/avg"] == 1.0
        assert row[U + "approx_kl/avg"] == row[U + "compute_logp/kl_div_dual/avg"] == 0.0


def test_several_minibatches_still_show_their_own_update() -> None:
    seen = AREAL.blind(settings(decoupled_loss=False, recompute_logprob=True, n_minibatches=4), NEWEST)
    assert U + "importance_weight" not in seen
    assert "own update" in seen[U + "policy_behave_kl"]


def test_one_minibatch_cannot_clip_but_its_ratio_still_shows_nondeterminism() -> None:
    seen = AREAL.blind(settings(decoupled_loss=True, recompute_logprob=True, n_minibatches=1, prox_logp="recompute"), NEWEST)
    assert set(seen) == {U + "clip_ratio", U + "dual_clip_ratio", U + "approx_kl"}
    assert AREAL.blind(settings(decoupled_loss=True, n_minibatches=1, prox_logp="loglinear"), NEWEST) == {}


def test_a_correction_that_is_off_logs_no_behave_keys() -> None:
    seen = AREAL.blind(settings(decoupled_loss=True, n_minibatches=2, off_policy_correction=None), NEWEST)
    assert "not logged" in seen[U + "behave_imp_weight"]
    assert AREAL.blind(settings(), NEWEST) == {}


def test_every_setting_that_areal_has_no_key_for_is_left_out_on_purpose() -> None:
    covered = set(AREAL.knob_paths) | set(AREAL.code_knobs)
    assert {name for name, knob in KNOBS.items() if knob not in covered} == {
        "num_envs", "mini_batch_size", "moe", "adv_estimator", "logging_interval", "stats_window",
    }  # fmt: skip
