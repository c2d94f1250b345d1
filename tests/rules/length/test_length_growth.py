"""Rule length-growth."""

from __future__ import annotations

import pytest

from rl_diag_plugin.authoring import Example, constant, noise, ramp
from rl_diag_plugin.knobs.sampling import MAX_NEW_TOKENS
from rl_diag_plugin.metrics.actor import NO_EOS_RATIO, SEQ_LEN
from rl_diag_plugin.metrics.rollout import RESPONSE_LEN
from rl_diag_plugin.rules.length.length_growth import length_growth as rule
from rl_diag_plugin.testing import check_rule, run_example

from ..recordings import diagnose, ended, found

GROWING = ramp(400, 900, start=20, n=120, sd=15)


def test_it_keeps_the_contract() -> None:
    check_rule(rule)


def test_growth_with_room_left_is_information() -> None:
    report = run_example(rule, Example({RESPONSE_LEN: GROWING}, {MAX_NEW_TOKENS: 8192}))
    assert "info" == found(report, rule.id).worst
    assert found(report, rule.id).headline.endswith("of 8,192 tokens")


def test_growth_near_the_limit_is_a_warning() -> None:
    assert "warning" == ended(run_example(rule, Example({RESPONSE_LEN: GROWING}, {MAX_NEW_TOKENS: 1024})), rule.id)


def test_growth_with_responses_cut_off_is_a_warning() -> None:
    series = {RESPONSE_LEN: GROWING, NO_EOS_RATIO: constant(0.08, 120)}
    assert "warning" == ended(run_example(rule, Example(series, {MAX_NEW_TOKENS: 8192})), rule.id)


def test_the_length_with_the_prompt_will_do() -> None:
    assert "info" == ended(run_example(rule, Example({SEQ_LEN: GROWING})), rule.id)


def test_a_length_that_swings_is_none() -> None:
    assert "passed" == ended(run_example(rule, Example({RESPONSE_LEN: noise(400, 60, n=1000)})), rule.id)


@pytest.mark.parametrize("name", ["length_growth", "kl_without_reference", "entropy_collapse"])
def test_recorded_growth_is_dated_to_the_start(name: str) -> None:
    finding = found(diagnose(name), rule.id)
    assert ("warning", True) == (finding.worst, finding.active)
    lo, hi = finding.onset.lo, finding.onset.hi
    assert lo is not None and hi is not None and lo <= 1 and hi <= 8


def test_it_explains_the_truncation_that_follows() -> None:
    report = diagnose("length_growth")
    assert rule.id == found(report, "truncated-responses").symptom_of
    assert "critical" == found(report, rule.id).severity


def test_runs_whose_answers_get_shorter_pass() -> None:
    for name in ("healthy_s0", "healthy_s1", "sync_guide", "one_minibatch", "dynamic_filter", "minibatches_8", "small_batch", "lr_0"):
        assert "passed" == ended(diagnose(name), rule.id)
