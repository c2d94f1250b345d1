"""A finding as a card: what, since when, on the curve; what to change; why; what to try."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...model import Evidence, Finding, LimitShown, RemedyShown, Report, SuspectedCause
from .axis import Axis
from .blocks import BLOCKS, limit_height, scale_of
from .clean import unbroken
from .curves import INDENT, RANGE, few, named, signal_rows, track
from .layout import Line, Sheet, Span, Words, length, typed
from .marks import ROLES, finding_mark
from .phrases import binding, change, drawn_as, label, meta, signal, unit

TALLEST = 24  # lines at 80 columns
PART, TEXT = 12, 14  # columns of a part's number and text


@dataclass(frozen=True, slots=True)
class Room:
    """How much of a card is shown; a card that is too tall gives up the least needed first."""

    changes: int = 3
    causes: int = 2
    unobserved: bool = True
    parts: bool = True  # evidence, causes, next and follows


SHORT = Room(changes=1, parts=False)
_WHOLE = (Room(), Room(changes=2), Room(changes=2, causes=1), Room(changes=2, causes=1, unobserved=False))
_ALL = Room(changes=10**6, causes=10**6)


def whole_card(report: Report, finding: Finding, sheet: Sheet, axis: Axis | None) -> list[Line]:
    if sheet.options.verbose:
        return card(report, finding, sheet, axis, _ALL)
    tallest = TALLEST * max(1, 80 / sheet.options.columns)  # a narrow screen wraps the same words into more lines
    tried = (card(report, finding, sheet, axis, room) for room in _WHOLE)
    least: list[Line] = []
    for least in tried:
        if len(least) <= tallest:
            break
    return least


def card(report: Report, finding: Finding, sheet: Sheet, axis: Axis | None, room: Room) -> list[Line]:
    lines = [
        *head(report, finding, sheet),
        *signal_rows(report, finding, sheet, axis),
        *measured(finding, sheet),
        *limits(report, finding, sheet),
    ]
    if room.parts:
        lines += evidence(report, finding, sheet, axis)
    lines += changes(finding.remedies, sheet, room.changes)
    if room.parts:
        lines += causes(finding.causes, sheet, room)
        lines += following(finding, sheet)
    return lines + (asides(finding, sheet) if sheet.options.verbose else [])


def head(report: Report, finding: Finding, sheet: Sheet) -> list[Line]:
    over: list[Span | str] = [] if finding.active else [Span("over", "bold"), "  "]
    first: Words = [Span(finding_mark(finding), finding.severity), " ", Span(finding.severity, "bold"), "  ", *over]
    lines = sheet.wrap([Span(finding.headline, "bold")], 2, first=first)
    rule, *facts = meta(report, finding)
    return lines + joined([typed(rule), *facts], sheet)


def joined(facts: Words, sheet: Sheet) -> list[Line]:
    """Facts parted by dots; a line ends between two facts, not within one."""
    words: list[Span | str] = []
    for i, fact in enumerate(facts):
        tail = unbroken(" ·") if i + 1 < len(facts) else ""
        # A fact that is longer than a line has to be broken all the same.
        short = length(sheet.spans([fact])) <= sheet.options.prose - 4
        words += [unbroken(fact) if isinstance(fact, str) and short else fact, f"{tail} " if tail else ""]
    return sheet.wrap(words, 2, first=["  "])


def measured(finding: Finding, sheet: Sheet) -> list[Line]:
    """The run's own key and its number in words."""
    words: list[Span | str] = [typed(finding.key)] if finding.key and finding.measured else []
    words += ["  " if words else "", finding.measured] if finding.measured else []
    drawn = drawn_as(finding)
    if words and drawn:
        words.append(f"  (drawn: {drawn})")
    return sheet.wrap(words, 4, first=["  "]) if words else []


def limits(report: Report, finding: Finding, sheet: Sheet) -> list[Line]:
    """``limit  ▃ 0.1 critical (verl docs), 2 more``."""
    shown = binding(finding)
    if shown is None:
        return []
    others = [limit for limit in finding.limits if limit is not shown]
    more = "".join(f", {_limit(limit)}" for limit in others) if sheet.options.verbose else f", {len(others)} more" if others else ""
    block = _limit_block(report, finding, shown)
    return sheet.wrap([f"{block}{_limit(shown)}{more}"], 4, first=["  limit  "])


def _limit(limit: LimitShown) -> str:
    return f"{limit.text} {limit.severity}" + (f" ({limit.source})" if limit.source else "")


def _limit_block(report: Report, finding: Finding, limit: LimitShown) -> str:
    found = signal(report, finding)
    if found is None or few(found[0]):
        return ""
    at = limit_height(limit, scale_of(found[1]))
    return "" if at is None else f"{BLOCKS[at]} "


def evidence(report: Report, finding: Finding, sheet: Sheet, axis: Axis | None) -> list[Line]:
    """The first that confirms and the first that speaks against; all of it, beside its curve, where there is room."""
    shown = [e for e in finding.evidence if e.role != "signal"]
    if not sheet.options.verbose and not sheet.options.wide:
        shown = _first_of_each(shown)
    return [line for e in shown for line in _evidence(report, finding, e, sheet, axis)]


def _first_of_each(shown: Sequence[Evidence]) -> list[Evidence]:
    ordered = sorted(shown, key=lambda e: e.rank)
    first = [next((e for e in ordered if e.role == role), None) for role in ("confirms", "against")]
    context = [e for e in ordered if e.role == "context"]
    picked = [e for e in first if e is not None]
    return picked + context[: 2 - len(picked)]


