"""``python -m benchmarks [engine|latency|memory|budget|command …]``: measure, compare with the bounds, exit 1 where one is broken."""

from __future__ import annotations

import sys

from .budget import budget
from .command import start_up
from .engine import latency, memory, throughput

PARTS = {"engine": throughput, "latency": latency, "memory": memory, "command": start_up, "budget": budget}


def main(names: list[str]) -> int:
    broken = 0
    for name in names or list(PARTS):
        for measured in PARTS[name]():
            mark = "ok    " if measured.kept else "BROKEN"
            print(f"{mark} {measured.what}: {measured.value:.3g} {measured.unit} (at most {measured.bound:g})", flush=True)
            broken += not measured.kept
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
