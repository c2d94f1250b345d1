"""``rl-diag rules``: the list of rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from . import COMMANDS
from .errors import naming
from .streams import emit, emit_bytes, screen
from .text import finish

if TYPE_CHECKING:
    from ..authoring import Rule


@click.command("rules", short_help=COMMANDS["rules"])
@click.option("--select", multiple=True, metavar="IDS", help="Only these: ids, chapters or globs, with commas between.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(select: tuple[str, ...], form: str) -> int:
    """List the rules: id, severities, what each reads."""
    from ..registry import choose
    from .ruleset import loaded

    with naming(""):
        chosen = choose(loaded(), select)
    if form == "json":
        import orjson

        emit_bytes(orjson.dumps([as_json(rule) for rule in chosen], option=orjson.OPT_INDENT_2) + b"\n")
    else:
        shape = screen()
        emit(finish(listed(chosen, shape.width), shape))
    return 0


def listed(rules: Sequence[Rule], width: int) -> list[str]:
    """One line a rule; of what it reads as much as fits."""
    severities = [", ".join(rule.severities) for rule in rules]
    first = max((len(rule.id) for rule in rules), default=0)
    second = max(map(len, severities), default=0)
    room = width - first - second - 4
    return [f"{rule.id:<{first}}  {said:<{second}}  {_reads(rule, room)}" for rule, said in zip(rules, severities, strict=True)]


def _reads(rule: Rule, room: int) -> str:
    names = list(rule.metrics) or ["configuration or log"]
    text = names[0]
    for i, name in enumerate(names[1:], 1):
        rest = len(names) - i
        if len(text) + len(name) + 2 + (len(f" +{rest - 1}") if rest > 1 else 0) > room:
            return f"{text} +{rest}"
        text += f", {name}"
    return text


def as_json(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "chapter": rule.chapter.replace("_", "-"),
        "title": rule.title,
        "severities": list(rule.severities),
        "reads": list(rule.metrics),
        "limits": [{"value": x.value, "side": x.side, "severity": x.severity, "source": x.source} for x in rule.limits],
    }
