"""Text of the small commands: prose that wraps under a hanging label, and marks that have an ASCII form."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from .streams import Screen, printable

LABEL = 12  # characters of "  False alarm "
PROSE = 100


def labelled(label: str, text: str, screen: Screen) -> list[str]:
    """``  Why         Group-relative …``, wrapped under its own beginning."""
    width = min(screen.width, PROSE)
    first = f"  {label:<{LABEL}}"
    return _wrap(text, width, first, " " * len(first))


def wrapped(text: str, screen: Screen, indent: int) -> list[str]:
    pad = " " * indent
    return _wrap(text, min(screen.width, PROSE), pad, pad)


def _wrap(text: str, width: int, first: str, rest: str) -> list[str]:
    """What can be typed (a key, a command) is never broken."""
    return textwrap.wrap(text, width, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False)


def finish(lines: Iterable[str], screen: Screen) -> str:
    """The lines as one text in what the screen can show."""
    text = printable("\n".join(line.rstrip() for line in lines) + "\n")
    if not screen.ascii:
        return text
    from ..sinks.terminal.clean import ascii_words

    return ascii_words(text)
