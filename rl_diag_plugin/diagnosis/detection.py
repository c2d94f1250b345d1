"""Which trainer wrote this, and in which version: from configuration and keys, final after 20 rows or a decisive key."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..frameworks import CANONICAL, FRAMEWORKS, Framework
from ..model import Version

ROWS = 20
_TYPICAL = 3  # typical keys that are enough where no key is decisive


@dataclass(frozen=True, slots=True)
class Detected:
    """``certain``: nothing that is still to come can change it. ``keys``: those it was judged by."""

    framework: Framework
    version: Version | None
    certain: bool
    recognised: bool
    keys: frozenset[str] = frozenset()


def detect(keys: Iterable[str], config: Mapping[str, Any], given: str | None, version: Version | None) -> Detected:
    """The best guess for the keys seen so far. ``given``: the user's word, which wins."""
    seen = frozenset(keys)
    if given is not None:
        framework = FRAMEWORKS[given]
        return Detected(framework, version or framework.version_of(config, seen), True, True, seen)
    best, best_score = CANONICAL, 0
    for framework in FRAMEWORKS.values():
        score = _score(framework, seen, config)
        if score > best_score:
            best, best_score = framework, score
    recognised = best_score >= _TYPICAL
    framework = best if recognised else CANONICAL
    return Detected(framework, version or framework.version_of(config, seen), best_score >= 1000, recognised, seen)


def _score(framework: Framework, seen: frozenset[str], config: Mapping[str, Any]) -> int:
    names = {name for name in map(framework.normalise, seen) if name is not None}
    score = len(names & framework.typical)
    if names & framework.decisive:
        score += 1000
    if config and framework.recognise_config(config):
        score += 1000
    return score


def known(name: str) -> str:
    """A framework's name as the user wrote it. Raises KeyError that names the nearest and all."""
    lower = name.lower()
    if lower in FRAMEWORKS:
        return lower
    every = sorted(f for f in FRAMEWORKS if f != "canonical")
    close = difflib.get_close_matches(lower, every, 1, 0.3)
    nearest = f"nearest: {close[0]}. " if close else ""
    raise KeyError(f"no framework {name}\n{nearest}All: {', '.join(every)}")
