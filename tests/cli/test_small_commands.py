"""``explain``, ``rules``, ``metrics``, ``doctor`` and the help."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import rl_diag_plugin
from rl_diag_plugin.cli import COMMANDS
from rl_diag_plugin.cli import rl_diag as group
from tests.cli.conftest import Call, rl_diag_process

COMMANDS_DIRECTORY = Path(rl_diag_plugin.__file__).parent / "cli"


def test_the_help_lists_every_command_in_the_words_of_its_module(rl_diag: Call) -> None:
    code, out, _ = rl_diag("--help")

    assert 0 == code
    for name, words in COMMANDS.items():
        command = group.get_command(None, name)  # type: ignore[arg-type]
        assert command is not None and (name, words) == (command.name, command.short_help)
        assert f"  {name:<7}  {words}\n" in out


def test_every_module_that_defines_a_command_is_listed() -> None:
    defining = {p.stem for p in COMMANDS_DIRECTORY.glob("*.py") if "\n@click.command(" in p.read_text(encoding="utf-8")}

    assert set(COMMANDS) == defining


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(rl_diag: Call, name: str) -> None:
    code, out, err = rl_diag(name, "--help")

    assert (0, "") == (code, err)
    assert f"Usage: rl-diag {name}" in out


def test_the_help_takes_no_more_than_a_few_starts_of_python() -> None:
    def fastest(*command: str) -> float:
        def once() -> float:
            start = time.perf_counter()
            subprocess.run([sys.executable, *command], check=True, capture_output=True)
            return time.perf_counter() - start

        return min(once() for _ in range(5))

    assert fastest("-m", "rl_diag_plugin", "--help") < 12 * fastest("-c", "pass")


def test_the_version_is_the_packages(rl_diag: Call) -> None:
    assert (0, f"rl-diag {rl_diag_plugin.__version__}\n", "") == rl_diag("--version")


@pytest.mark.parametrize("rule", rl_diag_plugin.load_rules(), ids=lambda rule: rule.id)
def test_every_rule_is_explained_within_the_width(rl_diag: Call, rule: object) -> None:
    from rl_diag_plugin.authoring import Rule

    assert isinstance(rule, Rule)
    code, out, err = rl_diag("explain", rule.id)

    assert (0, "") == (code, err)
    assert f"{rule.id} · {', '.join(rule.severities)} · {rule.chapter.replace('_', '-')}" == out.splitlines()[0]
    assert max(map(len, out.splitlines())) <= 80
    for label in ("Reads", "Why", "False alarm", "Change", "Source"):
        assert f"\n  {label:<12}" in out


def test_the_rules_are_listed_one_a_line(rl_diag: Call) -> None:
    code, out, err = rl_diag("rules", "--select", "length")
    chosen = [rule for rule in rl_diag_plugin.load_rules() if rule.chapter == "length"]

    assert (0, "") == (code, err)
    assert [rule.id for rule in chosen] == [line.split()[0] for line in out.splitlines()]
    assert max(map(len, out.splitlines())) <= 80


def test_the_rules_as_json_hold_limits_with_their_sources(rl_diag: Call) -> None:
    code, out, _ = rl_diag("rules", "--format", "json", "--select", "truncated-responses")

    (rule,) = json.loads(out)
    assert (0, "truncated-responses", "length") == (code, rule["id"], rule["chapter"])
    assert {"value": 0.05, "side": "above", "severity": "warning", "source": "AReaL guide"} == rule["limits"][0]


def test_metrics_says_what_a_key_was_read_as_and_what_was_not_read(rl_diag: Call, demo: Path) -> None:
    code, out, err = rl_diag("metrics", demo / "jsonl/healthy")
    lines = out.splitlines()

    assert (0, "") == (code, err)
    assert lines[0].startswith("healthy  AReaL 1.0.4") and lines[0].endswith(" not")
    assert any(line.startswith("= rollout/reward ") and "120" in line for line in lines)
    assert "  = exact, ≥ lower bound, ≤ upper bound, ≈ mixed with another quantity" in lines
    assert "--map KEY=METRIC" in out and "not read: " in out
    assert max(map(len, lines)) <= 80


def test_metrics_lists_every_key_that_was_not_read_with_v(rl_diag: Call, demo: Path) -> None:
    code, out, _ = rl_diag("metrics", "-v", demo / "jsonl/healthy")

    assert 0 == code
    assert "(-v)" not in out and "ppo_actor/use_dual_clip" in out


def test_metrics_reads_a_key_of_the_users_own(rl_diag: Call, tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text("".join(f'{{"step": {i}, "score": 0.5}}\n' for i in range(30)))

    code, out, _ = rl_diag("metrics", "--map", "score=rollout/reward", tmp_path / "log.jsonl")

    assert 0 == code
    assert any(line.split() == ["=", "score", "rollout/reward", "30", "0.5"] for line in out.splitlines())


def test_metrics_of_nothing_readable_is_an_error(rl_diag: Call, tmp_path: Path) -> None:
    code, out, err = rl_diag("metrics", tmp_path / "nothing")

    assert (2, "") == (code, out)
    assert "nothing does not exist" in err


def test_doctor_names_what_is_installed(rl_diag: Call) -> None:
    code, out, err = rl_diag("doctor")

    assert (0, "") == (code, err)
    assert out.startswith(f"✓ rl-diag {rl_diag_plugin.__version__} · Python 3.")
    assert "protobuf" in out and "✓ rules: " in out


def test_doctor_names_the_encoding_that_costs_the_curves() -> None:
    done = rl_diag_process("doctor", PYTHONIOENCODING="gbk")

    assert 0 == done.returncode
    assert "W stdout is gbk: curves are printed in ASCII. set PYTHONUTF8=1" in done.stdout.decode("gbk").splitlines()


def test_doctor_names_a_slow_protobuf() -> None:
    done = rl_diag_process("doctor", PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION="python", PYTHONUTF8="1")

    assert b"unset PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION" in done.stdout.replace(b"\n ", b"")


def test_doctor_names_third_party_rules_that_fail_and_does_not_crash(rl_diag: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    points = [
        EntryPoint("good", "rl_diag_plugin.rules.length.truncated_responses:truncated_responses", "rl_diag_plugin.rules"),
        EntryPoint("gone", "no_such_package:RULES", "rl_diag_plugin.rules"),
        EntryPoint("strange", "sys:path", "rl_diag_plugin.rules"),
    ]
    monkeypatch.setattr("rl_diag_plugin.cli.doctor.entry_points", lambda group: points)

    code, out, _ = rl_diag("doctor")

    flat = " ".join(out.split())
    assert 1 == code
    assert "✓ rules of ? (good = rl_diag_plugin.rules.length.truncated_responses:truncated_responses): truncated-responses" in flat
    assert "■ rules of ? (gone = no_such_package:RULES) cannot be loaded: ModuleNotFoundError: No module named 'no_such_package'" in flat
    assert "■ rules of ? (strange = sys:path): expected a rule or a list of rules, found str" in flat


@pytest.mark.parametrize("command", ["check .", "explain reward-constant", "rules", "metrics ."])
def test_rules_that_cannot_be_loaded_are_an_error_that_points_to_doctor(
    rl_diag: Call, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    def broken() -> None:
        raise ModuleNotFoundError("No module named 'theirs'")

    monkeypatch.setattr("rl_diag_plugin.cli.ruleset.load_rules", broken)

    code, out, err = rl_diag(*command.split())

    assert (2, "") == (code, out)
    assert "error: the rules cannot be loaded: ModuleNotFoundError: No module named 'theirs'\n  rl-diag doctor names the package\n" == err


def test_a_key_from_a_log_cannot_steer_the_terminal(rl_diag: Call, tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text("".join(f'{{"step": {i}, "a\\u001b[31mb": 1}}\n' for i in range(3)))

    code, out, _ = rl_diag("metrics", tmp_path / "log.jsonl")

    assert (0, False, True) == (code, "\x1b" in out, "a\\x1b[31mb" in out)
