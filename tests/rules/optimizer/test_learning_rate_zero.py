"""Rule learning-rate-zero."""

from __future__ import annotations

import numpy as np

from rl_diag_plugin.authoring import Example, constant
from rl_diag_plugin.metrics.update import LR
from rl_diag_plugin.rules.optimizer.learning_rate_zero import learning_rate_zero as rule
from rl_diag_plugin.testing import check_rule, run_example

from ..recordings import LONG, diagnose, ended, found


def judged(rate: np.ndarray) -> str:
    return ended(run_example(rule, Example({LR: rate})), rule.id)


def test_it_keeps_the_contract() -> None:
    check_rule(rule)


def test_a_warm_up_and_the_end_of_a_schedule_are_none() -> None:
    assert "passed" == judged(np.concatenate((np.linspace(0, 1e-5, 20), np.linspace(1e-5, 0, 60))))


def test_a_warm_up_logged_by_minibatch_is_none() -> None:
    assert "passed" == judged(np.repeat(np.linspace(0, 1e-5, 20), 4))


def test_a_schedule_that_ended_too_early_is_dated_to_its_end() -> None:
    rate = np.concatenate((np.linspace(1e-5, 1e-7, 40), constant(0.0, 20)))
    finding = found(run_example(rule, Example({LR: rate})), rule.id)
    assert ("error", 39, 40, 41) == (finding.worst, finding.onset.lo, finding.onset.step, finding.onset.hi)
    assert "The schedule has ended: it was set up for fewer steps" == finding.causes[0].title


def test_a_tiny_rate_is_not_zero() -> None:
    assert "passed" == judged(constant(1e-12, 40))


def test_the_recorded_zero_is_found_from_the_first_step() -> None:
    finding = found(diagnose("lr_0"), rule.id)
    assert ("error", True, 0, 0, 1) == (finding.worst, finding.active, finding.onset.step, finding.onset.lo, finding.onset.hi)
    assert "Learning rate is 0: no step has trained anything in 60 steps" == finding.headline
    assert "The learning rate is set to 0" == finding.causes[0].title


def test_all_other_recorded_runs_pass() -> None:
    for path in sorted(LONG.iterdir()):
        if path.is_dir() and path.name != "lr_0":
            assert "passed" == ended(diagnose(path.name), rule.id), path.name
