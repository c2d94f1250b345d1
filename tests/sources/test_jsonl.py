from __future__ import annotations

import gzip
import io
import json
import math
import os
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rl_diag_plugin.sources import JsonlSource, UnreadableError, read_stream

Read = Callable[..., Any]
Write = Callable[..., str]


def test_plain_and_wrapped_rows_are_read_alike(read: Read, write: Write) -> None:
    plain = read(JsonlSource(write("a.jsonl", '{"step": 3, "reward": 0.5, "loss": 1}\n')))
    wrapped = read(JsonlSource(write("b.jsonl", '{"step": 3, "data": {"reward": 0.5, "loss": 1}}\n')))
    assert [(3, "loss", "1.0"), (3, "reward", "0.5")] == plain.cells == wrapped.cells


def test_a_key_called_data_beside_other_keys_is_a_nested_object(read: Read, write: Write) -> None:
    assert [(1, "data/x", "2.0"), (1, "loss", "1.0")] == read(JsonlSource(write("a.jsonl", '{"step":1,"loss":1,"data":{"x":2}}'))).cells


@pytest.mark.parametrize("key", ["step", "_step", "global_step", "training_step", "train_step", "iteration", "iter"])
def test_each_candidate_is_taken_as_step(read: Read, write: Write, key: str) -> None:
    assert [(5, "x", "1.0")] == read(JsonlSource(write("a.jsonl", f'{{"{key}": 5, "x": 1}}\n'))).cells


def test_the_first_candidate_is_the_step_and_another_one_a_metric(read: Read, write: Write) -> None:
    assert [(2, "iter", "9.0"), (2, "x", "1.0")] == read(JsonlSource(write("a.jsonl", '{"iter": 9, "step": 2, "x": 1}\n'))).cells


def test_without_a_step_the_line_number_stands_for_it_and_a_note_says_so(read: Read, write: Write) -> None:
    cursor: dict[str, Any] = {}
    path = write("a.jsonl", '{"x": 1}\n\n{"x": 2}\n')
    found = read(JsonlSource(path), cursor)
    assert [(1, "x", "1.0"), (3, "x", "2.0")] == found.cells
    assert ["its lines name no step: the line number stands for it"] == found.texts("note")
    with open(path, "a") as file:
        file.write('{"x": 3}\n')
    again = read(JsonlSource(path), cursor)
    assert ([(4, "x", "3.0")], []) == (again.cells, again.events)


def test_a_header_line_without_step_does_not_hide_the_steps(read: Read, write: Write) -> None:
    found = read(JsonlSource(write("a.jsonl", '{"seed": 1}\n{"step": 7, "x": 1}\n{"step": 8, "x": 2}\n')))
    assert [(7, "x", "1.0"), (8, "x", "2.0")] == found.cells
    assert ["1 line is without a whole number as step and left out, the first is line 1"] == found.texts("note")


@pytest.mark.parametrize("key", ["_timestamp", "timestamp", "time"])
def test_wall_times_are_kept_apart_from_the_metrics(read: Read, write: Write, key: str) -> None:
    found = read(JsonlSource(write("a.jsonl", f'{{"step": 1, "{key}": 1700000000.5, "x": 1}}\n')))
    assert ([1700000000.5], [(1, "x", "1.0")]) == (found.walls, found.cells)


def test_nested_objects_are_flattened_and_what_is_no_number_is_left_out(read: Read, write: Write) -> None:
    line = '{"step": 1, "a": {"b": {"c": 1}}, "t": true, "f": false, "n": null, "s": "text", "l": [1, 2], "e": {}}\n'
    assert [(1, "a/b/c", "1.0"), (1, "f", "0.0"), (1, "n", "nan"), (1, "t", "1.0")] == read(JsonlSource(write("a.jsonl", line))).cells


