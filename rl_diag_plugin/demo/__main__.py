"""Writes the runs, then runs ``rl-diag check`` on them as a user would and shows what it says."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from .event_file import write_event_file
from .synthetic import CONFIG, Faults, Row, rows

RUNS = {"healthy": Faults(), "broken": Faults(outage=60, mismatch=85)}
STARTED = 1_750_000_000.0  # a fixed clock: the same files every time
SECONDS_A_STEP = 34.0


def write_runs(directory: Path) -> None:
    """``<format>/<run>/``: each run as JSON lines and as a TensorBoard event file, with its configuration beside it."""
    for seed, (name, faults) in enumerate(RUNS.items()):
        made = list(rows(faults, seed))
        for form in ("jsonl", "tensorboard"):
            run = directory / form / name
            run.mkdir(parents=True, exist_ok=True)
            (run / "config.yaml").write_text(CONFIG.format(name=name), encoding="utf-8")
        _write_jsonl(directory / "jsonl" / name / "log.jsonl", made)
        write_event_file(directory / "tensorboard" / name / f"events.out.tfevents.{STARTED:.0f}.demo", made, STARTED, SECONDS_A_STEP)


def _write_jsonl(path: Path, made: Sequence[Row]) -> None:
    lines = (json.dumps({"step": step, "data": row}) for step, row in enumerate(made))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def show(directory: Path) -> int:
    """0 where the healthy run is called healthy and the broken one not; what it shows is what was printed."""
    codes = [_check(directory / "jsonl" / "healthy"), _check(directory / "tensorboard" / "broken")]
    if codes != [0, 1]:
        print(f"error: expected exit codes 0 and 1, got {codes[0]} and {codes[1]}", file=sys.stderr)
        return 1
    return 0


def _check(run: Path) -> int:
    print(f"$ rl-diag check {run}", flush=True)
    done = subprocess.run([sys.executable, "-m", "rl_diag_plugin", "check", str(run)], check=False)
    print(flush=True)
    return done.returncode


def main(args: Sequence[str]) -> int:
    if args:
        write_runs(Path(args[0]))
        return show(Path(args[0]))
    with tempfile.TemporaryDirectory(prefix="rl-diag-demo-") as directory:
        write_runs(Path(directory))
        return show(Path(directory))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
