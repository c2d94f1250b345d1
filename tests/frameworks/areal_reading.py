"""Rows of AReaL read as the engine reads them, and where the recordings are."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from rl_diag_plugin.frameworks import AREAL, read_knobs
from rl_diag_plugin.knobs import Knob, Knobs, KnobValue, find_knob
from rl_diag_plugin.model import Version

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
LONG, SHORT = DATA / "areal_1.0.4_long", DATA / "areal_1.0.4"
needs_recordings = pytest.mark.skipif(not LONG.is_dir(), reason="the recordings are not here")
NEWEST: Version = (1, 0, 4)
RUNS = sorted(path.name for path in LONG.iterdir() if (path / "log.jsonl").is_file()) if LONG.is_dir() else []
SHORT_RUNS = sorted(path.stem for path in SHORT.glob("k_*.jsonl"))


class _Tolerant(yaml.SafeLoader):
    """AReaL's saved configuration holds ``!!python/tuple``."""


_Tolerant.add_multi_constructor("tag:yaml.org,2002:python/", lambda loader, suffix, node: loader.construct_sequence(node))


@functools.lru_cache(maxsize=64)
def config_of(run: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.load((LONG / run / "config.yaml").read_text(), _Tolerant)
    return loaded


@functools.lru_cache(maxsize=128)
def rows_of(path: Path) -> tuple[dict[str, float], ...]:
    return tuple({k: float(v) for k, v in json.loads(line)["data"].items()} for line in path.open())


def long_rows(run: str) -> tuple[dict[str, float], ...]:
    return rows_of(LONG / run / "log.jsonl")


def short_rows(run: str) -> tuple[dict[str, float], ...]:
    return rows_of(SHORT / f"{run}.jsonl")


def truth_of(run: str) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for line in (LONG / run / "truth.jsonl").open())


def settings(**values: Any) -> Knobs:
    """``settings(n_minibatches=1)``: knobs by their standard names."""
    found: dict[Knob, KnobValue] = {find_knob(name): KnobValue(value) for name, value in values.items()}
    return Knobs(found)


def knobs_of(run: str) -> Knobs:
    return read_knobs(AREAL, config_of(run), NEWEST)


def read(row: Mapping[str, float], knobs: Knobs | None = None, version: Version | None = NEWEST) -> dict[str, float]:
    """Canonical metrics of one row; the first reading that gives a value wins, NaN is no value."""
    named = {AREAL.normalise(key): np.array([value]) for key, value in row.items()}
    out: dict[str, float] = {}
    for reading in AREAL.readings:
        if not reading.valid(version, knobs or Knobs()) or any(key not in named for key in reading.keys):
            continue
        columns = {key: named[key] for key in reading.keys}
        columns |= {key: named.get(key, np.array([np.nan])) for key in reading.optional}
        with np.errstate(all="ignore"):
            value = columns[reading.keys[0]] if reading.convert is None else reading.convert(columns, knobs or Knobs())
        if reading.convert is None or not np.isnan(value[0]):
            out.setdefault(reading.metric, float(value[0]))
    return out


def how(metric: str, knobs: Knobs | None = None, version: Version | None = NEWEST) -> tuple[str, str]:
    """(measures, caveat) of the first reading of a metric that is valid."""
    return next((r.measures, r.caveat) for r in AREAL.readings if r.metric == metric and r.valid(version, knobs or Knobs()))
