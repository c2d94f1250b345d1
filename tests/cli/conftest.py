"""Runs to diagnose, and the command in this process and in one of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from rl_diag_plugin.cli import run
from rl_diag_plugin.demo.__main__ import write_runs


class Said(NamedTuple):
    """What a call left behind."""

    code: int
    out: str
    err: str


Call = Callable[..., Said]


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``jsonl/`` and ``tensorboard/``, each with ``healthy`` and ``broken``."""
    directory = tmp_path_factory.mktemp("demo")
    write_runs(directory)
    return directory


@pytest.fixture(autouse=True)
def _same_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def rl_diag(capsys: pytest.CaptureFixture[str]) -> Call:
    def call(*args: str | Path) -> Said:
        code = run([str(arg) for arg in args])
        return Said(code, *capsys.readouterr())

    return call


def rl_diag_process(*args: str | Path, stdin: bytes = b"", cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[bytes]:
    """A process of its own, for what only a process has: encodings, signals, exit codes."""
    command = [sys.executable, "-m", "rl_diag_plugin", *map(str, args)]
    return subprocess.run(command, input=stdin, capture_output=True, cwd=cwd, env={**os.environ, **env}, check=False)
