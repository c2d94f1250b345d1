"""One engine: any cutting, any time of asking and any saved state give the same report."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rl_diag_plugin.diagnosis import Diagnosis
from rl_diag_plugin.metrics import METRICS
from rl_diag_plugin.model import Chunk, Column, Config, Event
from rl_diag_plugin.registry import load_rules

KEYS = [name for name in METRICS if not name.startswith("timeperf")]


def series(seed: int, n: int) -> dict[str, np.ndarray]:
    """Every metric, with shifts, spikes, ramps, constants and values that are not finite; NaN in ``holes`` means no cell."""
    rng = np.random.default_rng(seed)
    out = {}
    for name in KEYS:
        metric = METRICS[name]
        x = rng.random() + 0.2 * rng.standard_normal(n)
        a, b = sorted(rng.integers(0, n, 2))
        kind = rng.integers(0, 6)
        x[a:b] = (x[a:b] + 3, x[a:b] * 20, x[a:b] + np.linspace(0, 2, b - a), x[a], 0.0, 1.0)[kind]
        x = np.clip(x, max(metric.lo, -5), min(metric.hi, 50))
        x[rng.random(n) < 0.003] = rng.choice([np.nan, np.inf])
        out[name] = x
    return out


def chunks(values: dict[str, np.ndarray], seed: int, ends: Sequence[int], back: tuple[int, int] = (0, 0)) -> list[Chunk]:
    """The same cells for the same seed, cut at ``ends``; one metric in five is logged in some rows only.

    ``back``: at this row the steps go back by so many.
    """
    rng = np.random.default_rng(seed)
    there = {k: rng.random(len(v)) < (0.4 if i % 5 == 0 else 1.0) for i, (k, v) in enumerate(values.items())}
    out, start = [], 0
    for end in ends:
        columns = {}
        for key, x in values.items():
            rows = np.flatnonzero(there[key][start:end])
            if len(rows):
                columns[key] = Column(None if len(rows) == end - start else rows, x[start:end][rows])
        rows = np.arange(start, end)
        out.append(Chunk(np.where(rows >= back[0], rows - back[1], rows), columns))
        start = end
    return out


def diagnosis(**more: Any) -> Diagnosis:
    return Diagnosis(load_rules(), framework="canonical", **more)


def reported(parts: Sequence[Chunk], *, save: bool = False) -> str:
    run = diagnosis()
    for part in parts:
        run.push(part)
        if save:
            state = json.dumps(run.state(), allow_nan=False)
            run = diagnosis()
            run.restore(json.loads(state))
    run.close()
    return json.dumps(run.report().to_json(), allow_nan=False)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 260), st.lists(st.integers(1, 259), max_size=6), st.booleans())
def test_however_the_cells_are_cut_the_report_of_all_rules_is_the_same(seed: int, n: int, cuts: list[int], save: bool) -> None:
    values = series(seed, n)
    edges = sorted({min(c, n) for c in cuts} | {n})
    assert reported(chunks(values, seed, [n])) == reported(chunks(values, seed, edges), save=save)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6), st.integers(20, 200), st.lists(st.integers(1, 199), max_size=4), st.integers(1, 199), st.integers(1, 60))
def test_a_resume_anywhere_changes_nothing_of_that(seed: int, n: int, cuts: list[int], at: int, by: int) -> None:
    values = series(seed, n)
    edges = sorted({min(c, n) for c in cuts} | {n})
    assert reported(chunks(values, seed, [n], (at, by))) == reported(chunks(values, seed, edges, (at, by)), save=True)


def test_row_by_row_with_a_saved_state_after_each_row_is_the_same_too() -> None:
    values = series(7, 130)
    assert reported(chunks(values, 7, [130])) == reported(chunks(values, 7, range(1, 131)), save=True)


def test_asking_for_a_report_changes_nothing() -> None:
    values = series(3, 90)
    run = diagnosis()
    for part in chunks(values, 3, range(1, 91)):
        run.push(part)
        run.report()
    run.close()
    assert reported(chunks(values, 3, [90])) == json.dumps(run.report().to_json(), allow_nan=False)


def rows(n: int, **columns: float) -> Chunk:
    return Chunk(np.arange(n), {k.replace("__", "/"): Column(None, np.full(n, v)) for k, v in columns.items()})


def test_before_the_trainer_is_known_a_report_is_provisional_and_nothing_is_lost() -> None:
    run = Diagnosis(load_rules())
    run.push(rows(10, rollout__reward=0.5, other=1.0))
    early = run.report()
    assert (True, 9) == (early.provisional, early.rows)
    run.push(Chunk(np.arange(10, 40), {"rollout/reward": Column(None, np.full(30, 0.5))}))
    run.close()
    late = run.report()
    assert (False, 40, 40) == (late.provisional, late.rows, next(r.points for r in late.readings if r.metric == "rollout/reward"))


def test_a_state_saved_before_the_trainer_is_known_goes_on_too() -> None:
    def pushed(*, save: bool) -> str:
        run = Diagnosis(load_rules())
        for start, stop in ((0, 7), (7, 12), (12, 60)):
            steps = np.arange(start, stop)
            run.push(Chunk(steps, {"rollout/reward": Column(None, 0.01 * steps), "other": Column(None, steps * 1.0)}))
            if save:
                state = json.dumps(run.state(), allow_nan=False)
                run = Diagnosis(load_rules())
                run.restore(json.loads(state))
        run.close()
        return json.dumps(run.report().to_json())

    assert pushed(save=False) == pushed(save=True)


def test_an_empty_run_cannot_be_told() -> None:
    run = Diagnosis(load_rules())
    run.close()
    report = run.report()
    assert ("cannot-tell", 0, None) == (report.verdict, report.rows, report.steps)


def test_a_rule_that_raises_is_named_and_the_others_are_judged() -> None:
    from dataclasses import replace

    def raises(run: Any) -> Any:
        raise RuntimeError("no")

    rules = [replace(r, signal=raises) if r.id == "entropy-collapse" else r for r in load_rules()]
    run = Diagnosis(rules, framework="canonical")
    run.push(rows(60, ppo_actor__update__entropy=1.0, rollout__reward=0.5))
    run.close()
    failed = [s for s in run.report().skipped if "rule failed" in s.reason]
    assert [("entropy-collapse",)] == [s.rules for s in failed]
    assert run.report().passed


def test_a_resume_restarts_baselines_and_is_said() -> None:
    run = diagnosis()
    for start in (0, 60):
        steps = np.arange(start, start + 100)
        run.push(Chunk(steps, {"ppo_actor/update/entropy": Column(None, np.full(100, 2.0 if start == 0 else 0.9))}))
    run.close()
    report = run.report()
    assert ["resume"] == [e.kind for e in report.events]
    assert "entropy-collapse" not in [f.rule for f in report.findings]


def test_a_configuration_that_comes_after_the_first_rows_is_said_and_not_used() -> None:
    run = diagnosis()
    run.push(rows(3, rollout__reward=0.5))
    run.push(Config({"a": 1}, "late.yaml"))
    run.close()
    assert any("late.yaml came after" in c for c in run.report().caveats)


@pytest.mark.parametrize(("planned", "state"), [(40, "finished"), (100, "running")])
def test_the_state_comes_from_the_planned_steps(planned: int, state: str) -> None:
    from rl_diag_plugin.knobs.optimizer import PLANNED_STEPS

    run = diagnosis(knobs={PLANNED_STEPS: planned})
    run.push(rows(40, rollout__reward=0.5))
    run.close()
    assert state == run.report().state


def test_an_exit_record_finishes_a_run() -> None:
    run = diagnosis()
    run.push(rows(5, rollout__reward=0.5))
    run.push(Event("finished", 4, "exit 0"))
    assert "finished" == run.report().state


def test_values_that_look_like_secrets_leave_no_report() -> None:
    from rl_diag_plugin.knobs import Knob

    run = diagnosis(knobs={Knob("api_key", ""): "abc", Knob("long", ""): "x" * 300})
    run.push(rows(5, rollout__reward=0.5))
    assert {"api_key": "•••", "long": "•••"} == {k: v["value"] for k, v in run.report().config.items()}


def test_keys_that_would_have_changed_the_trainer_later_are_said_and_not_read_anew() -> None:
    run = Diagnosis(load_rules())
    run.push(rows(30, rollout__reward=0.5))
    steps = np.arange(30, 60)
    run.push(Chunk(steps, {"ppo_actor/no_eos_ratios/avg": Column(None, np.full(30, 0.1)), "rollout/reward": Column(None, steps * 0.01)}))
    run.close()
    report = run.report()
    assert report.framework != "areal"
    assert any("later keys look like AReaL" in caveat for caveat in report.caveats)


def test_the_onset_has_the_time_at_which_its_step_was_logged() -> None:
    run = diagnosis()
    steps = np.arange(60)
    entropy = np.where(steps < 30, 2.0, 0.01)
    run.push(Chunk(steps, {"ppo_actor/update/entropy": Column(None, entropy)}, 1_700_000_000.0 + 60.0 * steps))
    run.close()
    (finding,) = [f for f in run.report().findings if f.rule == "entropy-collapse"]
    assert (30, 1_700_000_000.0 + 1800) == (finding.onset.step, finding.onset.time)
