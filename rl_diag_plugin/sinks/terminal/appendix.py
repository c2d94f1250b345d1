"""What -v adds below the blind spots: rules that passed, keys as they were read, keys that were not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...model import Report
from ...wording import step_text
from .layout import Line, Sheet, Span, typed
from .phrases import rules

MEASURES = {"exact": "=", "lower-bound": "≥", "upper-bound": "≤"}  # everything else is mixed with another quantity


def appendix(report: Report, sheet: Sheet) -> list[Line]:
    lines: list[Line] = []
    if report.passed:
        names = [p.rule + (f" (from {step_text(p.first)})" if p.first is not None else "") for p in report.passed]
        lines += [*sheet.wrap([f"{rules(len(names))} passed:"], 0), *listed(names, sheet)]
    if report.not_applicable:
        lines += sheet.wrap([f"{rules(len(report.not_applicable))} left out, they do not apply:"], 0)
        lines += [line for n in report.not_applicable for line in sheet.wrap([typed(n.rule), f": {n.reason}"], 4, first=["  "])]
    if report.readings:
        lines += [*sheet.wrap([f"keys read, {len(report.readings):,}:"], 0), *_readings(report, sheet)]
    if report.unmapped:
        lines += [*sheet.wrap([f"keys not read, {len(report.unmapped):,}:"], 0), *listed(report.unmapped, sheet)]
    return lines


def _readings(report: Report, sheet: Sheet) -> Iterable[Line]:
    for reading in report.readings:
        yield from sheet.wrap([typed(reading.key), "  ", typed(reading.metric)], 4, first=[MEASURES.get(reading.measures, "≈"), " "])
        if reading.caveat:
            yield from sheet.wrap([reading.caveat], 4, first=["    "])


def listed(names: Sequence[str], sheet: Sheet) -> list[Line]:
    words: list[Span | str] = []
    for i, name in enumerate(names):
        words += [typed(name + ("," if i + 1 < len(names) else "")), " "]
    return sheet.wrap(words, 2, first=["  "])
