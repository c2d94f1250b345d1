"""``check``: a path, or rows in memory → a report a run. The command line is a thin shell around ``examine``."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from .diagnosis import Diagnosis, known
from .knobs import Knob, find_knob
from .metrics import find_metric
from .model import Chunk, Column, Config, Event, Item, Limit, Report, Version, parse_version
from .registry import choose, find_rule, load_rules
from .sinks.failed import Failed
from .sources import RunFiles, UnreadableError, discover, read_config

Rows: TypeAlias = Iterable[Mapping[str, Any]]
Progress: TypeAlias = Callable[[int, int, str], None]
_STEP_KEYS = ("step", "_step", "global_step")


@dataclass(frozen=True, slots=True)
class Options:
    """What the user asked for, checked: unknown rules, knobs, metrics and trainers raise KeyError or ValueError in words."""

    config: Mapping[str, Any] | str | os.PathLike[str] | None = None
    framework: str | None = None  # NAME or NAME==VERSION
    select: Sequence[str] = ()
    ignore: Sequence[str] = ()
    limits: Mapping[str, Any] = field(default_factory=dict)
    knobs: Mapping[str, Any] = field(default_factory=dict)
    maps: Mapping[str, str] = field(default_factory=dict)
    run: str | None = None
    since: int | None = None
    until: int | None = None


@dataclass(frozen=True, slots=True)
class Examination:
    """``failed``: every input without a report; ``errors``: those of them that the user named (exit code 2)."""

    reports: list[Report]
    failed: list[Failed]
    errors: list[UnreadableError]

    @property
    def asked_failed(self) -> list[Failed]:
        return [_failure(error) for error in self.errors]


def check(
    path_or_rows: str | os.PathLike[str] | Rows | Mapping[str, Any],
    *,
    config: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    framework: str | None = None,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    limits: Mapping[str, Any] | None = None,
) -> list[Report]:
    """Diagnose a file, a run directory, a directory of runs, or rows in memory.

    Rows are mappings with a step under "step" (else they are counted), or one mapping of key → sequence. ``config``: nested
    values or a file. ``framework``: a trainer's name, ``"areal==1.0.4"`` with its version; None detects it. ``limits``: by
    rule id, one value a severity, mildest first. Raises ``UnreadableError`` where a path gives no report at all, KeyError
    and ValueError for what is misspelt, with the nearest right words.
    """
    options = Options(config, framework, tuple(select), tuple(ignore), dict(limits or {}))
    if isinstance(path_or_rows, (str, os.PathLike)):
        found = examine([os.fspath(path_or_rows)], options)
        if found.asked_failed and not found.reports:
            raise found.errors[0]
        return found.reports
    make = _maker(options)
    run = make("run", "", "rows")
    _configure(run, options, ())
    run.push_all(_within(_as_chunks(path_or_rows), options))
    run.close()
    return [run.report()]


def examine(paths: Sequence[str], options: Options, progress: Progress | None = None, stdin: Iterator[Item] | None = None) -> Examination:
    """Read every run below the paths; what cannot be read is listed, not fatal. ``-`` reads ``stdin``."""
    make = _maker(options)
    runs, unread, named = _found(paths, options)
    reports: list[Report] = []
    missing: list[str] = []
    asked = {os.path.normpath(path) for path in paths}

    def diagnose(name: str, path: str, form: str, config_files: Sequence[str], items: Iterable[Item]) -> None:
        diagnosis = make(name, path, form)
        reports.append(_diagnose(diagnosis, options, config_files, items))
        missing.extend(key for key in options.maps if key not in diagnosis.facts().keys)

    if stdin is not None and "-" in paths:
        diagnose("stdin", "-", "jsonl", (), stdin)
    for i, files in enumerate(runs):
        if progress is not None:
            progress(i, len(runs), files.path)
        try:
            diagnose(files.name, files.path, files.format, files.config_files, _items(files))
        except UnreadableError as error:
            unread.append(error)
            if {os.path.normpath(files.path), os.path.normpath(error.path)} & asked:
                named.append(error)
    _complain_of_keys(missing, reports)
    return Examination(reports, [_failure(error) for error in unread], named if reports or named else list(unread))


def _found(paths: Sequence[str], options: Options) -> tuple[list[RunFiles], list[UnreadableError], list[UnreadableError]]:
    """The runs below the paths; everything that is none; of that, what the user named."""
    runs: list[RunFiles] = []
    unread: list[UnreadableError] = []
    named: list[UnreadableError] = []
    pattern = re.compile(options.run) if options.run else None
    for path in paths:
        if path == "-":
            continue
        try:
            found = discover(path)
        except UnreadableError as error:
            named.append(error)
            continue
        unread += [run.error for run in found if run.error is not None]
        runs += [run for run in found if run.error is None and (pattern is None or pattern.search(run.name))]
    return runs, unread + named, named


def _failure(error: UnreadableError) -> Failed:
    return Failed(error.path, error.kind, error.group, error.do)


def _items(files: RunFiles) -> Iterator[Item]:
    for note in files.notes:
        yield Event("note", None, note)
    for source in files.sources:
        yield from source.read({})


def _diagnose(run: Diagnosis, options: Options, config_files: Sequence[str], items: Iterable[Item]) -> Report:
    _configure(run, options, config_files)
    run.push_all(_within(items, options))
    run.close()
    return run.report()


def _configure(run: Diagnosis, options: Options, config_files: Sequence[str]) -> None:
    given = options.config
    if isinstance(given, Mapping):
        run.push(Config(given, "given"))
        return
    for path in [os.fspath(given)] if given is not None else config_files:
        run.push(read_config(path))


def _within(items: Iterable[Item], options: Options) -> Iterator[Item]:
    """Only rows from ``since`` to ``until``."""
    lo = -(2**62) if options.since is None else options.since
    hi = 2**62 if options.until is None else options.until
    for item in items:
        if isinstance(item, Chunk) and (options.since is not None or options.until is not None):
            item = _cut(item, (item.steps >= lo) & (item.steps <= hi))
        yield item


def _cut(chunk: Chunk, keep: np.ndarray) -> Chunk:
    new = np.cumsum(keep) - 1
    n = len(keep)
    columns = {}
    for key, column in chunk.columns.items():
        at = column.at(n)
        there = keep[at]
        if there.any():
            columns[key] = Column(new[at[there]], column.values[there])
    return Chunk(chunk.steps[keep], columns, None if chunk.walls is None else chunk.walls[keep], chunk.axis)


def _maker(options: Options) -> Callable[[str, str, str], Diagnosis]:
    """All options checked before anything is read."""
    rules = choose(load_rules(), options.select, options.ignore)
    limits = {name: limits_of(name, values) for name, values in options.limits.items()}
    knobs: dict[Knob, Any] = {find_knob(name): value for name, value in options.knobs.items()}
    for metric in options.maps.values():
        find_metric(metric)
    framework, version = _framework(options.framework)

    def make(name: str, path: str, source: str) -> Diagnosis:
        return Diagnosis(
            rules, run=name, source=source, path=path, knobs=knobs, framework=framework, version=version, maps=options.maps, limits=limits
        )

    return make


def _framework(given: str | None) -> tuple[str | None, Version | None]:
    if given is None:
        return None, None
    name, _, version = given.partition("==")
    return known(name), parse_version(version) if version else None


def limits_of(name: str, values: Any) -> tuple[Limit, ...]:
    """A rule's limits with other numbers: one value, or one a severity from the mildest on."""
    rule = find_rule(name)
    if not rule.limits:
        raise ValueError(f"rule {name} has no limits: it is read from the configuration or the log itself")
    numbers = [float(v) for v in (values if isinstance(values, (list, tuple)) else [values])]
    if len(numbers) > len(rule.limits):
        raise ValueError(f"rule {name} has {len(rule.limits)} limits ({', '.join(rule.severities)}), {len(numbers)} given")
    return tuple(
        Limit(number, limit.severity, "given by the user", limit.side, limit.se)
        for number, limit in zip(numbers, rule.limits, strict=False)
    )


