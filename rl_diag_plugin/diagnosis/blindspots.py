"""What could not be judged, grouped by what to switch on, most rules gained first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..authoring import Facts
from ..frameworks import FRAMEWORKS, Framework
from ..model import Enabling, Skipped
from ..remedies import written
from .outcome import Unjudged


def grouped(items: Sequence[Unjudged], run: Facts) -> tuple[Skipped, ...]:
    """Waiting rules stand last, by the rows that they still need."""
    framework = FRAMEWORKS.get(run.framework or "")
    groups: dict[str, list[tuple[Unjudged, Enabling | None]]] = {}
    for item in items:
        enable = _enable(item, run, framework)
        waiting = item.rows_needed is not None
        name = "wait" if waiting else (enable.text if enable else item.reason)
        groups.setdefault(name, []).append((item, enable))
    shown = [_group(name, members) for name, members in groups.items()]
    return tuple(sorted(shown, key=lambda s: (s.rows_needed is not None, -len(s.rules), s.reason)))


def _group(name: str, members: Sequence[tuple[Unjudged, Enabling | None]]) -> Skipped:
    items = [item for item, _ in members]
    missing = tuple(dict.fromkeys(m for item in items for m in item.missing))
    needed = [item.rows_needed for item in items if item.rows_needed is not None]
    reasons = list(dict.fromkeys(item.reason for item in items))
    reason = f"too early, {max(needed):,} more rows" if needed else "; ".join(reasons)
    return Skipped(tuple(item.rule for item in items), reason, missing, max(needed) if needed else None, members[0][1])


def _enable(item: Unjudged, run: Facts, framework: Framework | None) -> Enabling | None:
    if item.text:
        return Enabling(item.text)
    if item.give is not None:
        return Enabling(f"--set {item.give.name}=…", shows=item.give.meaning[:40])
    for name in item.missing:
        known = framework.enables.get(name) if framework else None
        if known is not None:
            return _with_present(known, run)
    if item.missing and item.rows_needed is None:
        return Enabling(f"log {item.missing[0]}")
    return None


def _with_present(enable: Enabling, run: Facts) -> Enabling:
    """The key's present value, where the configuration is known."""
    if enable.key is None:
        return enable
    was = next((written(v.value) for v in run.knobs.values() if v.key == enable.key), None)
    if was is not None and was == enable.value:
        return Enabling(f"{enable.key} is {was}, yet nothing is logged", cost=enable.cost, shows=enable.shows)
    return replace(enable, was=was)