@pytest.mark.parametrize(
    ("token", "value"),
    [
        ("NaN", "nan"),
        ("Infinity", "inf"),
        ("-Infinity", "-inf"),
        ("1e400", "inf"),
        ("-1e400", "-inf"),
        ("1e308", "1e+308"),
        ("1" * 400, "inf"),
    ]
    + [(f'"{word}"', repr(float(word))) for word in ("NaN", "Infinity", "-Infinity", "nan", "inf", "-inf")]
    + [("-" + "9" * 5000, "-inf"), ("18446744073709551616", "1.8446744073709552e+19"), ("5e-324", "5e-324")],
)
def test_numbers_that_are_not_finite_or_huge_are_values(read: Read, write: Write, token: str, value: str) -> None:
    assert [(1, "x", value), (1, "y", "2.0")] == read(JsonlSource(write("a.jsonl", f'{{"step": 1, "x": {token}, "y": 2}}\n'))).cells


@pytest.mark.parametrize(("token", "step"), [("4.0", 4), ("-3", -3), ("9223372036854775807", 2**63 - 1)])
def test_whole_numbers_are_steps(read: Read, write: Write, token: str, step: int) -> None:
    assert [(step, "x", "1.0")] == read(JsonlSource(write("a.jsonl", f'{{"step": {token}, "x": 1}}\n'))).cells


@pytest.mark.parametrize("token", ["1.5", '"4"', "null", "true", "1e300", "9223372036854775808", "NaN", "[1]"])
def test_a_line_whose_step_is_no_whole_number_is_noted(read: Read, write: Write, token: str) -> None:
    found = read(JsonlSource(write("a.jsonl", f'{{"step": 1, "x": 1}}\n{{"step": {token}, "x": 2}}\n')))
    assert [(1, "x", "1.0")] == found.cells
    assert ["1 line is without a whole number as step and left out, the first is line 2"] == found.texts("note")


def test_broken_lines_are_counted_in_one_note_and_reading_goes_on(read: Read, write: Write) -> None:
    text = b'{"step": 1, "x": 1}\n{"step": 2, "x"\n\xff\xfe\n[1]\n{"step": 3, "x": 3}\n'
    found = read(JsonlSource(write("a.jsonl", text)))
    assert [(1, 1.0), (3, 3.0)] == found.values("x")
    assert ["3 lines are no JSON object and left out, the first is line 2"] == found.texts("note")


def test_a_line_cut_off_at_the_end_waits_until_it_is_whole(read: Read, write: Write) -> None:
    cursor: dict[str, Any] = {}
    path = write("a.jsonl", '{"step": 4096, "x": 1}\n{"step": 4097, "x')
    first = read(JsonlSource(path), cursor)
    assert [(4096, 1.0)] == first.values("x")
    assert [("incomplete", 4096, "the last record is incomplete: read up to step 4,096")] == [
        (e.kind, e.step, e.text) for e in first.events
    ]
    assert first.events == read(JsonlSource(path), cursor).events
    with open(path, "a") as file:
        file.write('": 2}\n')
    second = read(JsonlSource(path), cursor)
    assert ([(4097, 2.0)], []) == (second.values("x"), second.events)


def test_json_that_ends_in_its_first_line_is_incomplete_and_no_error(read: Read, write: Write) -> None:
    found = read(JsonlSource(write("a.jsonl", '{"step": 1, "rew')))
    assert ["the last record is incomplete: nothing was read before it"] == found.texts("incomplete")


def test_a_last_line_without_line_end_is_read_once(read: Read, write: Write) -> None:
    cursor: dict[str, Any] = {}
    path = write("a.jsonl", '{"step": 1, "x": 1}')
    assert [(1, 1.0)] == read(JsonlSource(path), cursor).values("x")
    with open(path, "a") as file:
        file.write('\n{"step": 2, "x": 2}')
    assert [(2, 2.0)] == read(JsonlSource(path), cursor).values("x")


def test_a_byte_order_mark_carriage_returns_and_empty_lines_are_taken(read: Read, write: Write) -> None:
    found = read(JsonlSource(write("a.jsonl", b'\xef\xbb\xbf{"step": 1, "x": 1}\r\n\r\n   \n{"step": 2, "x": NaN}\r\n  ')))
    assert ["1.0", "nan"] == [value for _, _, value in found.cells]
    assert [] == found.events


def test_of_a_key_that_repeats_in_a_line_the_last_value_counts(read: Read, write: Write) -> None:
    found = read(JsonlSource(write("a.jsonl", '{"step":1,"x":1,"x":2}\n{"step":2,"x":NaN,"x":3}\n')))
    assert [(1, 2.0), (2, 3.0)] == found.values("x")


