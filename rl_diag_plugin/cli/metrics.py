"""``rl-diag metrics``: what each logged key was read as, and what was not read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from . import COMMANDS
from .check import complain_of, examined
from .errors import UNUSABLE
from .streams import Screen, emit, screen
from .text import finish, wrapped

if TYPE_CHECKING:
    from ..model import ReadingUsed, Report, Skipped

_MARKS = {"exact": "=", "lower-bound": "≥", "upper-bound": "≤"}
_MIXED = "≈"
_SHOWN = 4  # keys that were not read, and what to switch on, without -v


@click.command("metrics", short_help=COMMANDS["metrics"])
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@click.option("--config", metavar="FILE", help="The run's configuration, where it does not lie beside the log.")
@click.option("--set", "set_", multiple=True, metavar="SETTING=VALUE", help="A setting that no configuration says.")
@click.option("--map", "map_", multiple=True, metavar="KEY=METRIC", help="Read a key of your own.")
@click.option("--framework", metavar="NAME[==VERSION]", help="The trainer, where it is not recognised.")
@click.option("--run", metavar="REGEX", help="Only runs whose name matches.")
@click.option("--verbose", "-v", is_flag=True, help="All keys, and all that could be switched on.")
def command(paths: tuple[str, ...], verbose: bool, **given: Any) -> int:
    """Show what each logged key was read as, with its caveats; what was not read; which rules wait for more."""
    examination = examined(paths, given)
    shape = screen()
    lines: list[str] = []
    for report in examination.reports:
        lines += ([""] if lines else []) + described(report, shape, verbose)
    if lines:
        emit(finish(lines, shape))
    complain_of(examination.errors)
    return UNUSABLE if examination.errors else 0


def described(report: Report, shape: Screen, verbose: bool) -> list[str]:
    trainer = report.trainer or "trainer not recognised"
    lines = [f"{report.run}  {trainer}: {len(report.readings)} keys read, {len(report.unmapped)} not", ""]
    lines += _table(report.readings, shape)
    lines += ["", *wrapped("= exact, ≥ lower bound, ≤ upper bound, ≈ mixed with another quantity", shape, 2)]
    if report.unmapped:
        lines += wrapped(_unread(report.unmapped, verbose), shape, 2)
    return lines + _waiting(report.skipped, shape, verbose)


def _table(readings: Sequence[ReadingUsed], shape: Screen) -> list[str]:
    """A key that is too long for its column stands on a line of its own; nothing that can be typed is cut."""
    metric = max([len(r.metric) for r in readings], default=7)
    metric = max(metric, len("read as"))
    longest = max([len(r.key) for r in readings], default=10)
    key = max(len("logged key"), min(longest, shape.width - metric - 22))
    lines = [f"  {'logged key':<{key}}  {'read as':<{metric}}  {'rows':>6}  {'last':>8}"]
    said = ""
    for reading in readings:
        mark = _MARKS.get(reading.measures, _MIXED)
        rest = f"{reading.metric:<{metric}}  {reading.points:>6,}  {_last(reading):>8}"
        if len(reading.key) > key:
            lines += [f"{mark} {reading.key}", f"  {'':<{key}}  {rest}"]
        else:
            lines.append(f"{mark} {reading.key:<{key}}  {rest}")
        if reading.caveat:
            lines += wrapped("as above" if reading.caveat == said else reading.caveat, shape, 4)
        said = reading.caveat
    return lines


def _last(reading: ReadingUsed) -> str:
    from ..metrics import find_metric
    from ..wording import number, share

    if reading.last is None:
        return "not finite" if reading.nonfinite else "–"
    try:
        unit = find_metric(reading.metric).unit
    except KeyError:
        unit = ""
    return share(reading.last) if unit == "%" else number(reading.last)


def _unread(keys: Sequence[str], verbose: bool) -> str:
    shown = list(keys) if verbose else list(keys[:_SHOWN])
    more = len(keys) - len(shown)
    tail = f" and {more} more (-v)" if more else ""
    return f"not read: {', '.join(shown)}{tail}. Is one of them yours?  --map KEY=METRIC"


def _waiting(skipped: Sequence[Skipped], shape: Screen, verbose: bool) -> list[str]:
    """What logging more would add, most rules gained first."""
    waiting = sorted((s for s in skipped if s.missing), key=lambda s: -len(s.rules))
    if not waiting:
        return []
    total = len({rule for s in waiting for rule in s.rules})
    verb = "rule waits" if total == 1 else "rules wait"
    lines = wrapped(f"{total} {verb} for what is not logged:", shape, 2)
    shown = waiting if verbose else waiting[:_SHOWN]
    for entry in shown:
        text = entry.enable.text if entry.enable is not None else f"log {', '.join(entry.missing)}"
        lines.append(f"  {f'+{len(entry.rules)}':>4}  {text}")
    if len(waiting) > len(shown):
        lines.append(f"        {len(waiting) - len(shown)} more, -v")
    return lines
