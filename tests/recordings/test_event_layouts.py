"""Event files whose cells come in unusual orders: no resume is declared where no key goes back."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rl_diag_plugin import load_rules
from rl_diag_plugin.api import Options, examine
from rl_diag_plugin.diagnosis import Diagnosis
from rl_diag_plugin.model import Chunk, Column, Report

from ..rules.recordings import FIXTURES, LONG


def only(path: Path) -> Report:
    (report,) = examine([str(path)], Options()).reports
    return report


def test_twins_whose_steps_are_seconds_declare_no_resume() -> None:
    report = only(FIXTURES / "rsl_rl_5.5.1" / "healthy_s0")
    assert [] == [e for e in report.events if e.kind == "resume"]
    assert (150, (0, 149)) == (report.rows, report.steps)


def test_a_run_that_began_again_at_step_0_declares_it() -> None:
    report = only(FIXTURES / "rsl_rl_5.5.1" / "resumed_from_0")
    assert "resume" in [e.kind for e in report.events]


def test_a_run_written_tag_by_tag_gives_the_same_findings_and_no_resume() -> None:
    (rows,) = examine([str(LONG / "verifier_breaks_40")], Options(select=["reward-collapse"])).reports
    run = Diagnosis(load_rules(), framework="areal")
    trace = rows.traces["rollout/reward"]
    steps, values = np.array(trace.steps), np.array(trace.mean, float)
    for key in ("rollout/reward", "ppo_actor/task_reward/avg", "ppo_actor/task_reward/min", "ppo_actor/task_reward/max"):
        run.push(Chunk(steps, {key: Column(None, values)}, None, "events"))
    run.close()
    report = run.report()
    assert [] == [e for e in report.events if e.kind == "resume"]
    (finding,) = [f for f in report.findings if f.rule == "reward-collapse"]
    assert finding.onset.lo is not None and finding.onset.hi is not None
    assert finding.onset.lo <= 40 <= finding.onset.hi
