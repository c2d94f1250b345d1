"""Options of the form NAME=VALUE mean what they say."""

from __future__ import annotations

from typing import Any

import pytest

from rl_diag_plugin.cli.settings import parse_limit, parse_map, parse_setting


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1024", 1024), ("0.2", 0.2), ("1e-5", 1e-5), ("1E+3", 1000.0), (".5e1", 5.0), ("true", True), ("null", None), ("", None),
        ("grpo", "grpo"), ("a=b", "a=b"),
    ],
)  # fmt: skip
def test_a_setting_is_read_as_a_yaml_scalar_and_scientific_notation_as_a_number(text: str, value: Any) -> None:
    name, parsed = parse_setting(f"max_new_tokens={text}")

    assert ("max_new_tokens", value, type(value)) == (name, parsed, type(parsed))


def test_limits_are_given_mildest_first() -> None:
    assert ("truncated-responses", [0.05, 0.1]) == parse_limit("truncated-responses=0.05:0.1")


def test_a_mapped_key_may_hold_an_equals_sign_itself() -> None:
    assert ("reward(k=1)", "rollout/reward") == parse_map("reward(k=1)=rollout/reward")
