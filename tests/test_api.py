"""``check``: paths and rows in memory, the user's words on trainer, limits and configuration."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import rl_diag_plugin
from rl_diag_plugin.api import Options, examine

FIXTURES = Path(__file__).parent / "fixtures"
LONG = FIXTURES / "areal_1.0.4_long"


def collapse(n: int = 120, at: int = 60) -> np.ndarray:
    t = np.arange(n)
    return np.where(t < at, 0.2 + 0.5 * t / at, 0.05) + 0.01 * np.cos(1.7 * t)


def test_columns_in_memory_are_diagnosed() -> None:
    (report,) = rl_diag_plugin.check({"step": np.arange(120) * 10, "rollout/reward": collapse()}, framework="canonical")
    finding = next(f for f in report.findings if f.rule == "reward-collapse")
    assert (True, (0, 1190)) == (finding.active, report.steps)
    assert finding.onset.lo is not None and finding.onset.hi is not None
    assert finding.onset.lo <= 600 <= finding.onset.hi


def test_rows_in_memory_are_counted_where_they_hold_no_step() -> None:
    rows = [{"rollout/reward": float(x), "note": "text"} for x in collapse()]
    (report,) = rl_diag_plugin.check(rows, framework="canonical")
    assert ((0, 119), "unhealthy") == (report.steps, report.verdict)


def test_a_none_in_a_row_is_a_logged_value_without_a_number() -> None:
    rows = [{"step": i, "ppo_actor/update/grad_norm": None if i == 5 else 0.3} for i in range(30)]
    (report,) = rl_diag_plugin.check(rows, framework="canonical")
    assert ["non-finite-metric"] == [f.rule for f in report.findings if f.onset.step == 5]


def test_a_directory_of_runs_gives_a_report_each() -> None:
    reports = rl_diag_plugin.check(LONG, select=["reward"])
    assert 30 == len(reports)
    assert {"reward"} == {f.rule.split("-")[0] for r in reports for f in r.findings if f.rule.startswith("reward-")}


def test_the_configuration_beside_the_log_is_read_and_one_that_is_given_wins(tmp_path: Path) -> None:
    (report,) = rl_diag_plugin.check(LONG / "lr_0")
    assert ("actor.optimizer.lr", 0.0) == (report.config["lr"]["key"], report.config["lr"]["value"])
    mine = tmp_path / "mine.yaml"
    mine.write_text("actor:\n  ppo_n_minibatches: 7\n")
    (report,) = rl_diag_plugin.check(LONG / "lr_0", config=mine)
    assert 7 == report.config["n_minibatches"]["value"]
    (report,) = rl_diag_plugin.check(LONG / "lr_0", config={"actor": {"ppo_n_minibatches": 5}})
    assert 5 == report.config["n_minibatches"]["value"]


def test_limits_can_be_replaced_and_say_so() -> None:
    (report,) = rl_diag_plugin.check(LONG / "healthy_s0", limits={"rollout-training-mismatch": [1e-6, 1e-5]})
    finding = next(f for f in report.findings if f.rule == "rollout-training-mismatch")
    assert [(1e-6, "warning"), (1e-5, "error")] == [(x.value, x.severity) for x in finding.limits]
    assert {"given by the user"} == {x.source for x in finding.limits}


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({"select": ["reward-const"]}, "nearest: reward-constant"),
        ({"ignore": ["nothing"]}, "no rule nothing"),
        ({"limits": {"reward-collaps": 1}}, "nearest: reward-collapse"),
        ({"limits": {"eval-baseline-missing": 1}}, "has no limits"),
        ({"limits": {"reward-collapse": [1, 2, 3, 4]}}, "limits"),
        ({"framework": "areel"}, "nearest: areal"),
        ({"framework": "areal==x"}, "is no version"),
    ],
)
def test_what_is_misspelt_is_named_before_anything_is_read(more: dict[str, object], text: str) -> None:
    with pytest.raises((KeyError, ValueError)) as error:
        rl_diag_plugin.check("/nowhere", **more)  # type: ignore[arg-type]
    assert text in str(error.value.args[0])


def test_a_path_without_any_log_raises_in_words(tmp_path: Path) -> None:
    with pytest.raises(rl_diag_plugin.UnreadableError, match="does not exist"):
        rl_diag_plugin.check(tmp_path / "nothing")
    with pytest.raises(rl_diag_plugin.UnreadableError, match="holds no log"):
        rl_diag_plugin.check(tmp_path)


def test_own_keys_are_mapped_and_then_get_every_rule(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps({"step": i, "my/score": float(x)}) + "\n" for i, x in enumerate(collapse())))
    found = examine([str(log)], Options(maps={"my/score": "rollout/reward"}))
    assert "reward-collapse" in [f.rule for f in found.reports[0].findings]
    assert [("my/score", "rollout/reward")] == [(r.key, r.metric) for r in found.reports[0].readings]
    with pytest.raises(KeyError, match=r"no key my/skore in this run.*nearest: my/score"):
        examine([str(log)], Options(maps={"my/skore": "rollout/reward"}))
    with pytest.raises(KeyError, match="no metric rewards"):
        examine([str(log)], Options(maps={"my/score": "rewards"}))


def test_only_the_steps_asked_for_are_judged() -> None:
    found = examine([str(LONG / "verifier_breaks_40")], Options(until=35))
    assert ((0, 35), []) == (found.reports[0].steps, [f.rule for f in found.reports[0].findings if f.rule == "reward-constant"])
    found = examine([str(LONG / "verifier_breaks_40")], Options(since=45))
    assert 45 == found.reports[0].steps[0]  # type: ignore[index]


def test_a_file_that_cannot_be_read_inside_a_directory_is_listed_and_the_others_are_diagnosed(tmp_path: Path) -> None:
    for name, text in (("a", '{"step": 1, "rollout/reward": 0.5}\n'), ("b", "")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "log.jsonl").write_text(text)
    found = examine([str(tmp_path)], Options())
    assert (["a"], ["empty"], []) == ([r.run for r in found.reports], [f.kind for f in found.failed], found.errors)