def _evidence(report: Report, finding: Finding, e: Evidence, sheet: Sheet, axis: Axis | None) -> list[Line]:
    name = e.label or label(report, e.metric) or e.key or ""
    trace = report.traces.get(e.metric or "")
    if not sheet.options.wide or axis is None or trace is None or few(trace):
        return sheet.wrap([f"{name}: {e.text}" if name else e.text], 4, first=[f"{ROLES[e.role]} "])
    onsets = [] if finding.onset.step is None else [finding.onset.step]
    curve = sheet.spans([*named(sheet, name, ROLES[e.role]), *track(sheet, axis, trace, trace.mean, unit(report, e.metric), onsets)])
    words_at = INDENT + axis.width + 2 + RANGE + 2
    return sheet.wrap([e.text], words_at, sheet.options.columns, [*curve, typed(" " * max(2, words_at - length(curve)))])


def part(name: str, number: str = " ") -> list[Span]:
    """The opening of a part's first line; without a name, of a further one."""
    return [Span(f"  {name}".ljust(PART), "bold" if name else ""), Span(f"{number} ")]


def changes(remedies: Sequence[RemedyShown], sheet: Sheet, most: int) -> list[Line]:
    """Ordered alternatives."""
    lines: list[Line] = []
    for i, remedy in enumerate(remedies[:most]):
        opening = part("Change" if i == 0 else "", str(i + 1) if len(remedies) > 1 else " ")
        lines += sheet.wrap(_change(remedy), TEXT, first=opening)
        if sheet.options.verbose and remedy.why:
            lines += sheet.wrap([remedy.why], TEXT, first=[" " * TEXT])
    return lines


def _change(remedy: RemedyShown) -> Words:
    words: list[Span | str] = [remedy.text]
    if remedy.kind == "set" and remedy.key is not None and remedy.new is not None:
        words = [typed(f"{remedy.key}={remedy.new}")]
        if remedy.old is not None:
            words = [typed(remedy.key), "  ", typed(remedy.old, "dim"), Span(" → ", "dim"), typed(remedy.new, "bold")]
    tag = change(remedy)
    return [*words, *([f"  {tag}"] if tag else []), *([f"  ({remedy.note})"] if remedy.note else [])]


def causes(suspected: Sequence[SuspectedCause], sheet: Sheet, room: Room) -> list[Line]:
    """Likeliest first, with what supports it; what speaks against the others."""
    lines: list[Line] = []
    for i, cause in enumerate(suspected[: room.causes]):
        opening = part("Suspected" if i == 0 else "", str(i + 1) if len(suspected) > 1 else " ")
        if sheet.options.verbose or i == 0:
            lines += sheet.wrap([cause.title], TEXT, first=opening)
            lines += _signed("+", cause.supporting, sheet)
            lines += _signed("−", cause.contradicting, sheet) if sheet.options.verbose else []
            lines += _signed("?", cause.unobserved, sheet) if room.unobserved else []
        else:
            lines += sheet.wrap([cause.title, *_against(cause, sheet)], TEXT, first=opening)
    return lines


def _signed(sign: str, texts: Sequence[str], sheet: Sheet) -> list[Line]:
    if sheet.options.verbose:
        return [line for text in texts for line in sheet.wrap([text], TEXT + 2, first=[f"{' ' * TEXT}{sign} "])]
    shown = _as_many(list(texts), sheet, TEXT + 2)
    return sheet.wrap([shown], TEXT + 2, first=[f"{' ' * TEXT}{sign} "]) if shown else []


def _against(cause: SuspectedCause, sheet: Sheet) -> Words:
    at = TEXT + length(sheet.spans([cause.title])) + 4
    shown = _as_many(list(cause.contradicting), sheet, at)
    return [f"  {unbroken('− ')}{shown}"] if shown else []


def _as_many(texts: list[str], sheet: Sheet, at: int) -> str:
    """As many as end on the line, at least one."""
    while len(texts) > 1 and at + length(sheet.spans(["; ".join(texts)])) > sheet.options.prose:
        texts.pop()
    return "; ".join(texts)


def following(finding: Finding, sheet: Sheet) -> list[Line]:
    """Next: the experiment and what each outcome would mean. Follows: consequences, which have no card."""
    lines: list[Line] = []
    if finding.next is not None:
        cost = f" ({finding.next.cost})" if finding.next.cost else ""
        lines += sheet.wrap([finding.next.title + cost], TEXT, first=part("Next"))
        for seen, meaning in finding.next.predict:
            lines += sheet.wrap([f"if {seen} → {meaning}"], TEXT + 2, first=[" " * TEXT])
    if finding.follows:
        ids: list[Span | str] = [typed(f"{name}{',' if i + 1 < len(finding.follows) else ''}") for i, name in enumerate(finding.follows)]
        lines += sheet.wrap([w for name in ids for w in (name, " ")], TEXT, first=part("Follows"))
    return lines


def asides(finding: Finding, sheet: Sheet) -> list[Line]:
    """Why this confidence, false alarms checked, configuration read."""
    lines: list[Line] = []
    if finding.confidence.reasons:
        lines += sheet.wrap(["; ".join(finding.confidence.reasons)], TEXT, first=part("Confidence"))
    for i, (trap, outcome) in enumerate(finding.checked):
        lines += sheet.wrap([f"{trap}: {outcome}"], TEXT, first=part("Checked" if i == 0 else ""))
    if finding.config:
        keys = [w for i, key in enumerate(finding.config) for w in (typed(key + ("," if i + 1 < len(finding.config) else "")), " ")]
        lines += sheet.wrap(keys, TEXT, first=part("Read from"))
    return lines
