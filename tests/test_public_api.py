"""The public names: sorted, typed, lazy, and never shadowed by a module."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
from importlib.metadata import version
from typing import Any

import rl_diag_plugin


def submodules() -> list[str]:
    return [m.name for m in pkgutil.walk_packages(rl_diag_plugin.__path__, "rl_diag_plugin.") if not m.name.endswith("__main__")]


def test_the_public_names_are_sorted_and_listed_by_dir() -> None:
    assert sorted(rl_diag_plugin.__all__) == rl_diag_plugin.__all__
    assert rl_diag_plugin.__all__ == dir(rl_diag_plugin)


def test_no_public_name_equals_a_modules_name() -> None:
    modules = {m.name for m in pkgutil.iter_modules(rl_diag_plugin.__path__)}

    assert set() == modules & set(rl_diag_plugin.__all__)


def test_every_public_name_works_after_every_submodule_was_imported() -> None:
    for name in submodules():
        importlib.import_module(name)

    for name in rl_diag_plugin.__all__:
        value: Any = getattr(rl_diag_plugin, name)
        assert value is not None and not isinstance(value, type(sys)), name
    rows = [{"step": i, "reward": 0.5} for i in range(3)]
    (report,) = rl_diag_plugin.check(rows)
    assert (3, rl_diag_plugin.Report) == (report.rows, type(report))
    assert len(rl_diag_plugin.load_rules()) > 0
    run = rl_diag_plugin.Diagnosis(rl_diag_plugin.load_rules())
    run.close()
    assert 0 == run.report().rows


def test_an_unknown_name_is_an_attribute_error() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import rl_diag_plugin\ntry:\n rl_diag_plugin.chek\nexcept AttributeError as e: print(e)"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert "module 'rl_diag_plugin' has no attribute 'chek'\n" == done.stdout


def test_the_version_is_the_distributions() -> None:
    assert version("rl-diag-plugin") == rl_diag_plugin.__version__
