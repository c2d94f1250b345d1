"""A doctor for reinforcement-learning training runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .api import check
    from .diagnosis import Diagnosis
    from .model import Report
    from .registry import load_rules
    from .sources import UnreadableError

__version__ = "0.1.0"
__all__ = ["Diagnosis", "Report", "UnreadableError", "__version__", "check", "load_rules"]

_HOME = {"Diagnosis": "diagnosis", "Report": "model", "UnreadableError": "sources", "check": "api", "load_rules": "registry"}


def __getattr__(name: str) -> Any:
    """Public names are loaded when they are first used: importing the package needs numpy alone."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
