"""Standard output and the terminal: how wide, which characters, colour or not; and one write of a complete text."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from typing import IO, Any

WIDEST = 160
NARROWEST = 60


@dataclass(frozen=True, slots=True)
class Screen:
    """What standard output can show. ``plain``: one statement a line, for screen readers and dumb terminals."""

    width: int
    colour: bool
    ascii: bool
    plain: bool = False


def screen(stream: IO[Any] | None = None, plain: bool = False) -> Screen:
    """A pipe is no dumb terminal: it gets the same text without colour."""
    out = sys.stdout if stream is None else stream
    terminal = is_terminal(out)
    return Screen(
        width=min(WIDEST, max(NARROWEST, shutil.get_terminal_size((80, 24)).columns)),
        colour=_colour(terminal),
        ascii=not is_utf8(out),
        plain=plain or (terminal and os.environ.get("TERM") == "dumb"),
    )


def is_terminal(stream: IO[Any]) -> bool:
    return bool(getattr(stream, "isatty", lambda: False)())


def is_utf8(stream: IO[Any]) -> bool:
    return (getattr(stream, "encoding", None) or "utf-8").lower().replace("_", "-") in ("utf-8", "utf8", "utf-8-sig", "cp65001")


def _colour(terminal: bool) -> bool:
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return terminal or bool(os.environ.get("FORCE_COLOR"))


def printable(text: str) -> str:
    """Text from a log or a file name cannot steer the terminal: what is not to be seen is written out (``\\x1b``)."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in text)


def emit(text: str) -> None:
    """The whole of a command's output in one write; a character that the encoding lacks is escaped, a closed pipe is no fault."""
    stream = sys.stdout
    if not text.endswith("\n"):
        text += "\n"
    encoding = getattr(stream, "encoding", None) or "utf-8"
    _write(stream, text.encode(encoding, "backslashreplace").decode(encoding))


def emit_bytes(data: bytes) -> None:
    """JSON is UTF-8 whatever the terminal's encoding."""
    buffer: IO[bytes] | None = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        _write(sys.stdout, data.decode())
    else:
        _write(buffer, data)


def _write(stream: IO[Any], data: Any) -> None:
    try:
        stream.write(data)
        stream.flush()
    except BrokenPipeError:
        # The interpreter flushes once more at exit; it must find something that can be written to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
