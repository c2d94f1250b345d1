"""What is said on standard error, and the exit code that goes with it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from .streams import printable

UNUSABLE = 2
INTERRUPTED = 130


class Refused(Exception):
    """An input or option that cannot be used: what was given and what is wrong; then what was expected, or what to do."""


class Stopped(Exception):
    """Interrupted by the user; the text says how far it came."""


def complain(text: str) -> int:
    """``error: …`` on standard error, further lines indented. Returns the exit code."""
    print(error_text(text), file=sys.stderr)
    return UNUSABLE


def error_text(text: str) -> str:
    return printable("error: " + "\n  ".join(text.strip().split("\n")))


@contextmanager
def naming(what: str) -> Iterator[None]:
    """KeyError and ValueError in words, raised inside, become a refusal that begins with what the user typed."""
    try:
        yield
    except (KeyError, ValueError) as error:
        said = error.args[0] if error.args else error
        raise Refused(f"{what}: {said}" if what else str(said)) from None


def refusal_of(error: click.ClickException) -> str:
    """Click's own complaints in our form: no capital, no full stop, and where to read on."""
    said = error.format_message().rstrip(".")
    text = said[:1].lower() + said[1:]
    ctx: Any = getattr(error, "ctx", None)
    return f"{text}\n{ctx.command_path} --help" if ctx is not None else text
