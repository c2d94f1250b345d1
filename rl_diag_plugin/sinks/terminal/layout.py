"""Lines: spans with a look, measured in cells, wrapped at spaces; and the lines as text, with or without colour."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from rich.cells import cell_len

from .clean import NBSP, ascii_words, clean, with_percent
from .marks import Look
from .options import Options

_CODES: dict[Look, str] = {
    "bold": "1",
    "dim": "2",
    "critical": "1;35",
    "error": "1;31",
    "warning": "1;33",
    "info": "1;34",
    "note": "1",
    "passed": "1;32",
}
_WORDS = re.compile(r" +|[^ ]+")


class Span(NamedTuple):
    """``typed``: what a reader may type again; it is printed whole, in its own characters."""

    text: str
    look: Look = ""
    typed: bool = False


Line: TypeAlias = tuple[Span, ...]
Words: TypeAlias = Sequence[Span | str]
BLANK: Line = ()


def typed(text: str, look: Look = "") -> Span:
    return Span(text, look, True)


@dataclass(frozen=True, slots=True)
class Sheet:
    """What lines are laid out on."""

    options: Options

    @property
    def dots(self) -> str:
        return "..." if self.options.ascii else "…"

    def spans(self, words: Words) -> Line:
        """Cleaned, and in ASCII where the screen has no more. Before anything is measured: ``→`` becomes two cells."""
        return tuple(self._span(Span(w) if isinstance(w, str) else w) for w in words)

    def _span(self, span: Span) -> Span:
        text = _kept(span.text)
        if span.typed:
            return span._replace(text=text)
        text = with_percent(text)
        return span._replace(text=ascii_words(text) if self.options.ascii else text)

    def words(self, text: str) -> str:
        return self.spans([text])[0].text.replace(NBSP, " ")

    def row(self, *words: Span | str) -> Line:
        """One line as it is; its columns have been measured."""
        return self.spans(words)

    def wrap(self, words: Words, rest: int, width: int | None = None, first: Words = ()) -> list[Line]:
        """``first`` opens the first line; further lines are indented by ``rest``. Words that are too long are broken, typed ones never."""
        limit = self.options.prose if width is None else width
        start = self.spans(first)
        lines: list[list[Span]] = [list(start)]
        at, fresh, gap = length(start), True, 0
        for word in _atoms(self.spans(words)):
            if _is_gap(word[0]):
                gap = length(word)
                continue
            size = length(word)
            if not fresh and at + gap + size > limit:
                lines.append([Span(" " * rest)])
                at, fresh, gap = rest, True, 0
            elif not fresh or gap:
                lines[-1].append(Span(" " * gap))
                at += gap
            for piece in _broken(word, limit - at, limit - rest):
                if piece is None:
                    lines.append([Span(" " * rest)])
                    at = rest
                else:
                    lines[-1].append(piece)
                    at += cell_len(piece.text)
            fresh, gap = False, 0
        return [tuple(line) for line in lines]

    def cut_middle(self, text: str, cells: int) -> str:
        """A name that is too long loses its middle, counted in cells: a Chinese character has two."""
        text = clean(text)
        if cell_len(text) <= cells:
            return text
        room = cells - len(self.dots)
        head = _head(text, (room + 1) // 2)
        return head + self.dots + _head(text[::-1], room - (room + 1) // 2)[::-1]

    def cut_end(self, text: str, cells: int) -> str:
        text = self.words(text)
        return text if cell_len(text) <= cells else _head(text, cells - len(self.dots)) + self.dots

    def text(self, lines: Iterable[Line]) -> str:
        return "\n".join(self._drawn(line) for line in lines) + "\n"

    def _drawn(self, line: Line) -> str:
        joined = _joined(line)
        if not self.options.colour:
            return "".join(span.text for span in joined)
        return "".join(f"\x1b[{_CODES[s.look]}m{s.text}\x1b[0m" if s.look else s.text for s in joined)


def _kept(text: str) -> str:
    """Cleaned, but for the spaces that are ours."""
    return NBSP.join(map(clean, text.split(NBSP)))


def pad(text: str, cells: int) -> str:
    return text + " " * max(0, cells - cell_len(text))


def length(spans: Iterable[Span]) -> int:
    return sum(cell_len(span.text) for span in spans)


def _atoms(spans: Line) -> list[list[Span]]:
    """Words and the spaces between them; a word may change its look within."""
    out: list[list[Span]] = []
    for span in spans:
        for text in _WORDS.findall(span.text):
            part = span._replace(text=text)
            if out and not _is_gap(part) and not _is_gap(out[-1][-1]):
                out[-1].append(part)
            else:
                out.append([part])
    return out


def _is_gap(span: Span) -> bool:
    return span.text.isspace() and NBSP not in span.text


def _broken(word: list[Span], room: int, next_room: int) -> Iterable[Span | None]:
    """The word, with None where a line ends within it."""
    if length(word) <= room or any(span.typed for span in word):
        yield from word
        return
    for span in word:
        text = span.text
        while cell_len(text) > room:
            head = _head(text, room) or (text[0] if room >= next_room else "")
            if head:
                yield span._replace(text=head)
            text = text[len(head) :]
            yield None
            room = next_room
        if text:
            yield span._replace(text=text)
            room -= cell_len(text)


def _head(text: str, cells: int) -> str:
    """As many characters as fit, at least none."""
    end = min(len(text), max(0, cells))
    while end and cell_len(text[:end]) > cells:
        end -= 1
    return text[:end]


def _joined(line: Line) -> list[Span]:
    """Neighbours of one look as one span, spaces with what stands before them; no spaces at the end."""
    out: list[Span] = []
    for span in line:
        text = span.text.replace(NBSP, " ")
        if out and (out[-1].look == span.look or not text.strip()):
            out[-1] = out[-1]._replace(text=out[-1].text + text)
        elif text:
            out.append(Span(text, span.look if text.strip() else ""))
    while out and not out[-1].text.strip():
        out.pop()
    if out:
        out[-1] = out[-1]._replace(text=out[-1].text.rstrip())
    return out


__all__ = ["BLANK", "Line", "Sheet", "Span", "Words", "length", "pad", "typed"]
