"""Rule truncated-responses."""

from __future__ import annotations

import numpy as np
import pytest

from rl_diag_plugin.api import check
from rl_diag_plugin.authoring import Example, constant, shares
from rl_diag_plugin.knobs.sampling import GROUP_SIZE
from rl_diag_plugin.metrics.actor import N_SEQS, NO_EOS_RATIO
from rl_diag_plugin.rules.length.truncated_responses import truncated_responses as rule
from rl_diag_plugin.testing import check_rule, run_example

from ..recordings import diagnose, ended, found

# AReaL v0.2.0, examples/README.md: six steps of a run with 16,384 sequences a step, whose key counted true ends.
V02 = {
    "task_reward": (-0.29968, -0.67932, -0.62805, -0.78857, -0.61584, -0.70251),
    "avg_seq_len": (7907.90, 8203.95, 7834.63, 7773.39, 7928.51, 8002.49),
    "no_eos_ratio": (0.122803, 0.138123, 0.117615, 0.117920, 0.123535, 0.122864),
    "importance_weight": (1.0000014, 0.99999964, 0.99999923, 0.99999988, 0.99999976, 1.0000001),
    "actor_clip_ratio": (2.112e-7, 3.168e-7, 1.896e-7, 3.026e-7, 2.486e-7, 3.324e-7),
    "ppo_approx_kl": (-2.264e-5, -2.493e-5, -2.572e-5, -2.486e-5, -2.512e-5, -2.482e-5),
    "n_seqs": (16384.0,) * 6,
}


def judged(values: np.ndarray, n: float = 128, **knobs: object) -> str:
    return ended(run_example(rule, Example({NO_EOS_RATIO: values, N_SEQS: constant(n, len(values))})), rule.id)


def test_it_keeps_the_contract() -> None:
    check_rule(rule)


@pytest.mark.parametrize(("share", "severity"), [(0.03, "passed"), (0.08, "warning"), (0.13, "error"), (0.3, "critical")])
def test_the_share_decides_the_severity(share: float, severity: str) -> None:
    assert severity == judged(shares(share, 512), 512)


def test_single_rows_over_the_limit_are_noise() -> None:
    """At a true share of 2 percent and 64 samples nearly every run has a row over 5 percent."""
    values = shares(0.02, 64, n=1000)
    assert values.max() > 0.05
    assert "passed" == judged(values, 64)


def test_samples_of_one_prompt_count_for_less() -> None:
    values = shares(0.09, 64, n=12)
    alone, grouped = (run_example(rule, Example({NO_EOS_RATIO: values, N_SEQS: constant(64, 12)}, {GROUP_SIZE: size})) for size in (1, 16))
    assert ("warning", "passed") == (ended(alone, rule.id), ended(grouped, rule.id))


def test_six_records_of_the_real_v0_2_are_enough() -> None:
    rows = [{"step": i + 1, **{key: values[i] for key, values in V02.items()}} for i in range(6)]
    (report,) = check(rows, framework="areal==0.2.0", select=(rule.id,))
    finding = found(report, rule.id)
    assert ("error", True) == (finding.worst, finding.active)
    assert "12 % of the responses are cut off before they end" == finding.headline


def test_an_end_in_sight_is_said() -> None:
    values = np.concatenate([shares(0.5, 128, n=30), constant(0.0, 9)])
    report = run_example(rule, Example({NO_EOS_RATIO: values, N_SEQS: constant(128, 39)}))
    assert "Up to 53 % of the responses were cut off, 5.1 % lately" == found(report, rule.id).headline


@pytest.mark.parametrize(
    ("name", "worst", "active", "onset"),
    [("truncated_all", "critical", True, 0), ("truncated_partly", "critical", False, 0), ("length_growth", "critical", True, 36),
     ("entropy_collapse", "critical", True, 18)],
)  # fmt: skip
def test_recorded_truncation_is_proven_by_the_lengths(name: str, worst: str, active: bool, onset: int) -> None:
    finding = found(diagnose(name), rule.id)
    assert (worst, active) == (finding.worst, finding.active)
    lo, hi = finding.onset.lo, finding.onset.hi
    assert lo is not None and hi is not None and lo <= onset <= hi and hi - lo <= 20


def test_what_the_lengths_leave_open_is_said_to_be_open() -> None:
    for name in ("kl_without_reference", "lr_high"):
        assert ended(diagnose(name), rule.id).startswith("could not be judged: cannot be excluded: between")


def test_runs_in_which_all_responses_end_are_certified() -> None:
    """no_eos_ratios is over 5 percent in many of their rows: it is the share at the padded width."""
    for name in ("healthy_s0", "healthy_s1", "sync_guide", "small_batch", "minibatches_8", "dynamic_filter", "lr_0"):
        assert [(0, "certified by the lengths")] == [(p.first, p.note) for p in diagnose(name).passed if p.rule == rule.id]
