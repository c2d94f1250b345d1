"""What could not be judged, and what to switch on: silence is printed."""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Report, Skipped
from .layout import Line, Sheet, Span, length, typed
from .phrases import enabling, rules, unjudged

MOST = 5


def blind_spots(report: Report, sheet: Sheet) -> list[Line]:
    total = unjudged(report)
    if not total and not report.skipped:
        return sheet.wrap(["0 rules could not be judged."], 0)
    switch = any(s.enable is not None and s.rows_needed is None for s in report.skipped)
    lines = sheet.wrap([f"{rules(total)} could not be judged" + (". Switch on, most rules gained first:" if switch else ":")], 0)
    if sheet.options.verbose:
        return lines + [line for s in report.skipped for line in (*_line(s, sheet), *_reasons(s, sheet))]
    shown, rest = _shown(report.skipped)
    lines += [line for s in shown for line in _line(s, sheet)]
    if rest:
        lines += sheet.wrap([f"for {len(rest)} more reasons, -v lists them"], 7, first=[f"{sum(len(s.rules) for s in rest):>5}  "])
    return lines


def _shown(skipped: Sequence[Skipped]) -> tuple[list[Skipped], list[Skipped]]:
    """Five lines at most, waiting among them: it is the one that ends by itself."""
    if len(skipped) <= MOST:
        return list(skipped), []
    waiting = [i for i, s in enumerate(skipped) if s.rows_needed is not None][:1]
    others = [i for i in range(len(skipped)) if i not in waiting]
    kept = {*waiting, *others[: MOST - 1 - len(waiting)]}
    return [s for i, s in enumerate(skipped) if i in kept], [s for i, s in enumerate(skipped) if i not in kept]


def _line(skipped: Skipped, sheet: Sheet) -> list[Line]:
    made = skipped.enable if skipped.rows_needed is None else None
    n = len(skipped.rules)
    words: list[Span | str] = [typed(enabling(skipped)) if made is not None and None not in (made.key, made.value) else enabling(skipped)]
    if made is not None and made.was is not None:
        words += ["  now ", typed(made.was)]
    shows = f": {made.shows}" if made is not None and made.shows else ""
    width = sheet.options.columns
    if shows and (sheet.options.verbose or 7 + length(sheet.spans([*words, shows])) <= width):
        words.append(shows)
    return sheet.wrap(words, 7, width, [f"{f'+{n}' if made is not None else str(n):>5}  "])


def _reasons(skipped: Skipped, sheet: Sheet) -> list[Line]:
    ids: list[Span | str] = [
        w for i, name in enumerate(skipped.rules) for w in (typed(name + ("," if i + 1 < len(skipped.rules) else "")), " ")
    ]
    cost = skipped.enable.cost if skipped.enable is not None else ""
    lines = sheet.wrap([f"cost: {cost}"], 9, first=["       "]) if cost else []
    return lines + sheet.wrap(ids, 9, first=["       "])
