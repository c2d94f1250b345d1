"""Every rule keeps the contract, and the contract notices a rule that does not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rl_diag_plugin.authoring import Example, RowView, Rule, above, constant, rule
from rl_diag_plugin.contract import problems
from rl_diag_plugin.detectors import Level
from rl_diag_plugin.metrics import METRICS
from rl_diag_plugin.metrics.update import CLIP_RATIO, ENTROPY
from rl_diag_plugin.model import Floats
from rl_diag_plugin.registry import load_rules


@pytest.mark.parametrize("each", load_rules(), ids=lambda r: r.id)
def test_every_rule_keeps_the_contract(each: Rule) -> None:
    assert [] == problems(each)


def test_effects_name_rules_that_exist() -> None:
    known = {r.id for r in load_rules()}
    assert set() == {e.rule for r in load_rules() for e in r.explains} - known
    assert set() == {c.rule for r in load_rules() for c in r.causes if c.rule} - known


def test_labels_fit_their_column() -> None:
    assert [] == [m.name for m in METRICS.values() for part in (m, m.max, m.min, m.std, m.lower, m.upper) if len(part.label) > 25]


@rule(
    reads=(CLIP_RATIO,),
    detector=Level(window=10),
    limits=(above(0.2, "warning", "practice"),),
    message="too much",
    bad={CLIP_RATIO: constant(0.5)},
    good={CLIP_RATIO: constant(0.1)},
)
def broken(run: RowView) -> Floats:
    """A rule to be broken."""
    return run[CLIP_RATIO]


def found(changed: Rule) -> str:
    return "\n".join(problems(changed))


def test_the_contract_notices_what_a_rule_breaks() -> None:
    assert "no paragraph 'Why it matters" in found(broken)
    assert "no remedy" in found(broken)
    assert "quiet on its bad example" in found(replace(broken, bad=Example({CLIP_RATIO: constant(0.1)})))
    assert "fires on its good example" in found(replace(broken, good=Example({CLIP_RATIO: constant(0.5)})))
    assert "rule failed" in found(replace(broken, signal=lambda run: run[ENTROPY]))
    assert "characters, at most 66" in found(replace(broken, message="x" * 67))


def test_the_contract_notices_a_signal_that_looks_ahead_or_back() -> None:
    def peeks(run: RowView) -> Floats:
        return run[CLIP_RATIO] - np.mean(run[CLIP_RATIO]) + 0.5

    bad = Example({CLIP_RATIO: np.linspace(0, 1, 100)})
    assert "another report on the bad example in chunks" in found(replace(broken, signal=peeks, bad=bad))