@pytest.mark.parametrize("depth", [60, 1000, 100_000])
def test_deep_nesting_does_not_raise(read: Read, write: Write, depth: int) -> None:
    deep = '{"a":' * depth + "1" + "}" * depth
    found = read(JsonlSource(write("a.jsonl", f'{{"step":1,"x":1}}\n{{"step":2,"d":{deep},"x":2}}\n{{"step":3,"d":{deep},"x":NaN}}\n')))
    assert (1, "x", "1.0") in found.cells


@pytest.mark.parametrize("one_line", [True, False])
def test_a_million_different_keys_are_bounded(read: Read, write: Write, one_line: bool) -> None:
    n = 1_000_000
    if one_line:
        text = '{"step": 1, ' + ", ".join(f'"k{i}": {i}' for i in range(n)) + "}\n"
    else:
        text = "".join(f'{{"step": {i}, "k{i}": 1}}\n' for i in range(n))
    path = write("a.jsonl", text)
    del text
    start = time.process_time()
    found = read(JsonlSource(path))
    assert time.process_time() - start < 30
    assert 20_000 == len({key for _, key, _ in found.cells})
    assert ["100,000 or more keys were dropped: 20,000 different keys of 1,024 characters are read"] == found.texts("note")


def test_a_line_of_100_megabytes_is_left_out_without_being_held(reading: Any, write: Write) -> None:
    path = write("a.jsonl", b'{"step": 1, "x": 1}\n{"step": 2, "text": "' + b"x" * (100 << 20) + b'"}\n{"step": 3, "x": 3}\n')
    tracemalloc.start()
    found = reading(JsonlSource(path).read({}))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 80 << 20
    assert [(1, 1.0), (3, 3.0)] == found.values("x")
    assert ["1 line is no JSON object and left out, the first is line 2"] == found.texts("note")


def test_chunks_hold_at_most_4096_rows_and_the_cursor_says_after_each_where_to_go_on(reading: Any, write: Write) -> None:
    path = write("a.jsonl", "".join(f'{{"step": {i}, "x": {i}}}\n' for i in range(10_000)))
    cursor: dict[str, Any] = {}
    items = JsonlSource(path).read(cursor)
    first = reading([next(items)])
    rest = reading(JsonlSource(path).read(json.loads(json.dumps(cursor))))
    assert [4096, 4096, 1808] == [len(chunk.steps) for chunk in first.chunks + rest.chunks]
    assert [(i, float(i)) for i in range(10_000)] == first.values("x") + rest.values("x")


@pytest.mark.parametrize("change", ["shrunken", "replaced", "rewritten"])
def test_a_shrunken_or_replaced_file_is_read_anew(read: Read, write: Write, change: str) -> None:
    cursor: dict[str, Any] = {}
    path = write("a.jsonl", '{"step": 1, "x": 1}\n{"step": 2, "x": 2}\n')
    read(JsonlSource(path), cursor)
    text = '{"step": 1, "x": 1}\n' if change == "shrunken" else '{"step": 1, "x": 9}\n{"step": 2, "x": 9}\n{"step": 3, "x": 9}\n'
    if change == "replaced":
        os.replace(write("b.jsonl", text), path)
    else:
        with open(path, "w") as file:
            file.write(text)
    found = read(JsonlSource(path), cursor)
    assert ["the file was cut or replaced: it is read anew from its start"] == found.texts("note")
    assert text.count("\n") == len(found.cells)


