"""Runs for the README's examples."""

from __future__ import annotations

from pathlib import Path

import pytest

from rl_diag_plugin.demo.__main__ import write_runs


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    write_runs(tmp_path)
    return tmp_path
