"""What every rule must keep, third-party ones too: fires on its bad example, quiet on its good one, honest and documented."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from .authoring import SECTIONS, Example, Rule
from .diagnosis import Diagnosis
from .metrics import Metric
from .model import Chunk, Column, Floats, Passed, Report, parse_version

_CUTS = ((1,), (7,), (3, 50, 1), (4096,))


def problems(rule: Rule) -> list[str]:
    """All that a rule breaks, in words; empty where it keeps the contract."""
    checks = (_words, _bad, _good, _chunks, _past, _odd_values)
    return [problem for check in checks for problem in check(rule)]


def run_example(rule: Rule, example: Example, cut: tuple[int, ...] = (4096,), *, save: bool = False, rows: int | None = None) -> Report:
    """The report of one rule on one example; ``cut``: chunk sizes, cycled; ``save``: state through JSON at each cut."""
    diagnosis = _start(rule, example)
    for event in example.events:
        diagnosis.push(event)
    for chunk in chunks(example, cut, rows):
        diagnosis.push(chunk)
        if save:
            state = json.dumps(diagnosis.state(), allow_nan=False)
            diagnosis = _start(rule, example)
            diagnosis.restore(json.loads(state))
    diagnosis.close()
    if example.silent_for is not None and example.walls is not None:
        diagnosis.tick((_rows(example) - 1) * example.walls + example.silent_for)
    return diagnosis.report()


def _start(rule: Rule, example: Example) -> Diagnosis:
    version = parse_version(example.version) if example.version else None
    return Diagnosis([rule], knobs=example.knobs, framework=example.framework, version=version)


def chunks(example: Example, cut: tuple[int, ...], rows: int | None = None) -> Iterator[Chunk]:
    """An example's rows as a source would hand them out."""
    n = min(_rows(example), rows if rows is not None else 10**9)
    start, i = 0, 0
    while start < n:
        stop = min(n, start + cut[i % len(cut)])
        yield _chunk(example, start, stop)
        start, i = stop, i + 1


def _rows(example: Example) -> int:
    return max((len(v) * example.every.get(m, 1) for m, v in example.series.items()), default=0)


def _chunk(example: Example, start: int, stop: int) -> Chunk:
    columns = {}
    for metric, values in example.series.items():
        every = example.every.get(metric, 1)
        rows = np.arange(start + (-start) % every, min(stop, len(values) * every), every)
        cells = values[rows // every]
        keep = np.ones(len(rows), bool) if metric in example.logged_nan else ~np.isnan(cells)
        if keep.any():
            columns[metric.name] = Column((rows - start)[keep], cells[keep])
    steps = np.arange(start, stop)
    return Chunk(steps, columns, None if example.walls is None else np.asarray(example.walls * steps, np.float64))


def _words(rule: Rule) -> Iterator[str]:
    sections = rule.sections()
    for section in SECTIONS:
        if not sections.get(section):
            yield f"the docstring has no paragraph '{section}: …'"
    if len(rule.id) > 33:
        yield f"the id has {len(rule.id)} characters, at most 33"
    if len(rule.label) > 25:
        yield f"the label has {len(rule.label)} characters, at most 25: {rule.label}"
    for limit in rule.limits:
        if not limit.source:
            yield f"limit {limit.value} names no source"
    if rule.signal is not None and len({(x.side, x.se is None) for x in rule.limits}) != 1:
        yield "limits must have one side and one kind"
    for cause in rule.causes:
        for text in (c.text for c in (*cause.supports, *cause.against)):
            if len(text) > 60:
                yield f"clue longer than 60 characters: {text}"
    for text in (t for pair in (rule.next.predict if rule.next else ()) for t in pair):
        if len(text) > 60:
            yield f"prediction longer than 60 characters: {text}"
    if not rule.remedies:
        yield "no remedy: a finding must say what to do"


def _bad(rule: Rule) -> Iterator[str]:
    report = run_example(rule, rule.bad)
    if not report.findings:
        yield f"quiet on its bad example: {_ended(report)}"
        return
    for finding in report.findings:
        if len(finding.headline) > 66:
            yield f"headline has {len(finding.headline)} characters, at most 66: {finding.headline}"
        if finding.worst not in rule.severities:
            yield f"severity {finding.worst} is not among the declared {rule.severities}"


def _good(rule: Rule) -> Iterator[str]:
    report = run_example(rule, rule.good)
    if report.findings:
        yield f"fires on its good example: {report.findings[0].headline}"
    elif not any(isinstance(p, Passed) for p in report.passed):
        yield f"does not pass on its good example: {_ended(report)}"


def _chunks(rule: Rule) -> Iterator[str]:
    for name, example in (("bad", rule.bad), ("good", rule.good)):
        whole = run_example(rule, example).to_json()
        for cut in _CUTS:
            for save in (False, True):
                if run_example(rule, example, cut, save=save).to_json() != whole:
                    yield f"another report on the {name} example in chunks of {cut}{' with saved state' if save else ''}"


def _past(rule: Rule) -> Iterator[str]:
    """What was known over at a row does not change by later rows."""
    length = _rows(rule.bad)
    whole = run_example(rule, rule.bad)
    for rows in {length // 2, (3 * length) // 4} - {0}:
        part = run_example(rule, rule.bad, rows=rows)
        for finding in part.findings if rule.signal is not None else ():
            later = {(e.start, e.fired): e for f in whole.findings for e in f.episodes}
            for episode in finding.episodes:
                if episode.resolved is not None and later.get((episode.start, episode.fired)) != episode:
                    yield f"an episode that was over at row {rows} changes by later rows"
                elif (episode.start, episode.fired) not in later:
                    yield f"an episode of row {rows} is gone with later rows"


def _odd_values(rule: Rule) -> Iterator[str]:
    for name, values in _odd().items():
        series: Mapping[Metric, Floats] = dict.fromkeys(rule.bad.series, values)
        report = run_example(rule, replace(rule.bad, series=series))
        failed = [s.reason for s in report.skipped if "rule failed" in s.reason]
        if failed:
            yield f"{name}: {failed[0]}"


def _odd() -> dict[str, Floats]:
    mixed = np.linspace(-2, 2, 120)
    mixed[::7], mixed[3::11], mixed[5::13] = np.nan, np.inf, 1e308
    return {
        "empty": np.empty(0),
        "one row": np.array([0.5]),
        "all NaN": np.full(50, np.nan),
        "infinite": np.full(50, np.inf),
        "huge": np.full(120, 1e308),
        "mixed": mixed,
        "constant": np.zeros(120),
    }


def _ended(report: Report) -> str:
    if report.skipped:
        return f"could not be judged: {report.skipped[0].reason}"
    if report.not_applicable:
        return f"not applicable: {report.not_applicable[0].reason}"
    return "passed" if report.passed else "no outcome"