def test_gzip_is_read_and_a_truncated_one_is_incomplete(read: Read, write: Write) -> None:
    text = "".join(f'{{"step": {i}, "x": {i * 7919 % 10007}}}\n' for i in range(5000))
    path = write("a.jsonl.gz", text)
    assert 5000 == len(read(JsonlSource(path)).cells)
    packed = gzip.compress(text.encode())
    with open(path, "wb") as file:
        file.write(packed[: len(packed) // 2])
    cursor: dict[str, Any] = {}
    first = read(JsonlSource(path), cursor)
    assert 0 < len(first.cells) < 5000
    assert 1 == len(first.texts("incomplete"))
    with open(path, "ab") as file:
        file.write(packed[len(packed) // 2 :] + gzip.compress(b'{"step": 5000, "x": 1}\n'))
    second = read(JsonlSource(path), cursor)
    assert list(range(5001)) == [step for step, _, _ in first.cells + second.cells]


def test_a_damaged_gzip_stream_is_read_up_to_the_damage(read: Read, write: Write) -> None:
    packed = bytearray(gzip.compress("".join(f'{{"step": {i}, "x": {i * 7919 % 10007}}}\n' for i in range(50_000)).encode()))
    packed[len(packed) // 2 : len(packed) // 2 + 64] = b"\xff" * 64
    path = write("a.jsonl", bytes(packed))
    found = read(JsonlSource(path))
    assert found.cells
    assert "the gzip stream is damaged: read up to there" in found.texts("note")


def test_what_holds_nothing_to_read_is_refused(read: Read, write: Write) -> None:
    cases = {
        b"": ("empty", "is empty"),
        b"\n\n": ("empty", "is empty"),
        b"hello\nworld\n": ("broken", "no line is a JSON object"),
        b'{"step": 1, "text": "a"}\n': ("no-scalars", "holds no numbers (1 records)"),
    }
    for content, expected in cases.items():
        with pytest.raises(UnreadableError) as caught:
            read(JsonlSource(write("a.jsonl", content)))
        assert expected == (caught.value.kind, caught.value.reason)
    with pytest.raises(UnreadableError, match="does not exist"):
        read(JsonlSource("/no/such/a.jsonl"))


def test_a_stream_is_read_like_a_file(reading: Any) -> None:
    stream = io.BytesIO(b'{"step": 1, "x": 1}\n{"step": 2, "x": 2}\n{"st')
    found = reading(read_stream(stream, "-"))
    assert [(1, 1.0), (2, 2.0)] == found.values("x")
    assert 1 == len(found.texts("incomplete"))
    with pytest.raises(UnreadableError, match="- is empty"):
        list(read_stream(io.BytesIO(b"")))


VALUES = st.one_of(st.floats(), st.integers(-(2**70), 2**70), st.booleans(), st.none(), st.text(max_size=3))
TREES = st.recursive(VALUES, lambda inner: st.dictionaries(st.text(max_size=3), inner, max_size=4), max_leaves=6)
LINES = st.lists(st.tuples(st.integers(-5, 5), st.dictionaries(st.text("abc/", max_size=2), TREES, max_size=5)), max_size=12)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=50)
@given(rows=LINES, cut=st.floats(0, 1), bare=st.booleans())
def test_two_halves_give_the_cells_of_the_whole(read: Read, write: Write, rows: list[Any], cut: float, bare: bool) -> None:
    text = "".join(json.dumps({**values, "step": step}, ensure_ascii=not bare) + "\n" for step, values in rows)
    data = ('{"step": 0, "first": 0}\n' + text).encode("utf-8", "surrogatepass")
    whole = read(JsonlSource(write("whole.jsonl", data)))
    at = 25 + int(cut * (len(data) - 25))
    cursor: dict[str, Any] = {}
    path = write("half.jsonl", data[:at])
    os.remove(path)
    path = write("half.jsonl", data[:at])
    first = read(JsonlSource(path), cursor)
    with open(path, "ab") as file:
        file.write(data[at:])
    assert whole.cells == first.cells + read(JsonlSource(path), cursor).cells


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=50)
@given(data=st.binary(max_size=300))
def test_random_bytes_never_raise_anything_but_unreadable(read: Read, write: Write, data: bytes) -> None:
    try:
        read(JsonlSource(write("a.jsonl", b'{"step": 1, "x": 1}\n' + data)))
        read(JsonlSource(write("b.jsonl", data)))
    except UnreadableError as error:
        assert str(error)


def test_a_recording_of_the_real_trainer_is_read_whole(read: Read, recordings: Any) -> None:
    path = recordings / "areal_1.0.4_long" / "healthy_s0" / "log.jsonl"
    expected = sorted(
        (row["step"], key, float(value)) for line in path.open() for row in [json.loads(line)] for key, value in row["data"].items()
    )
    found = read(JsonlSource(str(path)))
    assert expected == sorted((step, key, float(value)) for step, key, value in found.cells)
    assert not any(math.isnan(value) for _, _, value in expected)
