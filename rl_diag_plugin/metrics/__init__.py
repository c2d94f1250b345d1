"""The standard metrics: AReaL's guide's names, continued in its style. Every public constant is one Metric."""

from __future__ import annotations

import difflib

from . import actor, critic, rollout, update
from .base import Metric

METRICS: dict[str, Metric] = {
    m.name: m for module in (rollout, actor, update, critic) for m in vars(module).values() if isinstance(m, Metric)
}
_STATISTICS = ("max", "min", "std", "lower", "upper")


def find_metric(name: str) -> Metric:
    """The metric of a standard name, with any statistic suffix. Raises KeyError that names the nearest."""
    if name in METRICS:
        return METRICS[name]
    stem, _, suffix = name.rpartition("/")
    if suffix in _STATISTICS and stem in METRICS:
        part: Metric = getattr(METRICS[stem], suffix)
        return part
    raise KeyError(f"no metric {name}\nnearest: {', '.join(nearest_metrics(name)) or 'none'}")


def nearest_metrics(name: str) -> list[str]:
    """At most three standard names that somebody who wrote ``name`` may mean: by spelling, then by last part."""
    tail = name.rsplit("/", 1)[-1]
    by_part = [m for m in METRICS if tail and (tail in m.rsplit("/", 1)[-1].split("_") or m.endswith("/" + tail))]
    close = difflib.get_close_matches(name, METRICS, 3, 0.6)
    return list(dict.fromkeys(close + by_part))[:3]


__all__ = ["METRICS", "Metric", "find_metric", "nearest_metrics"]
