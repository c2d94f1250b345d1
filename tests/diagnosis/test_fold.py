"""Consequences under their causes."""

from __future__ import annotations

from dataclasses import replace

from rl_diag_plugin.authoring import Effect, Example, Rule
from rl_diag_plugin.diagnosis.fold import fold
from rl_diag_plugin.model import Confidence, Episode, Finding, Onset, Severity


def rule(name: str, *effects: Effect) -> Rule:
    return Rule(name, "reward", "A rule.", ("warning",), explains=effects, bad=Example(), good=Example())


def finding(name: str, step: int | None, severity: Severity = "warning", *, active: bool = True, end: int | None = None) -> Finding:
    onset = Onset(step, step, step, "exact")
    episodes = () if step is None else (Episode(step, step, end, end, None, severity),)
    return Finding(
        name, name, severity, severity, severity, active, None, name, onset, episodes, None, None, "", (), None, None, (),
        Confidence("high", ()), (), (), None, (),
    )  # fmt: skip


def shown(findings: list[Finding], *rules: Rule) -> list[tuple[str, str | None, Severity, tuple[str, ...]]]:
    return [(f.id, f.symptom_of, f.severity, f.follows) for f in fold(findings, {r.id: r for r in rules})]


def test_a_consequence_stands_under_its_cause_and_lends_it_its_severity() -> None:
    found = [finding("effect", 50, "critical"), finding("cause", 40, "warning")]
    expected = [("cause", None, "critical", ("effect",)), ("effect", "cause", "critical", ())]
    assert expected == shown(found, rule("cause", Effect("effect", (0, 20))), rule("effect"))


def test_an_effect_long_after_or_before_its_cause_stands_alone() -> None:
    rules = (rule("cause", Effect("effect", (0, 20))), rule("effect"))
    assert all(symptom is None for _, symptom, _, _ in shown([finding("effect", 90), finding("cause", 40)], *rules))
    assert all(symptom is None for _, symptom, _, _ in shown([finding("effect", 10), finding("cause", 40)], *rules))


def test_a_chain_ends_at_its_first_cause() -> None:
    rules = (rule("a", Effect("b")), rule("b", Effect("c")), rule("c"))
    found = [finding("c", 30, "error"), finding("b", 20), finding("a", 10)]
    assert [("a", None, "error", ("b", "c")), ("c", "a", "error", ()), ("b", "a", "warning", ())] == shown(found, *rules)


def test_a_circle_has_one_root() -> None:
    rules = (rule("a", Effect("b")), rule("b", Effect("a")))
    assert [None, "a"] == [symptom for _, symptom, _, _ in shown([finding("a", 10), finding("b", 10)], *rules)]


def test_a_fault_of_the_configuration_explains_from_the_start() -> None:
    rules = (rule("cause", Effect("effect")), rule("effect"))
    assert [("cause", None), ("effect", "cause")] == [
        (i, s) for i, s, _, _ in shown([finding("effect", 70), finding("cause", None)], *rules)
    ]


def test_what_is_over_does_not_raise_its_cause_and_stands_after_what_lasts() -> None:
    rules = (rule("cause", Effect("effect")), rule("effect"), rule("other"))
    found = [finding("effect", 12, "critical", active=False, end=15), finding("cause", 10), finding("other", 90)]
    assert [("cause", "warning"), ("other", "warning"), ("effect", "critical")] == [(i, s) for i, _, s, _ in shown(found, *rules)]


def test_a_cause_that_was_over_long_before_explains_nothing_that_lasts() -> None:
    rules = (rule("cause", Effect("effect", (0, 100))), rule("effect"))
    over = finding("cause", 10, active=False, end=12)
    assert [None, None] == [s for _, s, _, _ in shown([over, replace(finding("effect", 200))], *rules)]
