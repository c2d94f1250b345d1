"""Writes docs/rules.md, a section a rule, from what the rules themselves say; ``--check`` only compares."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from rl_diag_plugin.authoring import Rule
from rl_diag_plugin.cli.explain import changes, fires
from rl_diag_plugin.registry import load_rules

PAGE = Path(__file__).parent.parent / "docs" / "rules.md"
HEAD = """# Rules

What each rule looks at, when it fires, what it misses. `rl-diag explain RULE` prints the same. Written from the rules' own files by
`python scripts/rules_reference.py`.
"""


def page() -> str:
    rules = sorted(load_rules(), key=lambda rule: (rule.chapter, rule.id))
    parts = [HEAD, *_index(rules)]
    for rule in rules:
        parts += _section(rule)
    return "\n".join(parts)


def _index(rules: list[Rule]) -> Iterator[str]:
    for chapter, members in groupby(rules, key=lambda rule: rule.chapter):
        links = ", ".join(f"[{rule.id}](#{rule.id})" for rule in members)
        yield f"- **{chapter.replace('_', '-')}**: {links}"
    yield ""


def _section(rule: Rule) -> Iterator[str]:
    yield f"## {rule.id}\n"
    yield f"{rule.title} *{', '.join(rule.severities)}; {rule.chapter.replace('_', '-')}*\n"
    reads = ", ".join(f"`{name}`" for name in rule.metrics) or "the configuration or the log itself"
    yield f"- **Reads**: {reads}"
    yield from (f"- **Fires**: {text}" for text in fires(rule))
    yield from (f"- **{name}**: {text}" for name, text in rule.sections().items())
    yield "- **Change**:"
    yield from (f"  - {text}" for text in changes(rule))
    if rule.explains:
        yield f"- **Explains**: {', '.join(f'[{e.rule}](#{e.rule})' for e in rule.explains)}"
    yield ""


def main(args: list[str]) -> int:
    fresh = page()
    if "--check" in args:
        return int(not PAGE.exists() or PAGE.read_text(encoding="utf-8") != fresh)
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(fresh, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
