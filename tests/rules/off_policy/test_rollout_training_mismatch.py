"""Rule rollout-training-mismatch."""

from __future__ import annotations

import numpy as np
import pytest

from rl_diag_plugin.authoring import Example, constant, noise
from rl_diag_plugin.metrics import Metric
from rl_diag_plugin.metrics.actor import N_VALID_TOKENS
from rl_diag_plugin.metrics.update import BEHAVE_APPROX_KL, BEHAVE_KL, POLICY_BEHAVE_KL, STALENESS
from rl_diag_plugin.model import Floats
from rl_diag_plugin.rules.off_policy.rollout_training_mismatch import rollout_training_mismatch as rule
from rl_diag_plugin.testing import check_rule, run_example

from ..recordings import diagnose, ended, found


def judged(series: dict[Metric, Floats]) -> str:
    return ended(run_example(rule, Example(series)), rule.id)


def test_it_keeps_the_contract() -> None:
    check_rule(rule)


@pytest.mark.parametrize("metric", [BEHAVE_KL, BEHAVE_APPROX_KL])
def test_severity_is_by_the_divergence_whichever_is_logged(metric: Metric) -> None:
    assert ["passed", "warning", "error", "critical"] == [judged({metric: constant(x)}) for x in (5e-4, 5e-3, 0.05, 0.5)]


def test_the_noise_of_a_mean_over_few_tokens_is_no_gap() -> None:
    few = np.abs(noise(0.0, 2.5e-3, n=200))
    assert "passed" == judged({BEHAVE_APPROX_KL: few, N_VALID_TOKENS: constant(120, n=200)})
    assert "warning" == judged({BEHAVE_APPROX_KL: few, N_VALID_TOKENS: constant(1e6, n=200)})


def test_what_one_update_moves_explains_the_gap_of_old_samples_only() -> None:
    series = {BEHAVE_APPROX_KL: constant(0.02), POLICY_BEHAVE_KL: constant(0.05), N_VALID_TOKENS: constant(1e6)}
    assert "passed" == judged({**series, STALENESS: constant(1.0)})
    assert "error" == judged({**series, STALENESS: constant(0.0)})
    assert "error" == judged(series)


@pytest.mark.parametrize(
    ("name", "severity", "first"),
    [
        ("mismatch_40", "critical", 40),
        ("mismatch_one_minibatch", "critical", 0),
        ("mismatch_sync", "critical", 0),
        ("temperature_mismatch", "error", 0),
        ("weights_stuck_40", "critical", 44),  # the row in which its keys first pass twice their earlier range
        ("stale_16", "critical", 3),  # three versions: the first row beyond what a healthy run of these settings has
        ("no_correction", "error", 3),
        ("lr_high", "critical", 0),
        ("lr_x20", "error", 0),
    ],
)
def test_every_recorded_gap_is_dated(name: str, severity: str, first: int) -> None:
    finding = found(diagnose(name), rule.id)
    assert severity == finding.worst
    assert finding.onset.lo is not None and finding.onset.hi is not None
    assert finding.onset.lo <= first <= finding.onset.hi
    assert finding.onset.hi - finding.onset.lo <= 20


@pytest.mark.parametrize(
    "name",
    ["healthy_s0", "healthy_s1", "sync_guide", "one_minibatch", "dynamic_filter", "minibatches_8", "small_batch", "overfit", "lr_0"],
)
def test_sound_engines_pass(name: str) -> None:
    assert "passed" == ended(diagnose(name), rule.id)


def test_two_temperatures_are_the_first_suspect() -> None:
    assert "Sampler and trainer work at different temperatures" == found(diagnose("temperature_mismatch"), rule.id).causes[0].title
    assert not any("temperatures" in c.title for c in found(diagnose("mismatch_40"), rule.id).causes)


def test_stuck_weights_are_suspected_where_the_claimed_age_stays() -> None:
    first = found(diagnose("weights_stuck_40"), rule.id).causes[0]
    assert "The sampler keeps old weights and reports new versions" == first.title
    assert ("the claimed age of the samples did not change",) == first.supporting


@pytest.mark.parametrize(
    ("name", "root"),
    [
        ("stale_16", "stale-rollouts"),
        ("no_correction", "stale-rollouts"),
        ("lr_high", "update-too-large"),
        ("nondeterministic", "importance-weight-not-one"),
    ],
)
def test_a_gap_follows_from_what_made_it(name: str, root: str) -> None:
    assert root == found(diagnose(name), rule.id).symptom_of


def test_a_gap_that_lasts_names_updates_that_were_too_large_as_its_likeliest_cause() -> None:
    finding = found(diagnose("lr_x20"), rule.id)
    assert (None, "update-too-large") == (finding.symptom_of, finding.causes[0].rule)


def test_overwritten_probabilities_are_not_called_healthy() -> None:
    assert ended(diagnose("recompute_coupled"), rule.id).startswith("could not be judged")
