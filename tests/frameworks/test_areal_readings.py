"""What the keys measure: one test a trap, with recorded or literal numbers."""

from __future__ import annotations

import math

import pytest

from rl_diag_plugin.frameworks import AREAL

from .areal_reading import RUNS, how, knobs_of, long_rows, needs_recordings, read, settings, short_rows, truth_of

U = "ppo_actor/update/"
W, MASKED = "ppo_actor/update/importance_weight", "ppo_actor/update/behave_masked_ratio"
REJECTED_ROW = {
    U + "importance_weight/avg": 0.8066465258598328,
    U + "importance_weight/min": 0.0,
    U + "importance_weight/max": 1.0,
    U + "n_valid_tokens": 331.0,
    U + "unclipped_behave_tokens": 267.0,
    U + "rs_filtered_fraction": 0.19335347414016724,
}


def test_rejected_tokens_do_not_deflate_the_importance_weight() -> None:
    assert read(REJECTED_ROW)[W] == pytest.approx(1.0, abs=1e-6)


def test_before_104_the_importance_weight_was_not_deflated_and_stays() -> None:
    row = {key: value for key, value in REJECTED_ROW.items() if "rs_" not in key}
    assert read(row, version=(1, 0, 3))[W] == 0.8066465258598328


def test_without_rejection_keys_the_importance_weight_stands_as_it_is() -> None:
    assert read({U + "importance_weight/avg": 1.0024})[W] == 1.0024


def test_the_zero_of_a_rejected_token_is_no_smallest_ratio() -> None:
    assert W + "/min" not in read(REJECTED_ROW)
    assert read({**REJECTED_ROW, U + "unclipped_behave_tokens": 331.0})[W + "/min"] == 0.0
    assert read({**REJECTED_ROW, U + "importance_weight/min": 0.58})[W + "/min"] == 0.58


def test_a_row_with_every_token_rejected_has_no_importance_weight() -> None:
    row = {**REJECTED_ROW, U + "importance_weight/avg": 0.0, U + "unclipped_behave_tokens": 0.0}
    assert W not in read(row)


@needs_recordings
@pytest.mark.parametrize("run", ["k_tightrs", "k_clamp"])
def test_tight_rejection_and_clamping_both_read_a_ratio_of_one(run: str) -> None:
    for row in short_rows(run):
        assert read(row)[W] == pytest.approx(1.0, abs=1e-3)


@needs_recordings
def test_clamped_tokens_are_over_the_cap_and_not_rejected() -> None:
    row = short_rows("k_clamp")[1]
    got = read(row, settings(off_policy_correction="clamp"))
    assert got[MASKED] == 0.0
    assert got[U + "behave_over_cap_ratio"] == pytest.approx(0.19335, abs=1e-5)


@needs_recordings
@pytest.mark.parametrize("run", RUNS)
def test_importance_weight_is_the_mean_over_kept_tokens(run: str) -> None:
    for row, truth in zip(long_rows(run), truth_of(run), strict=True):
        true = truth["importance_kept_mean" if U + "unclipped_behave_tokens" in row else "importance_mean"]
        if run.endswith("_sync"):  # not recomputed: the ratio is to the sampler
            true = truth["current_over_sampler_mean"]
        if run != "nondeterministic":  # its noise is in the logged ratio and not in the weights'
            assert read(row, knobs_of(run))[W] == pytest.approx(true, rel=2e-3)


@needs_recordings
@pytest.mark.parametrize("run", RUNS)
def test_rewards_lengths_and_norms_equal_the_measured_truth(run: str) -> None:
    for row, truth in zip(long_rows(run), truth_of(run), strict=True):
        got = read(row, knobs_of(run))
        assert got["ppo_actor/task_reward"] == pytest.approx(truth["reward_mean"], rel=1e-4, abs=1e-5)
        assert got["rollout/response_len"] == pytest.approx(truth["mean_completion"], rel=1e-4)
        assert got["ppo_actor/seq_len"] == pytest.approx(truth["mean_sequence"], rel=1e-4)
        assert got["ppo_actor/n_valid_tokens"] == truth["valid_tokens"]
        assert got["ppo_actor/n_seqs"] == truth["n"]


def test_the_rejected_share_counts_tokens_and_not_minibatches() -> None:
    assert read(REJECTED_ROW)[MASKED] == pytest.approx(1 - 267 / 331)
    assert read({U + "rs_filtered_fraction": 0.02})[MASKED] == 0.02
    assert MASKED not in read({U + "rs_filtered_fraction": 0.02}, settings(off_policy_correction="clamp"))


def test_the_behave_weight_is_a_mean_over_kept_tokens_and_says_so() -> None:
    measures, caveat = how(U + "behave_imp_weight")
    assert measures == "post-cap"
    assert "kept tokens" in caveat
    assert how(U + "behave_imp_weight", settings(behave_cap=None), (1, 0, 0))[0] == "exact"


def test_signs_are_taken_off_the_size_of_an_update() -> None:
    got = read({U + "approx_kl/avg": -1.7, U + "behave_approx_kl/avg": -0.08})
    assert (got[U + "approx_kl"], got[U + "behave_approx_kl"]) == (1.7, 0.08)


