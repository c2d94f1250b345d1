"""The recordings of real trainers below ``tests/fixtures``, diagnosed with all rules."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from rl_diag_plugin.api import Options, examine
from rl_diag_plugin.knobs import Knob
from rl_diag_plugin.model import Finding, Report

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
LONG = FIXTURES / "areal_1.0.4_long"
EVENTS = FIXTURES / "areal_1.0.4_events"
SHORT = FIXTURES / "areal_1.0.4_short"


@functools.lru_cache(maxsize=64)
def diagnose(name: str) -> Report:
    """One of the long recordings, with the configuration that AReaL saved."""
    return _only(LONG / name, Options())


@functools.lru_cache(maxsize=64)
def diagnose_events(name: str) -> Report:
    """The same run from its event file."""
    return _only(EVENTS / name, Options())


@functools.lru_cache(maxsize=64)
def diagnose_short(name: str, *settings: tuple[Knob, Any]) -> Report:
    """One of the short recordings (k_nors …), whose configurations were not saved: ``settings`` are what the user would give."""
    return _only(SHORT / f"{name}.jsonl.gz", Options(knobs={knob.name: value for knob, value in settings}))


def _only(path: Path, options: Options) -> Report:
    (report,) = examine([str(path)], options).reports
    return report


def finding(report: Report, rule: str) -> Finding | None:
    return next((f for f in report.findings if f.rule == rule), None)


def found(report: Report, rule: str) -> Finding:
    """The rule's finding; where there is none, the failure says how the rule ended instead."""
    here = finding(report, rule)
    assert here is not None, f"{rule} in {report.run}: {ended(report, rule)}"
    return here


def ended(report: Report, rule: str) -> str:
    """How a rule ended in a run: the severity of its finding, passed, or why it could not be judged or does not apply."""
    here = finding(report, rule)
    if here is not None:
        return here.worst
    skipped = next((s.reason for s in report.skipped if rule in s.rules), None)
    if skipped is not None:
        return f"could not be judged: {skipped}"
    apart = next((n.reason for n in report.not_applicable if n.rule == rule), None)
    if apart is not None:
        return f"not applicable: {apart}"
    return "passed" if any(p.rule == rule for p in report.passed) else "no outcome"
