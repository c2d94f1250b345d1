"""Rule update-too-large."""

from __future__ import annotations

import pytest

from rl_diag_plugin.authoring import Example, constant, spiky
from rl_diag_plugin.knobs.loss import LOSS_TYPE
from rl_diag_plugin.knobs.optimizer import N_MINIBATCHES
from rl_diag_plugin.metrics import Metric
from rl_diag_plugin.metrics.update import APPROX_KL, CLIP_RATIO, IMPORTANCE_WEIGHT
from rl_diag_plugin.model import Floats
from rl_diag_plugin.rules.update.update_too_large import update_too_large as rule
from rl_diag_plugin.testing import check_rule, run_example

from ..recordings import diagnose, ended, found


def judged(series: dict[Metric, Floats], loss: str = "ppo") -> str:
    return ended(run_example(rule, Example(series, {N_MINIBATCHES: 2, LOSS_TYPE: loss})), rule.id)


def test_it_keeps_the_contract() -> None:
    check_rule(rule)


@pytest.mark.parametrize(
    ("metric", "sound", "large", "far"),
    [(CLIP_RATIO, 0.04, 0.08, 0.25), (APPROX_KL, 0.015, 0.03, 0.1)],
)
def test_either_of_two_gauges_is_enough(metric: Metric, sound: float, large: float, far: float) -> None:
    assert ["passed", "warning", "error"] == [judged({metric: constant(x)}) for x in (sound, large, far)]


def test_the_largest_ratio_is_a_gauge_of_its_own() -> None:
    def with_ratio(x: float) -> str:
        return judged({CLIP_RATIO: constant(0.001), IMPORTANCE_WEIGHT.max: constant(x)})

    assert ["passed", "warning", "error"] == [with_ratio(x) for x in (5.0, 20.0, 200.0)]


def test_one_bad_row_is_none() -> None:
    assert "passed" == judged({CLIP_RATIO: spiky(0.005, 60.0, at=(30, 60))})


def test_one_optimizer_step_shows_nothing_and_says_so() -> None:
    example = Example({CLIP_RATIO: constant(0.3)}, {N_MINIBATCHES: 1})
    assert ended(run_example(rule, example), rule.id).startswith("could not be judged: one optimizer step")


def test_sequence_level_ratios_are_not_measured_by_token_limits() -> None:
    assert judged({CLIP_RATIO: constant(0.15)}, loss="gspo").startswith("could not be judged")


@pytest.mark.parametrize(("name", "severity"), [("lr_high", "error"), ("lr_x20", "warning")])
def test_a_high_learning_rate_is_found_within_ten_rows(name: str, severity: str) -> None:
    finding = found(diagnose(name), rule.id)
    assert severity == finding.worst
    assert (0, 0, 1, "start") == (finding.onset.step, finding.onset.lo, finding.onset.hi, finding.onset.method)
    assert finding.episodes[0].fired <= 10
    assert finding.remedies[0].key == "actor.optimizer.lr"


@pytest.mark.parametrize("name", ["minibatches_8", "healthy_s0", "healthy_s1", "dynamic_filter", "mismatch_40", "stale_16"])
def test_updates_of_sound_size_pass(name: str) -> None:
    assert "passed" == ended(diagnose(name), rule.id)


def test_the_clipped_share_of_the_synchronous_recipe_is_left_to_the_mismatch() -> None:
    assert ended(diagnose("mismatch_sync"), rule.id).startswith("could not be judged")
