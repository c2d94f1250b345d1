"""Public helpers for the tests of rules, third-party ones included."""

from __future__ import annotations

from ..authoring import Rule
from ..contract import problems, run_example

__all__ = ["check_rule", "run_example"]


def check_rule(rule: Rule) -> None:
    """Raises AssertionError with all that a rule breaks of the contract."""
    broken = problems(rule)
    if broken:
        raise AssertionError(f"{rule.id}:\n" + "\n".join(f"  {line}" for line in broken))