def _complain_of_keys(missing: Sequence[str], reports: Sequence[Report]) -> None:
    """A ``--map`` of a key that no run has."""
    for key in dict.fromkeys(missing):
        if missing.count(key) == len(reports):
            near = difflib.get_close_matches(key, [k for r in reports for k in r.unmapped], 3, 0.3)
            raise KeyError(f"--map {key}=…: no key {key} in this run\nnearest: {', '.join(dict.fromkeys(near)) or 'none'}")


def _as_chunks(rows: Rows | Mapping[str, Any]) -> Iterator[Chunk]:
    if isinstance(rows, Mapping):
        columns = {k: np.asarray(v, float) for k, v in rows.items()}
        n = len(next(iter(columns.values()), ()))
        if any(len(c) != n for c in columns.values()):
            raise ValueError(f"columns of unequal lengths: { {k: len(c) for k, c in columns.items()} }")
        step_key = next((k for k in _STEP_KEYS if k in columns), None)
        steps = np.arange(n) if step_key is None else columns.pop(step_key).astype(np.int64)
        yield Chunk(steps, {k: Column(None, v) for k, v in columns.items()})
        return
    for i, row in enumerate(rows):
        step = next((int(row[k]) for k in _STEP_KEYS if k in row), i)
        cells = {k: float(v) for k, v in row.items() if k not in _STEP_KEYS and isinstance(v, (int, float, np.number))}
        cells |= {k: np.nan for k, v in row.items() if v is None}
        yield Chunk(np.array([step]), {k: Column(None, np.array([v])) for k, v in cells.items()})
