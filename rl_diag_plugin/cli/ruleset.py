"""The rules, with a refusal in words where they cannot be loaded."""

from __future__ import annotations

from ..authoring import Rule
from ..registry import load_rules
from .errors import Refused


def loaded() -> tuple[Rule, ...]:
    """Raises Refused: one broken package of somebody else's must not look like a fault in the run or in rl-diag."""
    try:
        return load_rules()
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        raise Refused(f"the rules cannot be loaded: {said}\nrl-diag doctor names the package") from error
