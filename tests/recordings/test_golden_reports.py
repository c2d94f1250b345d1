"""Reports of recorded runs, whole."""

from __future__ import annotations

import pytest

from .golden import CASES, path, text


@pytest.mark.parametrize("case", CASES)
def test_the_report_is_the_golden_one(case: str) -> None:
    expected = path(case).read_text(encoding="utf-8")
    assert expected == text(case), "if the change is meant: python -m tests.update_golden"
