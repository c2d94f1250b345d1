"""A remedy in the run's own keys: the key that exists in the detected version, with its present value and the new one."""

from __future__ import annotations

import math
from typing import Any

from .authoring import Advice, Code, Enable, Facts, Lower, Raise, Remedy, Set
from .frameworks import FRAMEWORKS, Framework, KnobPath
from .knobs import Knob
from .model import RemedyShown


def show(remedy: Remedy, run: Facts) -> RemedyShown | None:
    """None where the configuration already has it, or where the remedy cannot be said for this run."""
    if remedy.when is not None and not remedy.when(run):
        return None
    if isinstance(remedy, Advice):
        return RemedyShown("advice", remedy.applicability, remedy.text, remedy.why)
    if isinstance(remedy, Code):
        text = remedy.by_framework.get(run.framework or "", remedy.text)
        return RemedyShown("code", "code", text, remedy.why)
    present = run.knobs.value(remedy.knob)
    target = _target(remedy, present)
    if target is _DONE:
        return None
    framework = FRAMEWORKS.get(run.framework or "")
    code = framework.code_of(remedy.knob, run.version) if framework else None
    if code is not None:
        return RemedyShown("advice" if code.none else "code", "review" if code.none else "code", code.text, remedy.why)
    path = framework.path_of(remedy.knob, run.version) if framework else None
    if framework is None or path is None:
        return _in_words(remedy, present, target, framework)
    return _as_key(remedy, path, remedy.knob in run.knobs, present, target)


_DONE = object()


def _target(remedy: Set | Raise | Lower | Enable, present: Any) -> Any:
    """The new value; None where it cannot be computed; ``_DONE`` where nothing is to change."""
    if isinstance(remedy, (Set, Enable)):
        return _DONE if present == remedy.to and type(present) is type(remedy.to) else remedy.to
    if not isinstance(present, (int, float)) or isinstance(present, bool):
        return None
    if isinstance(remedy, Raise):
        return _like(present, present * remedy.factor) if present else None
    lowered = _like(present, max(present / remedy.factor, remedy.least))
    return _DONE if lowered >= present else lowered


def _like(present: float, value: float) -> float:
    return math.floor(value + 0.5) if isinstance(present, int) else float(f"{value:.3g}")


def _as_key(remedy: Any, path: KnobPath, known: bool, present: Any, target: Any) -> RemedyShown:
    write = path.write or written
    old = write(present) if known else None
    if target is None:
        verb = "raise" if isinstance(remedy, Raise) else "lower"
        return RemedyShown("advice", remedy.applicability, f"{verb} {path.path}", remedy.why, key=path.path, old=old)
    new = write(target)
    text = f"{path.path}  {old} → {new}" if old is not None else f"{path.path}={new}"
    return RemedyShown("set", remedy.applicability, text, remedy.why, path.path, old, new, f"{path.path}={new}")


def _in_words(remedy: Any, present: Any, target: Any, framework: Framework | None) -> RemedyShown:
    """The trainer is not known, or has no such key: the setting's standard name and meaning."""
    name = f"{_spoken(remedy.knob)}"
    if isinstance(remedy, Raise):
        text = f"raise {name}" + (f" to {written(target)}" if target is not None else f" ({remedy.factor:g} times)")
    elif isinstance(remedy, Lower):
        text = f"lower {name}" + (f" to {written(target)}" if target is not None else f" (by a factor of {remedy.factor:g})")
    elif isinstance(remedy, Enable):
        text = f"switch on {name}"
    else:
        text = f"set {name} to {written(target)}"
    note = f"{framework.title} has no such setting in this version" if framework is not None and framework.knob_paths else ""
    return RemedyShown("advice", remedy.applicability, text, remedy.why, note=note)


def _spoken(knob: Knob) -> str:
    return f"{knob.name} ({knob.meaning})" if knob.meaning else knob.name


def written(value: Any) -> str:
    """A value as a YAML configuration writes it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:g}" if value != int(value) or abs(value) >= 1e6 else f"{value:.1f}"
    return str(value)
