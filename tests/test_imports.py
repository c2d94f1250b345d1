"""Imports point strictly down; nothing heavy is loaded before it is needed; modules and functions stay small."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "rl_diag_plugin"

LEVELS = (
    ("model",),
    ("wording",),
    ("metrics", "knobs", "detectors"),
    ("examples",),
    ("authoring", "frameworks", "derive"),
    ("remedies", "causes"),
    ("rules", "experiments", "sources"),
    ("registry",),
    ("diagnosis",),
    ("contract", "backtest", "reference"),
    ("sinks",),
    ("api", "monitor", "lab"),
    ("hooks", "testing"),
    ("cli", "demo"),
)
LEVEL = {name: level for level, names in enumerate(LEVELS) for name in names}
BARE = {"detectors": {"model"}}  # what is held to less than its level would allow
OPTIONAL = {"wandb": set[str](), "tensorboard": set[str](), "tensorflow": set[str](), "torch": set[str]()}  # where each may be imported
ALONE = {"__init__", "__main__"}  # the public names point anywhere; they are loaded when they are used
LONGEST_MODULE, LONGEST_FUNCTION = 300, 50


def modules() -> list[Path]:
    return sorted(p for p in PACKAGE.rglob("*.py"))


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """Absolute names of all that a file imports, function bodies and type checking included."""
    here = path.relative_to(ROOT).with_suffix("").parts
    package = here[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            stem = ".".join([*base, *([node.module] if node.module else [])])
            # ``from .. import x`` names modules or attributes of the package itself.
            yield from ((f"{stem}.{alias.name}" if stem == PACKAGE.name else stem, node.lineno) for alias in node.names)


def part_of(module: str) -> str | None:
    """``rl_diag_plugin.rules.length`` → ``rules``."""
    parts = module.split(".")
    return parts[1] if parts[0] == PACKAGE.name and len(parts) > 1 else None


def test_imports_point_strictly_down_the_levels() -> None:
    wrong = []
    for path in modules():
        inside = path.relative_to(PACKAGE)
        own = inside.parts[0].removesuffix(".py")
        if own in ALONE:
            continue
        for module, line in imports(path):
            other = part_of(module)
            if other is None or other == own or other.startswith("__"):
                continue
            if LEVEL.get(other, 99) >= LEVEL.get(own, -1) or other not in BARE.get(own, {other}):
                wrong.append(f"{inside}:{line} imports {other}")

    assert [] == wrong


def test_every_module_has_a_level() -> None:
    names = {p.relative_to(PACKAGE).parts[0].removesuffix(".py") for p in modules()}

    assert set() == names - set(LEVEL) - ALONE


def test_optional_packages_are_imported_only_where_the_design_allows() -> None:
    wrong = []
    for path in modules():
        inside = str(path.relative_to(PACKAGE))
        for module, line in imports(path):
            top = module.split(".")[0]
            if inside not in OPTIONAL.get(top, {inside}):
                wrong.append(f"{inside}:{line} imports {top}")

    assert [] == wrong


def test_no_module_executes_or_unpickles() -> None:
    forbidden = ("pickle", "marshal", "shelve")
    wrong = [f"{path.relative_to(PACKAGE)}:{line}" for path in modules() for name, line in imports(path) if name in forbidden]

    assert [] == wrong


def loaded_by(statement: str) -> set[str]:
    """Top-level modules from outside the standard library that a statement loads in a fresh interpreter."""
    code = f"import sys\nbefore = set(sys.modules)\n{statement}\nprint(*(set(sys.modules) - before), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    return {name.split(".")[0] for name in done.stderr.split()} - set(sys.stdlib_module_names)


def test_importing_the_package_needs_numpy_alone() -> None:
    assert {PACKAGE.name} >= loaded_by(f"import {PACKAGE.name}") - {"numpy"}


def test_help_loads_click_and_nothing_else() -> None:
    assert {PACKAGE.name, "click"} >= loaded_by(f"from {PACKAGE.name}.cli import run; run(['--help'])")


def test_modules_and_functions_stay_small() -> None:
    offenders = []
    for path in modules():
        text = path.read_text(encoding="utf-8")
        lines = text.count("\n")
        if lines > LONGEST_MODULE:
            offenders.append(f"{path.relative_to(ROOT)}: {lines} lines")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length > LONGEST_FUNCTION:
                    offenders.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name}: {length} lines")

    assert [] == offenders


def test_every_module_says_what_it_is_for() -> None:
    silent = [str(p.relative_to(ROOT)) for p in modules() if not ast.get_docstring(ast.parse(p.read_text(encoding="utf-8")))]

    assert [] == silent
