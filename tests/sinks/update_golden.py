"""Writes the golden files anew; ``git diff`` then shows what has changed."""

from __future__ import annotations

from .golden import CASES, DIRECTORY


def main() -> None:
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    for old in DIRECTORY.glob("*.txt"):
        if old.stem not in CASES:
            old.unlink()
    for name, case in CASES.items():
        (DIRECTORY / f"{name}.txt").write_text(case(), encoding="utf-8")


if __name__ == "__main__":
    main()
