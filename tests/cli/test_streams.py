"""Width, characters and colour follow the stream and the environment; a text is written once and whole."""

from __future__ import annotations

import io

import pytest

from rl_diag_plugin.cli.streams import Screen, emit, screen


class Stream(io.TextIOWrapper):
    def __init__(self, encoding: str = "utf-8", terminal: bool = False) -> None:
        super().__init__(io.BytesIO(), encoding=encoding)
        self.terminal = terminal
        self.writes = 0

    def isatty(self) -> bool:
        return self.terminal

    def write(self, text: str) -> int:
        self.writes += 1
        return super().write(text)


@pytest.mark.parametrize(
    ("terminal", "env", "colour"),
    [
        (True, {}, True),
        (False, {}, False),
        (False, {"FORCE_COLOR": "1"}, True),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),
        (True, {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        (True, {"TERM": "dumb"}, False),
        (False, {"TERM": "dumb", "FORCE_COLOR": "1"}, False),
    ],
)
def test_colour_is_for_terminals_unless_the_environment_says_otherwise(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, env: dict[str, str], colour: bool
) -> None:
    for name, value in env.items():
        monkeypatch.setenv(name, value)

    assert colour == screen(Stream(terminal=terminal)).colour


def test_a_dumb_terminal_gets_plain_text_and_a_pipe_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")

    assert (True, False) == (screen(Stream(terminal=True)).plain, screen(Stream()).plain)
    assert screen(Stream(), plain=True).plain


@pytest.mark.parametrize(("columns", "width"), [("20", 60), ("60", 60), ("100", 100), ("500", 160), ("0", 80)])
def test_the_width_is_the_terminals_between_60_and_160(monkeypatch: pytest.MonkeyPatch, columns: str, width: int) -> None:
    monkeypatch.setenv("COLUMNS", columns)

    assert width == screen(Stream()).width


@pytest.mark.parametrize(("encoding", "is_ascii"), [("utf-8", False), ("UTF8", False), ("cp936", True), ("ascii", True), ("latin-1", True)])
def test_what_is_not_utf_8_gets_ascii(encoding: str, is_ascii: bool) -> None:
    assert is_ascii == screen(Stream(encoding)).ascii


def test_a_text_is_written_once_with_what_the_encoding_lacks_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Stream("ascii")
    monkeypatch.setattr("sys.stdout", stream)

    emit("run 实验\nend")

    assert (1, b"run \\u5b9e\\u9a8c\nend\n") == (stream.writes, stream.buffer.getvalue())  # type: ignore[attr-defined]


def test_a_screen_is_wide_and_colourless_by_default() -> None:
    assert Screen(80, False, False) == screen(Stream())
