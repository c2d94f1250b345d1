"""Three to six rows of sixteen sequences: they prove readings, caveats, identities and rules on the configuration."""

from __future__ import annotations

import pytest

from rl_diag_plugin.knobs import Knob
from rl_diag_plugin.knobs.offpolicy import DECOUPLED_LOSS, RECOMPUTE_LOGPROB
from rl_diag_plugin.knobs.optimizer import N_MINIBATCHES
from rl_diag_plugin.knobs.sampling import MAX_NEW_TOKENS
from rl_diag_plugin.model import Report

from ..rules.recordings import SHORT, diagnose_short, ended, found

LIMIT = {"k_mn4": 4, "k_mn150": 150}


def report(name: str, *settings: tuple[Knob, object]) -> Report:
    return diagnose_short(name, (MAX_NEW_TOKENS, LIMIT.get(name, 24)), *settings)


def bounds(of: Report, kind: str) -> list[float | None]:
    run = next(r for r in of.readings if r.metric == f"ppo_actor/no_eos_ratio/{kind}")
    assert f"{kind}-bound" == run.measures
    return [run.last]


@pytest.mark.parametrize("name", sorted(path.name.removesuffix(".jsonl.gz") for path in SHORT.glob("k_*")))
def test_every_configuration_is_recognised_and_no_rule_fails(name: str) -> None:
    got = report(name)
    assert "AReaL 1.0.4" == got.trainer
    assert [] == [s.reason for s in got.skipped if "rule failed" in s.reason]
    assert [] == [(f.rule, f.severity) for f in got.findings if f.severity not in ("info", "note")]


def test_all_cut_off_is_never_passed() -> None:
    got = report("k_mn4")
    assert "cannot be excluded" in ended(got, "truncated-responses")
    assert "cannot-tell" == got.verdict
    assert (bounds(got, "upper")[0] or 0) > 0.9


def test_one_of_sixteen_cut_off_in_the_first_row_only_is_certified_after_it() -> None:
    assert [0.0] == bounds(report("k_mn150"), "upper")
    assert "passed" != ended(report("k_mn150"), "truncated-responses")


def test_the_importance_weight_reads_one_when_it_is_not_diluted_by_rejected_tokens() -> None:
    (weight,) = [r for r in report("k_tightrs").readings if r.metric == "ppo_actor/update/importance_weight"]
    assert weight.last is not None
    assert abs(weight.last - 1) < 1e-3


def test_a_coupled_loss_on_recomputed_scores_hides_off_policyness_and_says_so() -> None:
    got = report("k_recomp", (DECOUPLED_LOSS, False), (RECOMPUTE_LOGPROB, True), (N_MINIBATCHES, 1))
    finding = found(got, "off-policyness-unobservable")
    said = " ".join([finding.headline, finding.measured, *(e.text for e in finding.evidence), *(e.key or "" for e in finding.evidence)])
    for key in ("importance_weight", "approx_kl", "kl_div", "sample_staleness_theta"):
        assert key in said


def test_a_decoupled_loss_without_rejection_sampling_has_no_correction() -> None:
    finding = found(report("k_nors", (DECOUPLED_LOSS, True)), "decoupled-loss-without-correction")
    assert ("error", "config") == (finding.severity, finding.onset.method)
    assert any("rejection_sampling" in (r.key or r.text) for r in finding.remedies)


def test_the_synchronous_recipe_has_no_identity_of_the_importance_weight() -> None:
    got = report("k_sync_seed", (DECOUPLED_LOSS, False), (RECOMPUTE_LOGPROB, False), (N_MINIBATCHES, 1))
    assert ended(got, "importance-weight-not-one").startswith("not applicable")


def test_too_early_is_said_with_the_rows_that_are_missing() -> None:
    waiting = [s for s in report("k_mb1").skipped if s.rows_needed]
    assert waiting and all("more rows" in s.reason for s in waiting)
