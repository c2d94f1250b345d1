"""The text that ``rl-diag check`` prints. Only widths and blocks are computed here; every word and number is the report's."""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Report
from ..failed import Failed
from .layout import Sheet
from .options import Options
from .plain import plain_text
from .quiet import quiet_lines
from .run import run_lines
from .table import table_lines

__all__ = ["Options", "render"]


def render(reports: Sequence[Report], failed: Sequence[Failed] = (), options: Options | None = None) -> str:
    """One run in full, several as a table; ``failed`` are the inputs that gave no report. Ends with a line break."""
    options = options or Options()
    sheet = Sheet(options)
    if options.quiet:
        return sheet.text(quiet_lines(reports, failed, sheet))
    if options.plain:
        return plain_text(reports, failed, options)
    return sheet.text(run_lines(reports[0], failed, sheet) if len(reports) == 1 else table_lines(reports, failed, sheet))
