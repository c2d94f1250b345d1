"""Rules by id, chapter and glob; what is misspelt names the nearest."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from rl_diag_plugin import registry
from rl_diag_plugin.registry import choose, find_rule, load_rules


def test_ids_chapters_and_globs_choose_rules() -> None:
    rules = load_rules()
    assert {"reward"} == {r.chapter for r in choose(rules, ["reward"])}
    assert {"off_policy"} == {r.chapter for r in choose(rules, ["off-policy"])}
    assert ["reward-collapse"] == [r.id for r in choose(rules, ["reward-coll*"])]
    assert "reward-collapse" not in [r.id for r in choose(rules, ["reward"], ["reward-collapse"])]
    assert ["reward-collapse", "reward-constant"] == sorted(r.id for r in choose(rules, ["reward-collapse,reward-constant"]))


def test_a_misspelt_rule_names_the_nearest() -> None:
    with pytest.raises(KeyError, match="nearest: reward-constant"):
        find_rule("reward-const")
    with pytest.raises(KeyError, match="no rule rewrad"):
        choose(load_rules(), ["rewrad"])


def test_third_parties_add_rules_by_an_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    theirs = replace(find_rule("reward-collapse"), id="my-rule")
    point = EntryPoint("mine", "my_package:rules", registry.GROUP)
    monkeypatch.setattr(EntryPoint, "load", lambda self: [theirs])
    monkeypatch.setattr(registry, "entry_points", lambda group: [point] if group == registry.GROUP else [])
    load_rules.cache_clear()
    try:
        assert "my-rule" in [r.id for r in load_rules()]
    finally:
        monkeypatch.undo()
        load_rules.cache_clear()


def test_two_rules_of_one_name_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    again = find_rule("reward-collapse")
    monkeypatch.setattr(registry, "_third_party", lambda: [again])
    load_rules.cache_clear()
    with pytest.raises(ValueError, match="two rules are called reward-collapse"):
        load_rules()
    monkeypatch.undo()
    load_rules.cache_clear()
