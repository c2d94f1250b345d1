"""Fails where a generated file is not what its generator would write now, and says how to write it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
# Each takes --check: nothing is written, and the exit code is 1 where something would be.
GENERATORS = (["scripts/readme_example.py"], ["scripts/rules_reference.py"])


def main() -> int:
    stale = [generator for generator in GENERATORS if _would_write(generator)]
    for generator in stale:
        print(f"not fresh: python {' '.join(generator)}", file=sys.stderr)
    return int(bool(stale))


def _would_write(generator: list[str]) -> bool:
    return bool(subprocess.run([sys.executable, *generator, "--check"], cwd=ROOT, check=False).returncode)


if __name__ == "__main__":
    sys.exit(main())
