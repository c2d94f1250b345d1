"""What the caller knows and the report does not: the screen, how much to say, what was typed, the exit code."""

from __future__ import annotations

from dataclasses import dataclass

NARROWEST, WIDEST, PROSE = 60, 160, 100
TRACKS_FROM = 120  # columns from which evidence is drawn beside its words


@dataclass(frozen=True, slots=True)
class Options:
    """``paths``: as typed on the command line, for the line "40 runs in ./runs". ``exit_code`` is said where it is not 0."""

    width: int = 80
    colour: bool = False
    ascii: bool = False
    plain: bool = False
    quiet: bool = False
    verbose: bool = False
    exit_code: int = 0
    paths: tuple[str, ...] = ()

    @property
    def columns(self) -> int:
        """Below 60 the terminal wraps; above 160 the eye does not find the next line."""
        return min(WIDEST, max(NARROWEST, self.width))

    @property
    def prose(self) -> int:
        return min(PROSE, self.columns)

    @property
    def wide(self) -> bool:
        return self.columns >= TRACKS_FROM
