"""What every source says of a file in the same words."""

from __future__ import annotations

from ..model import Event
from ..wording import step_text


def incomplete_event(last: int | None) -> Event:
    """The last record is cut off; ``last`` is the last step that was read."""
    upto = "nothing was read before it" if last is None else f"read up to step {step_text(last)}"
    return Event("incomplete", last, f"the last record is incomplete: {upto}")


def renewed_event() -> Event:
    """The file behind a cursor is another one now."""
    return Event("note", None, "the file was cut or replaced: it is read anew from its start")


def damaged_gzip_event(last: int | None) -> Event:
    return Event("note", last, "the gzip stream is damaged: read up to there")
