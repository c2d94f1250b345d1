"""``rl-diag explain``: one rule in words, from what the rule itself says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from . import COMMANDS
from .errors import naming
from .streams import Screen, emit, screen
from .text import finish, labelled, wrapped

if TYPE_CHECKING:
    from ..authoring import Rule
    from ..model import Limit


@click.command("explain", short_help=COMMANDS["explain"])
@click.argument("rule", metavar="RULE")
def command(rule: str) -> int:
    """Say what a rule looks at, when it fires, why that matters, and what to do then."""
    from ..registry import find_rule
    from .ruleset import loaded

    with naming(""):
        found = find_rule(rule, loaded())
    shape = screen()
    emit(finish(explained(found, shape), shape))
    return 0


def explained(rule: Rule, shape: Screen) -> list[str]:
    sections = rule.sections()
    lines = [f"{rule.id} · {', '.join(rule.severities)} · {rule.chapter.replace('_', '-')}", *wrapped(rule.title, shape, 2)]
    lines += labelled("Reads", ", ".join(rule.metrics) or "the configuration or the log itself", shape)
    for text in fires(rule):
        lines += labelled("Fires", text, shape)
    for label, section in _SECTIONS:
        if section in sections:
            lines += labelled(label, sections[section], shape)
    for number, text in enumerate(changes(rule), 1):
        lines += labelled("Change" if number == 1 else "", text, shape)
    if rule.explains:
        lines += labelled("Explains", ", ".join(effect.rule for effect in rule.explains), shape)
    if "Source" in sections:
        lines += labelled("Source", sections["Source"], shape)
    return lines


_SECTIONS = (
    ("Why", "Why it matters"),
    ("Measured", "How it is measured"),
    ("Misses", "What it misses"),
    ("False alarm", "Known false alarms"),
)


def fires(rule: Rule) -> list[str]:
    """``above 0.05 warning (AReaL guide), above 0.1 error (…)`` with the statistic that is held against the limits."""
    if not rule.limits:
        return []
    statistic = rule.detector.label() if rule.detector is not None else ""
    said = "; ".join(_limit(limit, _unit(rule)) for limit in rule.limits)
    return [f"{statistic}: {said}" if statistic else said]


def _unit(rule: Rule) -> str:
    from ..metrics import find_metric

    return rule.unit or (find_metric(rule.metrics[0]).unit if len(rule.reads) == 1 else "")


def _limit(limit: Limit, unit: str) -> str:
    from ..wording import quantity, share

    if limit.se is not None:
        return f"{limit.severity} where {share(limit.value)} of the rise is lost, by {limit.se:g} standard errors ({limit.source})"
    return f"{limit.severity} {limit.side} {quantity(limit.value, unit)} ({limit.source})"


def changes(rule: Rule) -> list[str]:
    """The remedies in standard names: there is no run whose keys they could be said in."""
    from ..authoring import Facts
    from ..remedies import show

    shown = [show(remedy, Facts()) for remedy in rule.remedies]
    return [f"{s.text}  {s.applicability}" + (f": {s.why}" if s.why else "") for s in shown if s is not None]
