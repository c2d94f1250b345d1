"""The command: how long ``rl-diag --help`` takes."""

from __future__ import annotations

import resource
import subprocess
import sys

from .engine import Measured


def _cpu(arguments: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def start_up() -> list[Measured]:
    best = min(_cpu(["-m", "rl_diag_plugin", "--help"]) for _ in range(5))
    return [Measured("rl-diag --help, CPU", best, 0.3, "s")]
