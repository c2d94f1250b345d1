"""Inputs that gave no report, by reason."""

from __future__ import annotations

from collections.abc import Sequence

from ..failed import Failed
from .layout import Line, Sheet, Span, length, pad, typed


def failed_lines(failed: Sequence[Failed], sheet: Sheet) -> list[Line]:
    if not failed:
        return []
    groups = grouped(failed)
    lines = sheet.wrap([f"{files(len(failed))} gave no report:"], 2, first=["  "])
    reasons = [sheet.words(reason) for reason, _ in groups]
    column = max(length(sheet.spans([reason])) for reason in reasons)
    for reason, (_, members) in zip(reasons, groups, strict=True):
        more = f", {len(members) - 1} more" if len(members) > 1 else ""
        start = f"{len(members):>5}  "
        if sheet.options.verbose:
            lines += sheet.wrap([reason], 7, first=[start])
            lines += [line for member in members for line in sheet.wrap([typed(member.path)], 9, first=[" " * 9])]
        elif 7 + column + 3 + length(sheet.spans([typed(members[0].path), more])) <= sheet.options.columns:
            lines.append(sheet.row(start, pad(reason, column), "   ", typed(members[0].path), more))
        else:
            path: list[Span | str] = [typed(members[0].path), more]
            lines += [*sheet.wrap([reason], 7, first=[start]), *sheet.wrap(path, 9, first=[" " * 9])]
    return lines


def files(n: int) -> str:
    return "1 file" if n == 1 else f"{n:,} files"


def grouped(failed: Sequence[Failed]) -> list[tuple[str, list[Failed]]]:
    """Reason → inputs, most first. What to do is said where it is the same for all of a kind."""
    kinds: dict[str, list[Failed]] = {}
    for one in failed:
        kinds.setdefault(one.kind, []).append(one)
    named = [(_reason(kind, members), members) for kind, members in kinds.items()]
    return sorted(named, key=lambda group: -len(group[1]))


def _reason(kind: str, members: Sequence[Failed]) -> str:
    """A kind that is told in words; else what all of its inputs have in common."""
    if " " in kind:
        return kind
    reasons, cures = {m.reason for m in members}, {m.do for m in members}
    said = reasons.pop().removeprefix("is ").removeprefix("a ").removeprefix("an ") if len(reasons) == 1 else kind.replace("-", " ")
    cure = cures.pop() if len(cures) == 1 else ""
    return f"{said}: {cure}" if cure else said
