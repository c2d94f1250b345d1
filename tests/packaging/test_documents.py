"""README and changelog keep up with the program."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click
import pytest

import rl_diag_plugin
from rl_diag_plugin import authoring, detectors
from rl_diag_plugin.cli import COMMANDS, rl_diag
from rl_diag_plugin.knobs import sampling
from rl_diag_plugin.metrics import actor

ROOT = Path(__file__).parent.parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def options_of(name: str) -> list[str]:
    command = rl_diag.get_command(click.Context(rl_diag), name)
    assert command is not None
    return [option for parameter in command.params for option in parameter.opts if option.startswith("--")]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_readme_shows_every_command(name: str) -> None:
    assert f"rl-diag {name}" in README


@pytest.mark.parametrize("option", options_of("check"))
def test_the_readme_shows_every_option_of_check(option: str) -> None:
    assert re.search(rf"{option}\b|`-{option[2]}`", README)


def test_the_readmes_rule_is_a_rule() -> None:
    names: dict[str, Any] = {"__name__": "ours.length.truncated_responses"}
    for module in (authoring, detectors, actor, sampling):
        names |= {name: getattr(module, name) for name in dir(module) if not name.startswith("_")}

    (code,) = re.findall(r"```python\n(@rule\(.*?)```", README, re.S)
    exec(compile(code, "README.md", "exec"), names)

    assert "truncated-responses" == names["truncated_responses"].id


def test_the_readmes_python_runs_as_it_stands(demo: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(demo)
    (demo / "jsonl").rename(demo / "runs")

    (code,) = re.findall(r"```python\n(import rl_diag_plugin\n.*?)```", README, re.S)
    exec(compile(code, "README.md", "exec"), {})

    out = capsys.readouterr().out
    assert "healthy healthy []" in out and "broken unhealthy ['" in out


def test_every_target_of_the_makefile_that_the_readme_names_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))

    assert {"demo", "test", "check", "bench"} <= targets
    assert set(re.findall(r"(?:`|\n)make ([a-z]+)\b", README)) <= targets


def test_the_changelog_begins_with_this_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")

    assert rl_diag_plugin.__version__ == re.findall(r"^## \[(.+?)\]", changelog, re.M)[0]


def test_no_registry_is_named_and_no_path_of_a_machine() -> None:
    named = []
    for name in ("README.md", "CHANGELOG.md", "Makefile", "pyproject.toml", "setup.cfg", ".ci/run"):
        text = (ROOT / name).read_text(encoding="utf-8")
        named += [f"{name}: {found}" for found in re.findall(r"pypi\.org|pythonhosted|index-url|/home/|/root/", text)]

    assert [] == named
