"""Six consecutive records of AReaL 0.2 on sixteen nodes, as its own documentation prints them (v0.2.0, examples/README.md)."""

from __future__ import annotations

from rl_diag_plugin import check

from ..rules.recordings import ended, found

ROWS = (
    (-0.29968, 7907.90, 0.122803, 1.0000014, 2.112e-7, -2.264e-5),
    (-0.67932, 8203.95, 0.138123, 0.99999964, 3.168e-7, -2.493e-5),
    (-0.62805, 7834.63, 0.117615, 0.99999923, 1.896e-7, -2.572e-5),
    (-0.78857, 7773.39, 0.117920, 0.99999988, 3.026e-7, -2.486e-5),
    (-0.61584, 7928.51, 0.123535, 0.99999976, 1.951e-7, -2.516e-5),
    (-0.70251, 8002.49, 0.122864, 1.0000001, 3.324e-7, -2.482e-5),
)
KEYS = ("task_reward", "avg_seq_len", "no_eos_ratio", "importance_weight", "actor_clip_ratio", "ppo_approx_kl")


def test_twelve_percent_cut_off_are_found_in_six_rows_and_the_importance_weight_is_fine() -> None:
    rows = [{"step": i + 1, "n_seqs": 16384.0, **dict(zip(KEYS, row, strict=True))} for i, row in enumerate(ROWS)]
    (report,) = check(rows, framework="areal==0.2.0")
    finding = found(report, "truncated-responses")
    assert ("error", 1) == (finding.severity, finding.onset.step)
    assert "12 %" in finding.headline
    assert not [f for f in report.findings if f.rule.startswith("importance-weight")]
    assert "impossible" not in str([f.rule for f in report.findings])


def test_the_version_is_seen_without_being_told() -> None:
    rows = [{"step": i + 1, "n_seqs": 16384.0, "n_tokens": 1.3e8, **dict(zip(KEYS, row, strict=True))} for i, row in enumerate(ROWS)]
    (report,) = check(rows)
    assert "areal" == report.framework
    assert "error" == ended(report, "truncated-responses")
