"""Text from a log is text: nothing in it may steer a terminal. And the same text for terminals that know ASCII only."""

from __future__ import annotations

import re
import unicodedata

NBSP = "\u00a0"  # never leaves this package: a space at which no line is broken
_JOINERS = "\u200c\u200d"  # within words and emoji, harmless
_SUSPECT = re.compile(r"[^ -~]")
_PERCENT = re.compile(r"(?<=\d) (?=%)")

_ONE = str.maketrans(
    {
        **dict(zip("◆■▲●✓◇□△○", "CEWIvcewi", strict=True)),
        **dict(zip("▁▂▃▄▅▆▇█", "12345678", strict=True)),
        **dict(zip("╌┃▒━▶┫", ".|:=>]", strict=True)),
        **dict(zip("·–−×‐‑—‘’“”′ ", ";--x---''\"\"' ", strict=True)),
    }
)
_MORE = {"→": "->", "…": "...", "←": "<-", "≥": ">=", "≤": "<=", "≠": "!=", "≈": "~", "±": "+-", "∞": "inf", "•": "*", "²": "^2", "³": "^3"}


def clean(text: str) -> str:
    """White space becomes a space; characters that steer a terminal or turn its writing direction are written out (``\\x1b``)."""
    return text if text.isascii() and text.isprintable() else _SUSPECT.sub(_shown, text)


def _shown(match: re.Match[str]) -> str:
    c = match[0]
    category = unicodedata.category(c)
    if c in "\t\n\r\v\f" or category in ("Zl", "Zp", "Zs"):
        return " "
    if category in ("Cc", "Cs") or (category == "Cf" and c not in _JOINERS):
        return f"\\x{ord(c):02x}" if ord(c) < 256 else f"\\u{ord(c):04x}"
    return c


def unbroken(text: str) -> str:
    """The text as one word for the line breaker."""
    return text.replace(" ", NBSP)


def with_percent(text: str) -> str:
    """A number and its percent sign stay on one line."""
    return _PERCENT.sub(NBSP, text)


def ascii_words(text: str) -> str:
    """Words of ours in ASCII. Letters that have no ASCII form stay: a name in Chinese is a name."""
    if text.isascii():
        return text
    return "".join(c if c.isascii() or c == NBSP else _ascii(c) for c in text.translate(_ONE))


def _ascii(c: str) -> str:
    if c in _MORE:
        return _MORE[c]
    if "GREEK" in (name := unicodedata.name(c, "")):
        return name.rsplit(" ", 1)[-1].lower()
    plain = unicodedata.normalize("NFKD", c).encode("ascii", "ignore").decode()
    return plain if plain and "LATIN" in name else c
