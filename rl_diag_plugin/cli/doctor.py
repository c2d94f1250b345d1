"""``rl-diag doctor``: what is installed, which third-party rules load, and the traps of this environment."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, version
from typing import Literal, NamedTuple

import click

from .. import __version__
from . import COMMANDS
from .streams import emit, is_utf8, screen
from .text import finish, wrapped

Grade = Literal["good", "trap", "broken", "absent"]
_MARKS = {"good": "✓", "trap": "▲", "broken": "■", "absent": "–"}


class Seen(NamedTuple):
    grade: Grade
    text: str


@click.command("doctor", short_help=COMMANDS["doctor"])
def command() -> int:
    """Show what is installed, which third-party rules load, and the traps of this environment.

    Exit code: 1 where something keeps rl-diag from working, else 0.
    """
    shape = screen()
    seen = [*installed(), *backends(), *rules(), *terminal()]
    lines: list[str] = []
    for grade, text in seen:
        first, *rest = wrapped(text, shape, 2)
        lines += [_MARKS[grade] + first[1:], *rest]
    emit(finish(lines, shape))
    return int(any(one.grade == "broken" for one in seen))


def installed() -> Iterator[Seen]:
    yield Seen("good", f"rl-diag {__version__} · Python {platform.python_version()} · numpy {_version('numpy') or 'not installed'}")
    for name in ("rich", "PyYAML", "orjson"):
        if _version(name) is None:
            yield Seen("broken", f"{name} is not installed and check needs it: pip install {name}")


def backends() -> Iterator[Seen]:
    yield _protobuf()
    if found := _version("tensorboard"):
        yield Seen("good", f"tensorboard {found}: event files are read without it")
    else:
        yield Seen("absent", "tensorboard is not installed: event files are read without it")
    if found := _version("wandb"):
        yield Seen("absent", f"wandb {found}: W&B runs are not read by this version")
    else:
        yield Seen("absent", "wandb is not installed: not needed, W&B runs are not read by this version")


def _protobuf() -> Seen:
    try:
        from google.protobuf.internal import api_implementation
    except ImportError as error:
        return Seen("broken", f"protobuf cannot be imported ({error}): event files cannot be read. pip install protobuf")
    kind: str = api_implementation.Type()
    text = f"protobuf {_version('protobuf')} ({kind})"
    if kind == "python":
        why = os.environ.get("PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION")
        cure = "unset PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION" if why else "install a wheel that is built for this Python"
        return Seen("trap", f"{text}: event files are read slowly. {cure}")
    return Seen("good", text)


def rules() -> Iterator[Seen]:
    """Each third-party entry point is tried on its own: one that raises must be named, not met as a crash of ``check``."""
    from .. import registry

    broken = False
    for point in entry_points(group=registry.GROUP):
        seen = _entry_point(point)
        broken = broken or seen.grade == "broken"
        yield seen
    if broken:
        return
    try:
        loaded = registry.load_rules()
    except Exception as error:
        yield Seen("broken", f"the rules cannot be loaded: {type(error).__name__}: {error}")
        return
    chapters = {rule.chapter for rule in loaded}
    yield Seen("good", f"rules: {len(loaded)}, in {', '.join(sorted(chapters)).replace('_', '-')}")


def _entry_point(point: EntryPoint) -> Seen:
    from ..authoring import Rule

    package = point.dist.name if point.dist is not None else "?"
    where = f"rules of {package} ({point.name} = {point.value})"
    try:
        loaded = point.load()
        found = [loaded] if isinstance(loaded, Rule) else list(loaded)
    except Exception as error:
        return Seen("broken", f"{where} cannot be loaded: {type(error).__name__}: {error}. pip uninstall {package}, or repair it")
    strange = [type(rule).__name__ for rule in found if not isinstance(rule, Rule)]
    if strange:
        return Seen("broken", f"{where}: expected a rule or a list of rules, found {strange[0]}")
    return Seen("good", f"{where}: {', '.join(rule.id for rule in found)}")


def terminal() -> Iterator[Seen]:
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    if not is_utf8(sys.stdout):
        yield Seen("trap", f"stdout is {encoding}: curves are printed in ASCII. set PYTHONUTF8=1")
    if os.environ.get("TERM") == "dumb":
        yield Seen("trap", "TERM is dumb: no colour, and on a terminal no curves")
    if os.environ.get("NO_COLOR"):
        yield Seen("absent", "NO_COLOR is set: no colour")
    elif os.environ.get("FORCE_COLOR"):
        yield Seen("absent", "FORCE_COLOR is set: colour in pipes and files too")


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
