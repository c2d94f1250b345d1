"""Thirty runs of AReaL 1.0.4 with known faults: each fault is named and dated, or its blindness is; healthy runs are left alone."""

from __future__ import annotations

import pytest

from rl_diag_plugin.model import Report, rank

from ..rules.recordings import LONG, diagnose, ended, found

# run: rule, least severity, the steps of which one must lie in lo … hi: the fault's onset, or the row where the keys first show it
NAMED = {
    "stale_16": ("stale-rollouts", "warning", (1,)),
    "weights_stuck_40": ("rollout-training-mismatch", "critical", (41, 44, 45)),
    "mismatch_40": ("rollout-training-mismatch", "critical", (40,)),
    "mismatch_one_minibatch": ("rollout-training-mismatch", "critical", (0,)),
    "mismatch_sync": ("rollout-training-mismatch", "critical", (0,)),
    "temperature_mismatch": ("rollout-training-mismatch", "error", (0,)),
    "nondeterministic": ("importance-weight-not-one", "warning", (0,)),
    "no_correction": ("decoupled-loss-without-correction", "error", ()),
    "recompute_coupled": ("off-policyness-unobservable", "warning", ()),
    "truncated_all": ("truncated-responses", "critical", (0,)),
    "truncated_partly": ("truncated-responses", "critical", (0,)),
    "length_growth": ("length-growth", "warning", (0, 1, 2)),
    "lr_high": ("update-too-large", "error", (0,)),
    "lr_x20": ("update-too-large", "warning", (0,)),
    "lr_0": ("learning-rate-zero", "error", (0,)),
    "constant_reward": ("reward-constant", "error", (0,)),
    "verifier_breaks_40": ("reward-constant", "error", (40, 42)),
    "all_wrong": ("reward-constant", "error", (0,)),
    "entropy_collapse": ("entropy-collapse", "warning", (0, 10)),
    "nan_gradient_40": ("non-finite-metric", "error", (40,)),
    "kl_without_reference": ("kl-penalty-positive", "error", (0,)),
    "small_batch": ("task-reward-variance", "warning", (0,)),
    "wrong_key": ("train-eval-divergence", "error", (0, 19, 29)),
    "overfit": ("train-eval-divergence", "error", (0, 9, 19)),
}
CONTROLS = ("healthy_s0", "healthy_s1", "sync_guide", "one_minibatch", "dynamic_filter", "minibatches_8")


def test_every_recording_is_either_a_control_or_has_a_fault_to_be_named() -> None:
    assert sorted([*NAMED, *CONTROLS]) == sorted(path.name for path in LONG.iterdir())


@pytest.mark.parametrize("run", NAMED)
def test_the_fault_is_named_at_its_severity_and_dated(run: str) -> None:
    rule, severity, steps = NAMED[run]
    finding = found(diagnose(run), rule)
    assert rank(finding.worst) >= rank(severity)  # type: ignore[arg-type]
    if not steps:
        assert finding.config
        return
    assert finding.onset.lo is not None and finding.onset.hi is not None
    assert any(finding.onset.lo <= step <= finding.onset.hi for step in steps), finding.onset


@pytest.mark.parametrize("run", CONTROLS)
def test_a_healthy_run_gets_nothing_above_info_and_is_called_healthy(run: str) -> None:
    report = diagnose(run)
    assert [] == [(f.rule, f.worst) for f in report.findings if rank(f.worst) > rank("info")]
    assert "healthy" == report.verdict


def reports() -> list[Report]:
    return [diagnose(path.name) for path in sorted(LONG.iterdir())]


def test_no_onset_is_wider_than_twenty_rows() -> None:
    wide = [
        (r.run, f.rule, f.onset) for r in reports() for f in r.findings if f.onset.lo is not None and (f.onset.hi or 0) - f.onset.lo > 20
    ]
    assert [] == wide


def test_no_rule_fails_and_every_rule_has_an_outcome() -> None:
    for report in reports():
        assert [] == [s.reason for s in report.skipped if "rule failed" in s.reason], report.run
        outcomes = [f.rule for f in report.findings] + [p.rule for p in report.passed] + [n.rule for n in report.not_applicable]
        outcomes += [rule for s in report.skipped for rule in s.rules]
        assert sorted(outcomes) == sorted(set(outcomes))
        assert 34 <= len(outcomes)


def test_every_key_is_read_or_listed_as_unmapped() -> None:
    for report in reports():
        assert "AReaL 1.0.4" == report.trainer
        assert 30 < len(report.readings)
        assert "ppo_actor/task_reward/avg" not in report.unmapped


def test_one_root_stands_for_a_dead_verifier() -> None:
    report = diagnose("verifier_breaks_40")
    roots = [f for f in report.findings if f.symptom_of is None]
    assert ["reward-constant"] == [f.rule for f in roots if rank(f.worst) > rank("info")]
    assert {"reward-collapse", "zero-gradient-steps", "zero-variance-groups"} <= set(roots[0].follows)
    assert ("critical", "error") == (roots[0].severity, roots[0].own)


def test_padded_width_is_never_taken_for_truncation() -> None:
    for run in (*CONTROLS, "lr_0", "small_batch", "constant_reward", "nan_gradient_40", "wrong_key"):
        assert "passed" == ended(diagnose(run), "truncated-responses"), run


def test_the_flat_task_reward_under_a_dynamic_filter_is_explained() -> None:
    report = diagnose("dynamic_filter")
    assert "easy groups dropped" in found(report, "filtered-reward-gap").headline
    assert "passed" == ended(report, "reward-not-increasing")


def test_what_the_configuration_hides_is_named_with_what_still_tells() -> None:
    report = diagnose("recompute_coupled")
    finding = found(report, "off-policyness-unobservable")
    said = " ".join([finding.headline, finding.measured, *(f"{e.key} {e.text}" for e in finding.evidence)])
    assert "8 versions" in said and "sample_staleness_theta" in said
    assert ended(report, "rollout-training-mismatch").startswith("could not be judged")


def test_remedies_are_said_in_the_runs_own_keys_with_present_and_new_value() -> None:
    remedies = {r.key: (r.old, r.new) for r in found(diagnose("lr_high"), "update-too-large").remedies}
    assert ("0.1", "0.01") == remedies["actor.optimizer.lr"]
    truncated = found(diagnose("truncated_all"), "truncated-responses").remedies
    assert ("gconfig.max_new_tokens", "2", "4") == (truncated[0].key, truncated[0].old, truncated[0].new)


def test_a_reference_section_is_no_proof_of_a_reference() -> None:
    config = diagnose("healthy_s0").config
    assert (2, 0.0) == (config["n_minibatches"]["value"], config["kl_coef"]["value"])
    assert not config.get("reference_model", {"value": False})["value"]


def test_every_sentence_keeps_to_its_length() -> None:
    for report in reports():
        assert [] == [f.headline for f in report.findings if len(f.headline) > 66], report.run
        assert [] == [s.enable.shows for s in report.skipped if s.enable is not None and len(s.enable.shows) > 40]
        assert [] == [text for f in report.findings if f.next for pair in f.next.predict for text in pair if len(text) > 70]
