"""What is installed: the wheel's contents, its requirements, and that it leaves a trainer's environment as it was."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import requires
from pathlib import Path

import pytest

from rl_diag_plugin.demo.__main__ import write_runs

ROOT = Path(__file__).parent.parent.parent
PIP = ("-m", "pip", "--disable-pip-version-check", "--no-input", "--quiet")
pytestmark = pytest.mark.xdist_group("packaging")  # one worker builds and installs
TRAINERS = ("protobuf==4.25.*", "numpy")  # what a trainer has pinned


def call(*command: str | Path, code: int = 0) -> str:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert code == done.returncode, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy: building in place would leave files in the checkout."""
    source = tmp_path_factory.mktemp("source")
    for name in ("pyproject.toml", "setup.cfg", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    shutil.copytree(ROOT / "rl_diag_plugin", source / "rl_diag_plugin", ignore=shutil.ignore_patterns("__pycache__"))
    call(sys.executable, *PIP, "wheel", "--no-deps", "--wheel-dir", source / "dist", source)
    (built,) = (source / "dist").glob("*.whl")
    return built


@pytest.fixture(scope="session")
def trainers_python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter in whose environment a trainer's packages lay before ours."""
    directory = tmp_path_factory.mktemp("trainer")
    call(sys.executable, "-m", "venv", "--without-pip", directory)
    python = directory / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    call(sys.executable, *PIP, "--python", python, "install", *TRAINERS)
    call(sys.executable, *PIP, "--python", python, "install", wheel)
    return python


@pytest.mark.slow
def test_the_wheel_holds_the_package_its_types_its_data_and_its_licence(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    expected = {str(p.relative_to(ROOT)) for p in (ROOT / "rl_diag_plugin").rglob("*") if p.suffix in (".py", ".json", ".typed")}

    assert expected == {name for name in names if name.startswith("rl_diag_plugin/")}
    assert any(name.endswith("/licenses/LICENSE") for name in names)


@pytest.mark.slow
def test_protobuf_4_25_stays_and_runs_are_diagnosed_with_it(trainers_python: Path, tmp_path: Path) -> None:
    write_runs(tmp_path)

    version = call(trainers_python, "-c", "import google.protobuf as p; print(p.__version__)")
    command = trainers_python.with_name("rl-diag")
    call(command, "check", tmp_path / "tensorboard/healthy")
    said = call(command, "check", tmp_path / "tensorboard/broken", code=1)

    assert version.startswith("4.25.")
    assert "unhealthy" in said
    assert "protobuf 4.25." in call(command, "doctor")


@pytest.mark.slow
def test_nothing_that_only_extras_need_is_installed(trainers_python: Path) -> None:
    installed = call(sys.executable, *PIP, "--python", trainers_python, "list", "--format", "freeze").lower()

    assert [] == [name for name in ("wandb", "tensorboard", "pytest", "mypy") if f"\n{name}==" in f"\n{installed}"]


def requirements() -> list[str]:
    return requires("rl-diag-plugin") or []


def test_what_is_required_has_a_floor_and_no_ceiling() -> None:
    users = [r for r in requirements() if not re.search(r"extra == .dev.", r)]

    assert [] == [r for r in users if re.search(r"<|~=|==", r.split(";")[0])]
    assert [] == [r for r in users if ">=" not in r.split(";")[0] and not r.startswith("rl-diag-plugin[")]


def test_the_requirements_are_the_documented_ones() -> None:
    names = {re.split(r"[^\w-]", r)[0].lower() for r in requirements() if "extra" not in r}

    assert {"click", "numpy", "orjson", "protobuf", "pyyaml", "rich", "tomli"} == names
