"""Which rules look at which metrics in this run: a track for each way of serving a rule, and proofs where there are only bounds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from ..authoring import Rule
from ..detectors import Proportion
from ..knobs import Knobs
from ..knobs.optimizer import TRAIN_BATCH_SIZE
from ..knobs.sampling import GROUP_SIZE, ROLLOUT_BATCH_SIZE
from ..metrics import Metric
from ..model import Limit
from .judge import Sampling, Track, tracks

CORRELATION = 0.3  # of samples of one prompt, where the spread within groups is not known; practice, with the noise that it makes simulated


@dataclass(slots=True)
class Plan:
    """``lower`` and ``upper``: tracks over a proven bound of a rule's only metric (finding and passing, one each)."""

    rules: tuple[Rule, ...]
    main: dict[str, list[Track]] = field(default_factory=dict)
    lower: dict[str, Track] = field(default_factory=dict)
    upper: dict[str, Track] = field(default_factory=dict)
    _by_metric: dict[str, list[Track]] = field(default_factory=dict)

    def tracks(self) -> Iterator[Track]:
        for group in self.main.values():
            yield from group
        yield from self.lower.values()
        yield from self.upper.values()

    def reading(self, columns: Iterable[str]) -> list[Track]:
        """The tracks that one of these metrics concerns, in a fixed order."""
        found: dict[int, Track] = {}
        for name in columns:
            for track in self._by_metric.get(name, ()):
                found[id(track)] = track
        return list(found.values())

    def index(self) -> None:
        for track in self.tracks():
            for name in track.names:
                self._by_metric.setdefault(name, []).append(track)


def make_plan(rules: Sequence[Rule], knobs: Knobs, limits: Mapping[str, tuple[Limit, ...]], seen: Set[str]) -> Plan:
    """``seen``: metrics in the rows that detection was judged by; what is first among alternatives there needs no other."""
    plan = Plan(tuple(rules))
    for rule in rules:
        if rule.signal is None:
            continue
        chosen = limits.get(rule.id, rule.limits)
        sampling = _sampling(rule, knobs)
        plan.main[rule.id] = tracks(rule, knobs, chosen, sampling, seen)
        only = rule.reads[0]
        if isinstance(rule.detector, Proportion) and len(rule.reads) == 1 and isinstance(only, Metric):
            plan.lower[rule.id] = Track(_over(rule, only.lower), (only.lower.name,), knobs, chosen, sampling, "lower")
            strict = replace(_over(rule, only.upper), detector=replace(rule.detector, z=0.0, hold=1, clear=1))
            plan.upper[rule.id] = Track(strict, (only.upper.name,), knobs, chosen, sampling, "upper")
    plan.index()
    return plan


def _over(rule: Rule, metric: Metric) -> Rule:
    """The same rule over a bound of its metric."""
    return replace(rule, reads=(metric,), signal=lambda run: run[metric])


def _sampling(rule: Rule, knobs: Knobs) -> Sampling:
    """A share's sample size: the logged count, else from the settings; correlated within prompts."""
    if not isinstance(rule.detector, Proportion):
        return Sampling()
    group = knobs.number(GROUP_SIZE)
    effect = 1 + (group - 1) * CORRELATION if group and group > 1 else 1.0
    count = rule.detector.count
    if isinstance(count, int):
        return Sampling(None, count)
    metric = count.name if isinstance(count, Metric) else None
    return Sampling(metric, _from_settings(knobs, group), effect)


def _from_settings(knobs: Knobs, group: float | None) -> int | None:
    prompts = knobs.number(TRAIN_BATCH_SIZE) or knobs.number(ROLLOUT_BATCH_SIZE)
    return int(prompts * (group or 1)) if prompts and prompts >= 1 else None
