from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from rl_diag_plugin.sources import UnreadableError, read_config


def test_an_object_is_read_with_values_that_are_not_finite(write: Callable[..., str]) -> None:
    path = write("config.json.gz", '\ufeff{\n "lr": 1e-5, "max": Infinity, "nested": {"a": [1, null]}}\n')
    config = read_config(path)
    assert {"lr": 1e-5, "max": math.inf, "nested": {"a": [1, None]}} == config.values
    assert path == config.source


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('{"a": 1', "broken"),
        ("[1, 2]", "unknown-format"),
        ("", "empty"),
        ('{"a":' * 200 + "1" + "}" * 200, "too-large"),
        ('{"a": [' + "1," * 50_000 + "1]}", "too-large"),
    ],
)
def test_what_is_no_configuration_is_refused(write: Callable[..., str], text: str, kind: str) -> None:
    with pytest.raises(UnreadableError) as caught:
        read_config(write("config.json", text))
    assert kind == caught.value.kind


def test_other_names_are_read_as_yaml(write: Callable[..., str]) -> None:
    assert {"a": 1} == read_config(write("config.yml", "a: 1\n")).values
