"""``check`` as a user meets it: what comes out where, in which form, with which exit code."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pytest

from rl_diag_plugin.cli import progress
from rl_diag_plugin.sinks.json_report import schema
from tests.cli.conftest import Call, rl_diag_process
from tests.cli.test_streams import Stream


def test_a_healthy_run_is_called_healthy_and_exits_with_0(rl_diag: Call, demo: Path) -> None:
    code, out, err = rl_diag("check", demo / "jsonl/healthy")

    assert (0, "") == (code, err)
    assert out.startswith("✓ healthy  healthy\n")


@pytest.mark.parametrize("form", ["jsonl", "tensorboard"])
def test_a_broken_run_exits_with_1_and_repeats_its_headline_at_the_foot(rl_diag: Call, demo: Path, form: str) -> None:
    code, out, err = rl_diag("check", demo / form / "broken")
    lines = out.splitlines()

    assert (1, "") == (code, err)
    assert "◆ unhealthy  broken" == lines[0]
    assert lines[-1].endswith(". Exit 1")
    assert max(map(len, lines)) <= 80


def test_both_formats_give_the_same_findings(rl_diag: Call, demo: Path) -> None:
    findings = []
    for form in ("jsonl", "tensorboard"):
        run = json.loads(rl_diag("check", "--format", "json", demo / form / "broken").out)["runs"][0]
        findings.append([(f["rule"], f["severity"], {**f["onset"], "time": None}, f["headline"]) for f in run["findings"]])

    assert findings[0] == findings[1]
    assert {"reward-constant", "rollout-training-mismatch"} <= {f[0] for f in findings[0]}


def test_the_fail_on_option_decides_the_exit_code(rl_diag: Call, demo: Path) -> None:
    codes = {word: rl_diag("check", "--fail-on", word, demo / "jsonl/broken").code for word in ("critical", "warning", "never")}

    assert {"critical": 1, "warning": 1, "never": 0} == codes


def test_many_runs_begin_with_their_number_and_the_worst(rl_diag: Call, demo: Path) -> None:
    code, out, err = rl_diag("check", demo)
    lines = out.splitlines()

    assert (1, "") == (code, err)
    assert lines[0].startswith("4 runs in ") and "2 healthy" in lines[0]
    assert next(line for line in lines[2:] if "broken" in line)[0] == "◆"


def test_the_run_option_picks_runs_by_name(rl_diag: Call, demo: Path) -> None:
    code, out, _ = rl_diag("check", "--run", "heal", "--format", "json", demo)

    assert (0, ["healthy", "healthy"]) == (code, [run["run"].split("/")[-1] for run in json.loads(out)["runs"]])


def test_since_and_until_cut_the_rows(rl_diag: Call, demo: Path) -> None:
    run = json.loads(rl_diag("check", "--since", "10", "--until", "49", "--format", "json", demo / "jsonl/broken").out)["runs"][0]

    assert ([10, 49], 40) == (run["steps"], run["rows"])


def test_select_judges_only_those_rules(rl_diag: Call, demo: Path) -> None:
    run = json.loads(rl_diag("check", "--select", "length", "--format", "json", demo / "jsonl/broken").out)["runs"][0]

    assert [] == run["findings"]
    assert {"truncated-responses"} <= {entry["rule"] for entry in run["passed"]}


def test_a_limit_of_the_users_own_is_the_one_that_is_judged(rl_diag: Call, demo: Path) -> None:
    select = ("--select", "rollout-training-mismatch", "--format", "json")
    strict = json.loads(rl_diag("check", *select, "--limit", "rollout-training-mismatch=1e-9", demo / "jsonl/healthy").out)["runs"][0]

    (finding,) = strict["findings"]
    assert "given by the user" == finding["limits"][0]["source"]


def test_rows_on_standard_input_are_a_run(demo: Path) -> None:
    rows = (demo / "jsonl/broken/log.jsonl").read_bytes()

    done = rl_diag_process("check", "--format", "json", "-", stdin=rows)

    run = json.loads(done.stdout)["runs"][0]
    assert (1, b"") == (done.returncode, done.stderr)
    assert ("areal", 120, "unhealthy") == (run["framework"], run["rows"], run["verdict"])


def test_rubbish_on_standard_input_is_an_error() -> None:
    done = rl_diag_process("check", "-", stdin=b"\x7fELF\x00\n")

    assert (2, b"") == (done.returncode, done.stdout)
    assert done.stderr.startswith(b"error: standard input: no line is a JSON object\n  ")


def test_json_is_strict_and_utf_8_whatever_the_terminal(demo: Path) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    done = rl_diag_process("check", "--format", "json", demo / "jsonl/broken", PYTHONIOENCODING="ascii")

    document = json.loads(done.stdout.decode("utf-8"), parse_constant=refuse)
    jsonschema.Draft202012Validator(schema()).validate(document)
    assert document["rules"].keys() >= {f["rule"] for f in document["runs"][0]["findings"]}
    assert len(document["rules"]) == document["rules_total"]


def test_quiet_is_one_line_a_finding(rl_diag: Call, demo: Path) -> None:
    code, out, err = rl_diag("check", "--quiet", demo / "jsonl/broken", demo / "jsonl/healthy")
    lines = out.splitlines()

    assert (1, "") == (code, err)
    assert lines[0].startswith(str(demo / "jsonl/broken")) and ": critical reward-constant since 62" in lines[0]
    assert lines[-1].startswith("2 runs: ")


def test_plain_has_no_marks_and_begins_each_line_with_what_it_is(rl_diag: Call, demo: Path) -> None:
    code, out, _ = rl_diag("check", "--plain", demo / "jsonl/broken")

    assert 1 == code
    assert out.startswith("unhealthy: run broken, ")
    assert not set("◆■▲●✓▁▂▃▄▅▆▇█╌┃▒━▶┫→") & set(out)


def test_a_pipe_has_no_colour_and_force_color_has(demo: Path) -> None:
    plain = rl_diag_process("check", demo / "jsonl/broken", PYTHONUTF8="1").stdout
    coloured = rl_diag_process("check", demo / "jsonl/broken", PYTHONUTF8="1", FORCE_COLOR="1").stdout

    assert (False, True) == (b"\x1b[" in plain, b"\x1b[" in coloured)


def test_what_is_not_utf_8_is_printed_in_ascii(demo: Path) -> None:
    done = rl_diag_process("check", demo / "jsonl/broken", PYTHONIOENCODING="ascii")

    assert (1, b"") == (done.returncode, done.stderr)
    assert done.stdout.startswith(b"C unhealthy  broken\n")


def test_a_named_input_that_cannot_be_read_is_an_error_beside_the_report(rl_diag: Call, demo: Path) -> None:
    code, out, err = rl_diag("check", demo / "jsonl/healthy", demo / "nothing")

    assert 2 == code
    assert "healthy" in out
    assert err.startswith(f"error: {demo / 'nothing'} does not exist")


def test_a_file_inside_a_directory_that_cannot_be_read_is_listed_and_no_error(rl_diag: Call, tmp_path: Path) -> None:
    for name, text in (("a", '{"step": 0, "rollout/reward": 0.5}\n' * 3), ("b", "version https://git-lfs.github.com/spec/v1\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "log.jsonl").write_text(text)

    code, out, err = rl_diag("check", tmp_path)

    assert (0, "") == (code, err)
    assert "1 file gave no report" in out and "Git LFS pointer" in out


def test_a_closed_pipe_is_no_fault(demo: Path) -> None:
    command = [sys.executable, "-m", "rl_diag_plugin", "check", "-v", str(demo / "jsonl/broken")]
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)

    assert (1, b"") == (done.returncode, done.stderr)


def test_an_interrupted_reading_says_how_far_it_came(rl_diag: Call, demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(paths: object, options: object, at: progress.Progress, stdin: object) -> None:
        at(61, 145, "events.out.tfevents.1")
        raise KeyboardInterrupt

    monkeypatch.setattr("rl_diag_plugin.api.examine", interrupted)

    assert (130, "", "stopped: 61 of 145 files read, no report written\n") == rl_diag("check", demo)


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for a single process")
def test_ctrl_c_leaves_standard_output_empty() -> None:
    code = "import sys; from rl_diag_plugin.cli import run; print('ready', file=sys.stderr, flush=True); sys.exit(run(['check', '-']))"
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None and process.stderr is not None
    assert b"ready\n" == process.stderr.readline()
    process.stdin.write(b'{"step": 0, "rollout/reward": 0.5}\n')
    process.stdin.flush()
    time.sleep(0.2)  # into the command; where exactly does not matter
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)

    assert (130, b"") == (process.returncode, out)
    assert b"stopped" in err and b"Traceback" not in err


def test_progress_is_drawn_on_a_terminal_after_a_while_and_wiped(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Stream(terminal=True)
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setattr(progress, "AFTER", 0.0)

    with progress.Progress() as at:
        at(60, 145, "./logs/events.out.tfevents.1")
        deadline = time.monotonic() + 30
        while b"reading" not in stream.buffer.getvalue() and time.monotonic() < deadline:  # type: ignore[attr-defined]
            at(60, 145, "./logs/events.out.tfevents.1")
            time.sleep(0.01)

    drawn = stream.buffer.getvalue().decode()  # type: ignore[attr-defined]
    assert "\r\x1b[K  reading 61 of 145  events.out.tfevents.1" in drawn
    assert drawn.endswith("\r\x1b[K")


def test_progress_is_not_drawn_into_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Stream()
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setattr(progress, "AFTER", 0.0)

    with progress.Progress() as at:
        at(1, 2, "x")
        time.sleep(0.05)

    assert b"" == stream.buffer.getvalue()  # type: ignore[attr-defined]
