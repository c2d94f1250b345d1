from __future__ import annotations

import gzip
import math
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rl_diag_plugin.sources import UnreadableError, read_yaml_config


@pytest.fixture
def values(tmp_path: Path) -> Any:
    """The values of a YAML text."""

    def call(text: str | bytes) -> Any:
        path = tmp_path / "config.yaml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        config = read_yaml_config(str(path))
        assert str(path) == config.source
        return config.values

    return call


def test_unknown_tags_give_plain_values_and_execute_nothing(values: Any, tmp_path: Path) -> None:
    text = f"""
tuple: !!python/tuple [1, 2]
object: !!python/object:os.stat_result {{a: 1}}
new: !!python/object/new:os.system [touch {tmp_path}/executed]
apply: !!python/object/apply:os.system ["touch {tmp_path}/executed"]
name: !!python/name:os.system ''
own: !own {{b: [!x 3]}}
number: !seconds 5
set: !!set {{a, b}}
"""
    assert {
        "tuple": [1, 2],
        "object": {"a": 1},
        "new": [f"touch {tmp_path}/executed"],
        "apply": [f"touch {tmp_path}/executed"],
        "name": "",
        "own": {"b": ["3"]},
        "number": "5",
        "set": {"a": None, "b": None},
    } == values(text)
    assert not (tmp_path / "executed").exists()


def test_scalars_are_numbers_truths_nulls_and_text(values: Any) -> None:
    text = "a: 1\nb: 1.5\nc: 1e-5\nd: -2E6\ne: true\nf: null\ng: ~\nh: text\ni: 2024-01-02\nj: .inf\n"
    text += "k: '1e-5'\nl: 0x10\nm: !!binary aGk=\nn: 1_000\n"
    expected = {"a": 1, "b": 1.5, "c": 1e-5, "d": -2e6, "e": True, "f": None, "g": None, "h": "text", "i": "2024-01-02", "j": math.inf}
    assert {**expected, "k": "1e-5", "l": 16, "m": "aGk=", "n": 1000} == values(text)
    assert {"a": "x", "b": "y"} == values("a: !!int x\nb: !!bool y\n")


def test_keys_become_text(values: Any) -> None:
    assert {"1": "a", "None": "b", "[1, 2]": "c"} == {
        ("None" if k == "null" else k): v for k, v in values("1: a\nnull: b\n? [1, 2]\n: c\n").items()
    }


def test_aliases_and_merges_are_written_out(values: Any) -> None:
    found = values("base: &b {lr: 1, n: 2}\nother: &o {n: 5, m: 6}\nrun: {<<: *b, n: 3}\nboth: {<<: [*b, *o]}\nagain: *b\n")
    assert {"lr": 1, "n": 3} == found["run"]
    assert {"lr": 1, "n": 2, "m": 6} == found["both"]
    assert found["base"] == found["again"]
    assert found["base"] is not found["again"]


BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(f"{chr(98 + i)}: &{chr(98 + i)} [{','.join([f'*{chr(97 + i)}'] * 9)}]\n" for i in range(12))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (BOMB, "holds more than 50,000 values: no configuration"),
        ("a: &a [*a]\n", "nests more than 100 levels: no configuration"),
        ("a: " + "[" * 500 + "]" * 500, "nests more than 100 levels: no configuration"),
        ("a: " + "[" * 100_000, None),
        ("a: " + "{b: " * 100_000, None),
        ("a: 1\n" * 60_000, "holds more than 50,000 values: no configuration"),
        (b"a: '" + b"x" * (5 << 20) + b"'", "is larger than 4 MiB: no configuration"),
    ],
    ids=["laughs", "cycle", "deep", "deeper", "mappings", "many", "large"],
)
def test_bombs_are_refused_in_little_time(values: Any, text: str | bytes, reason: str | None) -> None:
    start = time.process_time()
    with pytest.raises(UnreadableError) as caught:
        values(text)
    assert time.process_time() - start < 20
    assert reason in (None, caught.value.reason)


@pytest.mark.parametrize(
    ("text", "kind", "reason"),
    [
        ("a: 1\nb: [1, 2\nc: 3\n", "broken", "is no YAML: line 3: "),
        ("a: *nothing\n", "broken", "is no YAML: line 1: found undefined alias"),
        (b"a: \xff\xfe\n", "broken", "is no YAML: "),
        (b"\0\1\2", "broken", "is no YAML: "),
        ("- 1\n- 2\n", "unknown-format", "is no configuration"),
        ("text\n", "unknown-format", "is no configuration"),
        ("# nothing\n", "unknown-format", "is no configuration"),
        (" \n", "empty", "is empty"),
        ("version https://git-lfs.github.com/spec/v1\n", "lfs", "is a Git LFS pointer"),
    ],
)
def test_what_is_no_configuration_is_refused_with_its_line(values: Any, text: str | bytes, kind: str, reason: str) -> None:
    with pytest.raises(UnreadableError) as caught:
        values(text)
    assert kind == caught.value.kind
    assert caught.value.reason.startswith(reason)


def test_of_several_documents_the_first_counts(values: Any) -> None:
    assert {"a": 1} == values("a: 1\n---\nb: 2\n")


def test_a_gzip_configuration_is_read(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml.gz"
    path.write_bytes(gzip.compress(b"a: 1\n"))
    assert {"a": 1} == read_yaml_config(str(path)).values


def test_pyyamls_own_loader_is_left_as_it_was(values: Any) -> None:
    values("a: 1e-5\n")
    assert {"a": "1e-5"} == yaml.safe_load("a: 1e-5\n")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.one_of(st.text(alphabet="a1:-[]{}&*!<>|?, \n'\"#%@", max_size=60), st.binary(max_size=60)))
def test_random_text_never_raises_anything_but_unreadable(values: Any, text: str | bytes) -> None:
    try:
        values(text)
    except UnreadableError as error:
        assert str(error)


def test_the_trainers_saved_configuration_is_read_with_its_tuples(recordings: Path) -> None:
    config = read_yaml_config(str(recordings / "areal_1.0.4_long" / "healthy_s0" / "config.yaml")).values
    assert "toy-sum" == config["experiment_name"]
    assert isinstance(config["actor"]["scheduling_spec"], list)
