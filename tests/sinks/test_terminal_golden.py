from __future__ import annotations

import pytest

from .golden import CASES, DIRECTORY, UPDATE


@pytest.mark.parametrize("name", CASES)
def test_text_is_as_in_its_golden_file(name: str) -> None:
    path = DIRECTORY / f"{name}.txt"
    expected = path.read_text(encoding="utf-8") if path.exists() else ""

    assert expected == CASES[name](), f"where this is intended: {UPDATE}"


def test_every_golden_file_has_a_case() -> None:
    assert sorted(CASES) == sorted(path.stem for path in DIRECTORY.glob("*.txt"))
