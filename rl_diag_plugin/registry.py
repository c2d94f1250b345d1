"""Finds the rules: one a file below ``rules``, and third parties' by the entry points ``rl_diag_plugin.rules``."""

from __future__ import annotations

import difflib
import fnmatch
import functools
import importlib
import pkgutil
from collections.abc import Iterable, Sequence
from importlib.metadata import entry_points

from . import rules as _rules
from .authoring import Rule

GROUP = "rl_diag_plugin.rules"


@functools.cache
def load_rules() -> tuple[Rule, ...]:
    """All rules, by chapter and id. Raises ValueError where a file's rule has another name or two rules share an id."""
    found: dict[str, Rule] = {}
    for rule in (*_own(), *_third_party()):
        if rule.id in found:
            raise ValueError(f"two rules are called {rule.id}")
        found[rule.id] = rule
    return tuple(sorted(found.values(), key=lambda r: (r.chapter, r.id)))


def _own() -> Iterable[Rule]:
    for package in pkgutil.iter_modules(_rules.__path__):
        if not package.ispkg:
            continue
        chapter = importlib.import_module(f"{_rules.__name__}.{package.name}")
        for module in pkgutil.iter_modules(chapter.__path__):
            loaded = importlib.import_module(f"{chapter.__name__}.{module.name}")
            rule = getattr(loaded, module.name, None)
            if not isinstance(rule, Rule) or rule.id != module.name.replace("_", "-"):
                raise ValueError(f"{loaded.__name__} does not define the rule {module.name.replace('_', '-')}")
            yield rule


def _third_party() -> Iterable[Rule]:
    """Each entry point is a Rule or a list of rules."""
    for point in entry_points(group=GROUP):
        loaded = point.load()
        yield from [loaded] if isinstance(loaded, Rule) else loaded


def find_rule(name: str, rules: Sequence[Rule] | None = None) -> Rule:
    """The rule of an id. Raises KeyError that names the nearest."""
    known = {rule.id: rule for rule in (load_rules() if rules is None else rules)}
    if name in known:
        return known[name]
    raise KeyError(f"no rule {name}\nnearest: {', '.join(nearest_rules(name, list(known)))}")


def nearest_rules(name: str, known: Sequence[str]) -> list[str]:
    """At most three ids: by what they begin with, then by spelling."""
    starts = [k for k in known if k.startswith(name) or name.startswith(k)]
    words = [k for k in known if set(name.split("-")) & set(k.split("-"))]
    return list(dict.fromkeys([*starts, *difflib.get_close_matches(name, known, 3, 0.5), *words]))[:3] or list(known)[:3]


def choose(rules: Sequence[Rule], select: Iterable[str] = (), ignore: Iterable[str] = ()) -> tuple[Rule, ...]:
    """Rules by id, chapter or glob. A pattern that matches nothing raises KeyError with the nearest ids."""
    wanted = [p for s in select for p in s.split(",") if p]
    unwanted = [p for s in ignore for p in s.split(",") if p]
    for pattern in (*wanted, *unwanted):
        if not any(_matches(rule, pattern) for rule in rules):
            chapters = sorted({rule.chapter for rule in rules})
            near = nearest_rules(pattern, [rule.id for rule in rules])
            raise KeyError(f"no rule {pattern}\nnearest: {', '.join(near)}; chapters: {', '.join(chapters)}")
    chosen = [r for r in rules if not wanted or any(_matches(r, p) for p in wanted)]
    return tuple(r for r in chosen if not any(_matches(r, p) for p in unwanted))


def _matches(rule: Rule, pattern: str) -> bool:
    return fnmatch.fnmatchcase(rule.id, pattern) or rule.chapter.replace("_", "-") == pattern.replace("_", "-")