def test_the_kl_to_the_sampler_holds_the_own_update_with_several_minibatches() -> None:
    row = {U + "compute_logp/kl_div_dual/avg": 0.03}
    assert U + "behave_kl" not in read(row, settings(n_minibatches=2))
    assert U + "behave_kl" not in read(row)
    assert read(row, settings(n_minibatches=1))[U + "behave_kl"] == 0.03
    assert read(row, settings(n_minibatches=2, off_policy_correction=None))[U + "behave_kl"] == 0.03
    assert read(row, settings(n_minibatches=2))[U + "policy_behave_kl"] == 0.03


def test_counts_above_zero_are_called_rewarded_and_not_right() -> None:
    row = {"ppo_actor/correct_n_seqs": 128.0, "ppo_actor/n_seqs": 128.0, "ppo_actor/task_reward/avg": 0.4}
    assert read(row)["ppo_actor/correct_ratio"] == 1.0
    assert "above 0" in how("ppo_actor/correct_ratio")[1]


def test_smallest_and_largest_reward_are_those_of_the_trained_batch() -> None:
    got = read({"ppo_actor/task_reward/min": 0.0, "ppo_actor/task_reward/max": 1.0})
    assert got == {"ppo_actor/task_reward/min": 0.0, "ppo_actor/task_reward/max": 1.0, "rollout/zero_variance_ratio/lower": 0.0}


def test_a_batch_of_equal_rewards_proves_that_no_group_has_spread_and_another_proves_nothing() -> None:
    got = read({"ppo_actor/task_reward/min": 1.0, "ppo_actor/task_reward/max": 1.0})
    assert got["rollout/zero_variance_ratio/lower"] == 1.0


def test_accepted_and_rejected_are_no_rates() -> None:
    assert read({"rollout/accepted": 1.0, "rollout/rejected": 1.0}) == {}


def test_staleness_is_what_the_sampler_claims() -> None:
    got = read({U + "version_stats/sample_staleness_theta_avg": 1.0, U + "version_stats/sample_staleness_theta_max": 2.0})
    assert (got[U + "staleness"], got[U + "staleness/max"]) == (1.0, 2.0)
    assert "claims" in how(U + "staleness")[1]


def test_kl_rewards_become_a_kl_only_where_there_is_a_reference() -> None:
    row = {"ppo_actor/kl_rewards/avg": -0.002}
    assert read(row, settings(kl_coef=0.1, reference_model=True))["ppo_actor/ref_kl"] == pytest.approx(0.02)
    assert "ppo_actor/ref_kl" not in read(row, settings(kl_coef=0.1, reference_model=False))
    assert read(row)["ppo_actor/kl_rewards"] == -0.002


def test_the_whole_step_is_at_least_the_sum_of_its_timed_parts() -> None:
    assert read({"timeperf/rollout": 2.0, "timeperf/train_step": 3.0, "timeperf/update_weights": 0.5})["timeperf/step"] == 5.5
    assert read({"timeperf/e2e": 9.0})["timeperf/step"] == 9.0


def test_gspo_loglinear_and_the_synchronous_recipe_say_what_their_ratio_is() -> None:
    assert "sequence" in how(W, settings(loss_type="gspo"))[1]
    assert "interpolated" in how(W, settings(decoupled_loss=True, prox_logp="loglinear"))[1]
    assert "sampler" in how(W, settings(decoupled_loss=False, recompute_logprob=False))[1]


def test_a_minibatch_of_the_lite_versions_is_not_taken_for_the_batch() -> None:
    row = {"grpo_actor/n_valid_tokens": 400.0, "grpo_actor/unclipped_behave_tokens": 300.0, "grpo_actor/importance_weight/avg": 0.9}
    got = read(row, version=(0, 3, 4))
    assert got[MASKED] == 0.25
    assert got[W] == 0.9
    assert "ppo_actor/n_valid_tokens" not in got


def test_the_six_published_rows_of_v020_are_read_exactly() -> None:
    # v0.2.0 examples/README.md:276-281: a run on 16 nodes.
    published = [
        (-0.29968, 7907.90, 0.122803, 1.0000014, 2.112e-7, -2.264e-5),
        (-0.67932, 8203.95, 0.138123, 0.99999964, 3.168e-7, -2.493e-5),
        (-0.62805, 7834.63, 0.117615, 0.99999923, 1.896e-7, -2.572e-5),
        (-0.78857, 7773.39, 0.117920, 0.99999988, 3.026e-7, -2.486e-5),
        (-0.61584, 7928.51, 0.123535, 0.99999976, 1.951e-7, -2.516e-5),
        (-0.70251, 8002.49, 0.122864, 1.0000001, 3.324e-7, -2.482e-5),
    ]
    for reward, length, cut_off, weight, clipped, kl in published:
        row = {
            "task_reward": reward, "avg_seq_len": length, "no_eos_ratio": cut_off, "importance_weight": weight,
            "actor_clip_ratio": clipped, "ppo_approx_kl": kl, "avg_prompt_len": 108.0,
        }  # fmt: skip
        version = AREAL.version_of({}, frozenset(row))
        assert version == (0, 2, 0)
        assert read(row, version=version) == {
            "ppo_actor/task_reward": reward, "ppo_actor/seq_len": length, "ppo_actor/prompt_len": 108.0,
            "rollout/response_len": length - 108.0, "ppo_actor/no_eos_ratio": cut_off, W: weight,
            U + "clip_ratio": clipped, U + "approx_kl": -kl,
        }  # fmt: skip


def test_not_a_number_is_handed_on_and_not_hidden() -> None:
    assert math.isnan(read({U + "grad_norm": math.nan})[U + "grad_norm"])
