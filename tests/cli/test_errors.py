"""Every error says what was given, what is wrong, what is nearest or to do; on standard error, with exit code 2."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.conftest import Call, rl_diag_process

FORM = "RULE=WARNING[:ERROR[:CRITICAL]], e.g. truncated-responses=0.05:0.1"


def test_a_missing_path_names_the_nearest(rl_diag: Call, demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(demo / "jsonl")

    assert (2, "", "error: ./brokn does not exist\n  nearest: ./broken\n") == rl_diag("check", "./brokn")


def test_an_empty_directory_says_what_was_expected(rl_diag: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "new").mkdir()
    monkeypatch.chdir(tmp_path)

    code, out, err = rl_diag("check", "./new")

    assert (2, "") == (code, out)
    assert "error: ./new holds no log\n  expected TensorBoard" == err[:48]


def test_rubbish_is_shown_by_its_first_bytes(rl_diag: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.bin").write_bytes(b"\x7fELF\x02\x01\x01" + bytes(100))
    monkeypatch.chdir(tmp_path)

    code, out, err = rl_diag("check", "./x.bin")

    assert (2, "") == (code, out)
    assert "error: ./x.bin is in no format that is read (begins 7f 45 4c 46)" == err.splitlines()[0]


def test_an_empty_file_says_so(rl_diag: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "log.jsonl").touch()
    monkeypatch.chdir(tmp_path)

    assert (2, "", "error: ./log.jsonl is empty\n") == rl_diag("check", "./log.jsonl")


def test_a_git_lfs_pointer_names_the_command(rl_diag: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "log.jsonl").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n")
    monkeypatch.chdir(tmp_path)

    assert (2, "", "error: ./log.jsonl is a Git LFS pointer\n  git lfs pull --include log.jsonl\n") == rl_diag("check", "./log.jsonl")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_shows_its_mode(rl_diag: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "log.jsonl").write_text('{"step": 0, "a": 1}\n')
    (tmp_path / "log.jsonl").chmod(0)
    monkeypatch.chdir(tmp_path)

    assert (2, "", "error: ./log.jsonl: permission denied (mode 0000)\n") == rl_diag("check", "./log.jsonl")


@pytest.mark.parametrize(
    "options",
    ["--select truncated-response", "--ignore truncated-response", "--limit truncated-response=1"],
)
def test_an_unknown_rule_names_the_nearest(rl_diag: Call, demo: Path, options: str) -> None:
    code, out, err = rl_diag("check", *options.split(), demo / "jsonl/healthy")

    assert (2, "") == (code, out)
    assert err.startswith("error: no rule truncated-response\n  nearest: truncated-responses")


@pytest.mark.parametrize("command", ["explain", "rules --select"])
def test_explain_and_rules_name_the_nearest_rule(rl_diag: Call, command: str) -> None:
    code, out, err = rl_diag(*command.split(), "truncated-response")

    assert (2, "") == (code, out)
    assert err.startswith("error: no rule truncated-response\n  nearest: truncated-responses")


def test_a_map_to_no_metric_names_the_nearest(rl_diag: Call, demo: Path) -> None:
    code, out, err = rl_diag("check", "--map", "my/kl=ref_kl", demo / "jsonl/healthy")

    assert (2, "") == (code, out)
    assert err.startswith("error: --map my/kl=ref_kl: no metric ref_kl\n  nearest: ")
    assert "ppo_actor/ref_kl" in err


def test_a_map_of_a_key_that_no_run_has_names_the_nearest_key(rl_diag: Call, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text("".join(f'{{"step": {i}, "my/reward": 0.5}}\n' for i in range(30)))

    code, out, err = rl_diag("check", "--map", "my/rewrd=rollout/reward", log)

    assert (2, "") == (code, out)
    assert err.startswith("error: --map my/rewrd=") and "no key my/rewrd in this run\n  nearest: my/reward\n" in err


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("--limit truncated-responses=5%", f"--limit truncated-responses=5%: 5% is not a number\n  expected {FORM}"),
        ("--limit truncated-responses=nan", f"--limit truncated-responses=nan: nan is not a number\n  expected {FORM}"),
        ("--limit truncated-responses", f"--limit truncated-responses: no value\n  expected {FORM}"),
        ("--limit truncated-responses=1:2:3:4", "--limit truncated-responses=1:2:3:4: rule truncated-responses has 3 limits"),
        ("--set max_new_tokns=5", "--set max_new_tokns=5: no setting max_new_tokns\n  nearest: max_new_tokens"),
        ("--set max_new_tokens", "--set max_new_tokens: no value\n  expected SETTING=VALUE"),
        ("--set max_new_tokens=[1", "--set max_new_tokens=[1: [1 is no YAML value\n"),
        ("--map my/reward", "--map my/reward: no metric\n  expected KEY=METRIC"),
        ("--framework arael", "no framework arael\n  nearest: areal. All: "),
        ("--framework areal==new", "--framework areal==new: 'new' is no version; expected numbers"),
        ("--run [a", "--run [a is no regular expression: unterminated character set"),
        ("--run nothing", "no run below "),
        ("--config ./nowhere.yaml", "--config ./nowhere.yaml does not exist"),
        ("--since soon", "invalid value for '--since': 'soon' is not a valid integer\n  rl-diag check --help"),
        ("--fail-on bad", "invalid value for '--fail-on': 'bad' is not one of"),
        ("--formt json", "no such option"),
    ],
)
def test_an_option_that_cannot_be_used_is_said_in_its_own_words(rl_diag: Call, demo: Path, option: str, said: str) -> None:
    code, out, err = rl_diag("check", *option.split(), demo / "jsonl/healthy")

    assert (2, "") == (code, out)
    assert "error: " + said == err[: len(said) + 7]


def test_no_path_is_answered_with_an_example(rl_diag: Call) -> None:
    code, out, err = rl_diag("check")

    assert (2, "") == (code, out)
    assert "error: no path given\n  expected a file, a run's directory or a directory of runs: rl-diag check ./runs\n" == err


def test_no_command_is_answered_with_the_help(rl_diag: Call) -> None:
    code, out, err = rl_diag()

    assert (2, "") == (code, out)
    assert err.startswith("Usage: rl-diag [OPTIONS] COMMAND [ARGS]...\n")


def test_an_unknown_command_names_the_nearest(rl_diag: Call) -> None:
    assert (2, "", "error: no command chek\n  nearest: check\n") == rl_diag("chek", ".")


def test_a_fault_of_ours_is_said_to_be_ours_and_is_no_finding(rl_diag: Call, demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object) -> None:
        raise KeyError("internal")

    monkeypatch.setattr("rl_diag_plugin.api.examine", broken)

    code, out, err = rl_diag("check", demo / "jsonl/healthy")

    assert (2, "") == (code, out)
    assert "KeyError: 'internal'" in err
    assert err.endswith("error: this is a fault of rl-diag, not of the run\n  please report it with the lines above\n")


def test_the_processs_exit_code_is_the_commands() -> None:
    assert 2 == rl_diag_process("check").returncode
    assert 0 == rl_diag_process("--version").returncode


def test_a_name_cannot_steer_the_terminal(rl_diag: Call, tmp_path: Path) -> None:
    code, out, err = rl_diag("check", tmp_path / "a\x1b[2J\rb")

    assert (2, "") == (code, out)
    assert err.startswith(f"error: {tmp_path}/a\\x1b[2J\\rb does not exist")
