"""Closed rows of logged keys → columns of canonical metrics, by the readings of the detected trainer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..authoring import ReadAs
from ..frameworks import Framework, Reading
from ..knobs import Knobs
from ..model import Column, Version
from .columns import common_rows, values_at, values_or_nan


@dataclass(frozen=True, slots=True)
class _Bound:
    """A reading with the run's own keys in place of the normalised ones."""

    reading: Reading
    keys: tuple[str, ...]
    optional: tuple[str | None, ...]


class Canon:
    """Built once framework, version and settings are final. ``used`` says how each metric was had."""

    def __init__(self, framework: Framework, version: Version | None, knobs: Knobs, maps: Mapping[str, str]) -> None:
        self._framework, self.knobs = framework, knobs
        mapped = [Reading(metric, ("=" + key,), caveat="mapped by hand") for key, metric in maps.items()]
        self._readings: Sequence[Reading] = mapped + [r for r in framework.readings if r.valid(version, knobs)]
        self._needs = {key for r in self._readings for key in (*r.keys, *r.optional)}
        self._raw: dict[str, str] = {}
        self._known: dict[str, None] = {}
        self._bound: list[tuple[int, _Bound]] = []
        self._rank: dict[str, int] = {}
        self.used: dict[str, ReadAs] = {}
        self.also: list[tuple[str, str]] = []

    def rows(self, n: int, columns: Mapping[str, Column]) -> dict[str, Column]:
        """The canonical columns of ``n`` closed rows."""
        if any(key not in self._known for key in columns):
            self._learn(sorted(columns, key=lambda key: _first_row(columns[key])))
        out: dict[str, Column] = {}
        for rank, bound in self._bound:
            got = _apply(bound, n, columns, self.knobs)
            if got is None or not len(got.values):
                continue
            name = bound.reading.metric
            if name in out:
                got = _fill(out[name], got, n)
            if rank < self._rank.get(name, len(self._readings)):
                self._rank[name] = rank
                self.used[name] = ReadAs(bound.keys[0], bound.reading.measures, bound.reading.caveat)
            out[name] = got
        return out

    def metrics_of(self, keys: Iterable[str]) -> set[str]:
        """The metrics that rows with these logged keys hold."""
        names = {name for key in keys for name in ("=" + key, self._framework.normalise(key)) if name is not None}
        return {r.metric for r in self._readings if names.issuperset(r.keys)}

    def reads(self, key: str) -> bool:
        """Whether any reading looks at a logged key."""
        return "=" + key in self._needs or self._framework.normalise(key) in self._needs

    def state(self) -> dict[str, Any]:
        knobs = [[k.name, [v.value, v.key, v.source]] for k, v in self.knobs.items()]
        used = {name: [r.key, r.measures, r.caveat] for name, r in self.used.items()}
        return {
            "known": list(self._known),
            "used": used,
            "rank": dict(self._rank),
            "also": [list(pair) for pair in self.also],
            "knobs": knobs,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        self._learn(dict.fromkeys(state["known"]))
        self.used = {name: ReadAs(*r) for name, r in state["used"].items()}
        self._rank = dict(state["rank"])
        self.also = [(a, b) for a, b in state["also"]]

    def _learn(self, columns: Iterable[str]) -> None:
        for key in columns:
            if key in self._known:
                continue
            self._known[key] = None
            for name in ("=" + key, self._framework.normalise(key)):
                if name is None or name not in self._needs:
                    continue
                if name in self._raw:
                    self.also.append((key, self._raw[name]))
                else:
                    self._raw[name] = key
        raw = self._raw
        self._bound = [
            (rank, _Bound(r, tuple(raw[k] for k in r.keys), tuple(raw.get(k) for k in r.optional)))
            for rank, r in enumerate(self._readings)
            if all(k in raw for k in r.keys)
        ]


def _apply(bound: _Bound, n: int, columns: Mapping[str, Column], knobs: Knobs) -> Column | None:
    found = [columns.get(key) for key in bound.keys]
    if any(column is None for column in found):
        return None
    have = [c for c in found if c is not None]
    reading = bound.reading
    if reading.convert is None:
        return have[0]
    rows = common_rows(have)
    values = {name: values_at(c, rows) for name, c in zip(reading.keys, have, strict=True)}
    for name, key in zip(reading.optional, bound.optional, strict=True):
        values[name] = values_or_nan(None if key is None else columns.get(key), rows, n)
    result = reading.convert(values, knobs)
    there = ~np.isnan(result)
    if there.all():
        return Column(rows, result)
    return Column(np.flatnonzero(there) if rows is None else rows[there], result[there])


def _first_row(column: Column) -> int:
    return 0 if column.rows is None or not len(column.rows) else int(column.rows[0])


def _fill(first: Column, other: Column, n: int) -> Column:
    """The first reading's cells, and the other's in rows where the first has none."""
    if first.rows is None:
        return first
    full, there = np.full(n, np.nan), np.zeros(n, bool)
    for column in (other, first):
        at = column.at(n)
        full[at], there[at] = column.values, True
    rows = np.flatnonzero(there)
    return Column(None if len(rows) == n else rows, full[rows])
