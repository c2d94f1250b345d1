"""Rule rows-stopped."""

from __future__ import annotations

import numpy as np

from rl_diag_plugin.diagnosis import Diagnosis
from rl_diag_plugin.model import Chunk, Column
from rl_diag_plugin.registry import find_rule
from rl_diag_plugin.testing import check_rule

RULE = find_rule("rows-stopped")


def run(gap: float, now: float | None, rows: int = 30) -> Diagnosis:
    diagnosis = Diagnosis([RULE], framework="canonical")
    walls = gap * np.arange(rows, dtype=float)
    diagnosis.push(Chunk(np.arange(rows), {"rollout/reward": Column(None, np.full(rows, 0.5))}, walls))
    diagnosis.close()
    if now is not None:
        diagnosis.tick(float(walls[-1]) + now)
    return diagnosis


def test_it_keeps_the_contract() -> None:
    check_rule(RULE)


def test_half_an_hour_without_a_row_is_critical_where_rows_come_every_minute() -> None:
    (finding,) = run(60.0, 1801.0).report().findings
    assert ("critical", "No row for 30 minutes") == (finding.severity, finding.headline)


def test_slow_rows_are_given_five_times_their_usual_distance() -> None:
    assert () == run(1200.0, 5900.0).report().findings
    assert 1 == len(run(1200.0, 6100.0).report().findings)


def test_a_finished_log_is_never_called_stalled() -> None:
    report = run(60.0, None).report()
    assert ["rows-stopped"] == [n.rule for n in report.not_applicable]
