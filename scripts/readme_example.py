"""Writes what ``rl-diag check`` says of the demo's broken run into README.md, between its markers; ``--check`` only compares."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from rl_diag_plugin.demo.__main__ import write_runs

README = Path(__file__).parent.parent / "README.md"
BEGIN, END = "<!-- printed by scripts/readme_example.py -->\n", "<!-- end -->\n"
RUN = "./runs/broken"


def example() -> str:
    """The command and its output at 80 columns."""
    with tempfile.TemporaryDirectory() as directory:
        write_runs(Path(directory))
        (Path(directory) / "tensorboard").rename(Path(directory) / "runs")
        env = {**os.environ, "COLUMNS": "80", "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1"}
        command = [sys.executable, "-m", "rl_diag_plugin", "check", RUN]
        done = subprocess.run(command, cwd=directory, env=env, capture_output=True, encoding="utf-8", check=False)
    if done.returncode != 1 or done.stderr:
        raise SystemExit(f"expected findings (exit code 1), got {done.returncode}\n{done.stderr}")
    return f"```\n$ rl-diag check {RUN}\n{done.stdout}```\n"


def main(args: list[str]) -> int:
    text = README.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    fresh = head + BEGIN + example() + END + tail
    if "--check" in args:
        return int(fresh != text)
    README.write_text(fresh, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
