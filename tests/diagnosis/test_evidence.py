"""What other metrics did at an onset."""

from __future__ import annotations

import numpy as np
import pytest

from rl_diag_plugin.authoring import Witness
from rl_diag_plugin.diagnosis import Diagnosis
from rl_diag_plugin.diagnosis.evidence import Witnesses
from rl_diag_plugin.metrics.update import ENTROPY
from rl_diag_plugin.model import Chunk, Column, Evidence


def seen(values: np.ndarray, witness: Witness, onset: int = 40) -> Evidence | None:
    run = Diagnosis([], framework="canonical")
    run.push(Chunk(np.arange(len(values)), {ENTROPY.name: Column(None, values)}))
    run.close()
    return Witnesses(run, run.facts(), onset, None).evidence(witness, 1)


def noisy(level: float, n: int) -> np.ndarray:
    return level + 0.02 * np.cos(1.7 * np.arange(n))


FALLS = Witness(ENTROPY, "falls", "the policy narrows", "the policy does not narrow")


@pytest.mark.parametrize(
    ("after", "role", "says"),
    [(0.5, "confirms", "the policy narrows"), (2.0, "against", "does not narrow"), (3.0, "against", "does not narrow")],
)
def test_a_move_confirms_or_speaks_against(after: float, role: str, says: str) -> None:
    evidence = seen(np.concatenate((noisy(2.0, 40), noisy(after, 30))), FALLS)
    assert evidence is not None
    assert role == evidence.role
    assert says in evidence.text


def test_a_slow_drift_before_the_onset_does_not_hide_a_jump() -> None:
    evidence = seen(np.concatenate((np.linspace(0.3, 0.75, 40) + noisy(0, 40), noisy(0.01, 30))), FALLS)
    assert evidence is not None
    assert "confirms" == evidence.role


def test_without_rows_before_the_onset_there_is_only_context() -> None:
    evidence = seen(noisy(2.0, 60), FALLS, onset=0)
    assert evidence is not None
    assert "context" == evidence.role


def test_a_metric_that_is_not_logged_is_no_evidence() -> None:
    run = Diagnosis([], framework="canonical")
    run.close()
    assert Witnesses(run, run.facts(), 0, None).evidence(FALLS, 1) is None
