from __future__ import annotations

import gzip
import json
import math
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rl_diag_plugin.sources import EventDirectory, EventFileSource, UnreadableError
from rl_diag_plugin.sources.event_proto import Event as EventProto

Read = Callable[..., Any]
Write = Callable[..., str]
Events = Callable[..., bytes]
Record = Callable[[bytes], bytes]
NAME = "events.out.tfevents.1700000000.host.1.0"


def value_of(tag: str, *, plugin: str = "", **kind: Any) -> dict[str, Any]:
    out = {"tag": tag.encode(), **kind}
    return {**out, "metadata": {"plugin_data": {"plugin_name": plugin.encode()}}} if plugin else out


def event(record: Record, step: int, *values: dict[str, Any]) -> bytes:
    return record(EventProto(wall_time=1000.0 + step, step=step, summary={"value": list(values)}).SerializeToString())


def test_scalars_are_read_with_their_steps_wall_times_and_the_files_axis(read: Read, write: Write, events: Events) -> None:
    found = read(EventFileSource(write(NAME, events((1, "a", 0.5), (1, "b", 2.0), (2, "a", math.nan)))))
    assert [(1, "a", "0.5"), (1, "b", "2.0"), (2, "a", "nan")] == found.cells
    assert [1001.0, 1002.0] == found.walls
    assert [NAME] == [chunk.axis for chunk in found.chunks]
    assert [] == found.events


@pytest.mark.parametrize(
    ("tensor", "value"),
    [
        ({"dtype": 1, "float_val": [0.5]}, 0.5),
        ({"dtype": 1, "tensor_content": np.float32(0.25).tobytes()}, 0.25),
        ({"dtype": 2, "double_val": [1e300]}, 1e300),
        ({"dtype": 2, "tensor_content": np.float64(math.inf).tobytes()}, math.inf),
        ({"dtype": 3, "int_val": [-7]}, -7.0),
        ({"dtype": 4, "tensor_content": b"\xff"}, 255.0),
        ({"dtype": 5, "tensor_content": np.int16(-9).tobytes()}, -9.0),
        ({"dtype": 6, "int_val": [-1]}, -1.0),
        ({"dtype": 9, "int64_val": [2**60]}, float(2**60)),
        ({"dtype": 10, "bool_val": [True]}, 1.0),
        ({"dtype": 14, "half_val": [0x3FC0]}, 1.5),
        ({"dtype": 14, "tensor_content": b"\xc0\x3f"}, 1.5),
        ({"dtype": 17, "int_val": [65535]}, 65535.0),
        ({"dtype": 19, "half_val": [0x3E00]}, 1.5),
        ({"dtype": 19, "tensor_content": np.float16(1.5).tobytes()}, 1.5),
        ({"dtype": 22, "uint32_val": [2**32 - 1]}, float(2**32 - 1)),
        ({"dtype": 23, "tensor_content": np.uint64(2**63).tobytes()}, float(2**63)),
        ({"dtype": 1, "float_val": [3.0], "tensor_shape": {"dim": [{"size": 1}, {"size": 1}]}}, 3.0),
        ({"dtype": 1}, 0.0),
    ],
)
@pytest.mark.parametrize("plugin", ["scalars", ""])
def test_tensors_of_one_number_are_scalars(
    read: Read, write: Write, record: Record, tensor: dict[str, Any], value: float, plugin: str
) -> None:
    assert [(4, value)] == read(EventFileSource(write(NAME, event(record, 4, value_of("x", plugin=plugin, tensor=tensor))))).values("x")


@pytest.mark.parametrize(
    "value",
    [
        value_of("x", tensor={"dtype": 7, "tensor_shape": {}}),
        value_of("x", tensor={"dtype": 1, "float_val": [1.0, 2.0], "tensor_shape": {"dim": [{"size": 2}]}}),
        value_of("x", tensor={"dtype": 1, "tensor_shape": {"dim": [{"size": 0}]}}),
        value_of("x", tensor={"dtype": 1, "float_val": [1.0], "tensor_shape": {"unknown_rank": True}}),
        value_of("x", tensor={"dtype": 1, "tensor_content": b"abc"}),
        value_of("x", tensor={"dtype": 14, "tensor_content": b"abc"}),
        value_of("x", tensor={"dtype": 8, "tensor_content": b"12345678"}),
        value_of("x", plugin="pr_curves", tensor={"dtype": 1, "float_val": [1.0]}),
        value_of("x"),
    ],
)
def test_everything_else_is_no_scalar(read: Read, write: Write, record: Record, events: Events, value: dict[str, Any]) -> None:
    assert [(2, "y", "1.0")] == read(EventFileSource(write(NAME, event(record, 1, value) + events((2, "y", 1.0))))).cells


def test_a_plugin_that_is_named_in_the_first_record_only_is_remembered_over_readings(read: Read, write: Write, record: Record) -> None:
    first = event(record, 1, value_of("h", plugin="mine", tensor={"dtype": 1, "float_val": [1.0]}), value_of("y", simple_value=1.0))
    cursor: dict[str, Any] = {}
    path = write(NAME, first)
    read(EventFileSource(path), cursor)
    with open(path, "ab") as file:
        file.write(event(record, 2, value_of("h", tensor={"dtype": 1, "float_val": [2.0]}), value_of("y", simple_value=2.0)))
    assert [(2, "y", "2.0")] == read(EventFileSource(path), cursor).cells


def test_a_file_without_scalars_says_what_it_holds(read: Read, write: Write, record: Record) -> None:
    texts = [value_of(f"t{i}", plugin="text", tensor={"dtype": 7}) for i in range(3)]
    images = [value_of(f"i{i}", image=b"") for i in range(11)] + [value_of("i", plugin="images", tensor={"dtype": 7})]
    path = write(NAME, event(record, 1, *texts, *images))
    with pytest.raises(UnreadableError) as caught:
        read(EventFileSource(path))
    assert f"{path} holds no scalars (12 images, 3 texts)" == str(caught.value)
    assert "event file without scalars" == caught.value.group


def test_a_file_of_0_bytes_or_with_its_header_only_is_refused_until_it_grows(read: Read, write: Write, events: Events) -> None:
    cursor: dict[str, Any] = {}
    path = write(NAME)
    with pytest.raises(UnreadableError, match="is empty: event files are flushed late"):
        read(EventFileSource(path), cursor)
    Path(path).write_bytes(events())
    with pytest.raises(UnreadableError, match=r"holds no scalars \(nothing but its header\)"):
        read(EventFileSource(path), cursor)
    Path(path).write_bytes(events((1, "x", 1.0)))
    assert [(1, "x", "1.0")] == read(EventFileSource(path), cursor).cells


def test_rubbish_and_git_lfs_pointers_are_refused(read: Read, write: Write) -> None:
    with pytest.raises(UnreadableError, match=r"is in no format that is read \(begins 7f 45 4c 46\)"):
        read(EventFileSource(write(NAME, b"\x7fELF" + bytes(100))))
    with pytest.raises(UnreadableError, match="is a Git LFS pointer\ngit lfs pull --include "):
        read(EventFileSource(write(NAME, b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n")))


def test_a_record_that_is_cut_off_waits_until_it_is_whole(read: Read, write: Write, events: Events) -> None:
    data = events((4096, "x", 1.0), (4097, "x", 2.0))
    cursor: dict[str, Any] = {}
    path = write(NAME, data[:-1])
    first = read(EventFileSource(path), cursor)
    assert [(4096, 1.0)] == first.values("x")
    assert ["the last record is incomplete: read up to step 4,096"] == first.texts("incomplete")
    with open(path, "ab") as file:
        file.write(data[-1:])
    second = read(EventFileSource(path), cursor)
    assert ([(4097, 2.0)], []) == (second.values("x"), second.events)


def test_damage_is_told_once_and_the_rest_is_read(read: Read, write: Write, events: Events) -> None:
    data = bytearray(events((1, "x", 1.0), (2, "x", 2.0), (3, "x", 3.0)))
    size = (len(data) - len(events())) // 3
    start = len(data) - 2 * size
    data[start] ^= 0xFF
    cursor: dict[str, Any] = {}
    path = write(NAME, bytes(data))
    found = read(EventFileSource(path), cursor)
    assert [(1, 1.0), (3, 3.0)] == found.values("x")
    assert [f"damaged at byte {start}: reading goes on at byte {start + size}"] == found.texts("note")
    with open(path, "ab") as file:
        file.write(bytes(40))
    assert [f"damaged at byte {len(data)}: no record follows"] == read(EventFileSource(path), cursor).texts("note")
    assert [] == read(EventFileSource(path), cursor).events
    with open(path, "ab") as file:
        file.write(events((4, "x", 4.0), header=False))
    assert [(4, 4.0)] == read(EventFileSource(path), cursor).values("x")


def test_a_payload_that_fails_its_checksum_is_left_out_with_verify_only(read: Read, write: Write, events: Events) -> None:
    data = bytearray(events((1, "x", 1.0), (2, "x", 2.0)))
    data[-5] ^= 1  # the value's last byte
    path = write(NAME, bytes(data))
    assert 2 == len(read(EventFileSource(path)).cells)
    found = read(EventFileSource(path, verify=True))
    assert [(1, 1.0)] == found.values("x")
    assert ["records that fail their checksum and were left out: 1"] == found.texts("note")


def test_a_file_of_damaged_records_only_is_broken(read: Read, write: Write, record: Record) -> None:
    with pytest.raises(UnreadableError, match=r": no record can be read \(2 are damaged\)"):
        read(EventFileSource(write(NAME, record(b"\xff\xff\xff") * 2)))


def test_a_record_that_is_no_event_is_noted(read: Read, write: Write, record: Record, events: Events) -> None:
    found = read(EventFileSource(write(NAME, events((1, "x", 1.0)) + record(b"\xff\xff\xff") + events((2, "x", 2.0), header=False))))
    assert 2 == len(found.cells)
    assert ["records that cannot be decoded and were left out: 1"] == found.texts("note")


def test_a_tag_that_is_no_utf8_does_not_cost_the_record(read: Read, write: Write, record: Record) -> None:
    value = {"tag": b"\xff/x", "simple_value": 1.0}
    assert [(1, "\ufffd/x", "1.0")] == read(EventFileSource(write(NAME, event(record, 1, value)))).cells


def test_gzip_is_read_also_when_truncated(read: Read, write: Write, events: Events) -> None:
    rng = random.Random(0)
    data = events(*((i, "x", rng.random()) for i in range(3000)))
    assert 3000 == len(read(EventFileSource(write(f"{NAME}.gz", data))).cells)
    packed = gzip.compress(data)
    cursor: dict[str, Any] = {}
    path = write("events.out.tfevents.2.h", packed[: len(packed) // 2])
    first = read(EventFileSource(path), cursor)
    assert 0 < len(first.cells) < 3000
    assert 1 == len(first.texts("incomplete"))
    Path(path).write_bytes(packed)
    assert 3000 == len(first.cells) + len(read(EventFileSource(path), cursor).cells)


def test_more_than_20000_tags_are_bounded(read: Read, write: Write, record: Record) -> None:
    values = [value_of(f"t{i}", simple_value=1.0) for i in range(20_003)]
    found = read(EventFileSource(write(NAME, event(record, 1, *values))))
    assert 20_000 == len(found.cells)
    assert found.texts("note")[0].startswith("3 keys were dropped")


def test_a_directorys_files_are_one_run_in_the_order_of_their_names(read: Read, write: Write, events: Events) -> None:
    write("run/events.out.tfevents.1700000009.h.1.10", events((3, "x", 3.0)))
    write("run/events.out.tfevents.1700000009.h.1.9", events((2, "x", 2.0)))
    write("run/events.out.tfevents.1600000000.h.5.0.gz", events((1, "x", 1.0)))
    write("run/events.out.tfevents.1700000010.h.1.0")
    write("run/notes.txt", "x")
    path = os.path.dirname(write("run/events.out.tfevents.1500000000.h", events()))
    cursor: dict[str, Any] = {}
    found = read(EventDirectory(path), cursor)
    assert [(1, 1.0), (2, 2.0), (3, 3.0)] == found.values("x")
    empty = "events.out.tfevents.1700000010.h.1.0 is empty: event files are flushed late, as a rule every 120 s"
    assert [empty] == found.texts("note")
    write("run/events.out.tfevents.1700000010.h.1.0", events((4, "x", 4.0)))
    write("run/events.out.tfevents.1700000011.h.1.0", events((5, "x", 5.0)))
    again = read(EventDirectory(path), cursor)
    assert ([(4, 4.0), (5, 5.0)], []) == (again.values("x"), again.events)


def test_a_reading_may_stop_after_any_item(reading: Any, write: Write, events: Events) -> None:
    write("run/events.out.tfevents.1", events(*((i, "x", 1.0) for i in range(5000))) + bytes(20))
    write("run/events.out.tfevents.2")
    path = os.path.dirname(write("run/events.out.tfevents.3", events(*((i, "x", 2.0) for i in range(4096, 9000)))))
    whole = reading(EventDirectory(path).read({}))
    items, cursor = [], json.loads("{}")
    while (item := next(EventDirectory(path).read(cursor), None)) is not None:
        items.append(item)
        cursor = json.loads(json.dumps(cursor))
    stopped = reading(items)
    assert (whole.cells, whole.events) == (stopped.cells, stopped.events)
    assert 4 == len(stopped.chunks)


def test_a_directory_without_scalars_is_refused(read: Read, write: Write, record: Record, events: Events) -> None:
    path = os.path.dirname(write("run/events.out.tfevents.1", event(record, 1, value_of("i", image=b""))))
    with pytest.raises(UnreadableError, match=r"events.out.tfevents.1 holds no scalars \(1 image\)"):
        read(EventDirectory(path))
    write("run/events.out.tfevents.2", event(record, 1, value_of("i", image=b"")))
    with pytest.raises(UnreadableError, match=r"run holds no scalars \(2 images\)"):
        read(EventDirectory(path))
    write("none/a.txt", "x")
    with pytest.raises(UnreadableError, match="holds no event file"):
        read(EventDirectory(os.path.join(os.path.dirname(path), "none")))
    with pytest.raises(UnreadableError, match="does not exist"):
        read(EventDirectory("/no/such/run"))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=50)
@given(data=st.binary(max_size=400))
def test_random_bytes_never_raise_anything_but_unreadable(read: Read, write: Write, record: Record, events: Events, data: bytes) -> None:
    for content in (events((1, "x", 1.0)) + data, record(data) + record(data[:7]), data):
        try:
            read(EventFileSource(write(NAME, content), verify=True))
        except UnreadableError as error:
            assert str(error)


TAGS = st.sampled_from(["loss", "rollout/ep_rew_mean", "奖励/均值", "a"])
KINDS = st.sampled_from(["simple", "float", "double", "int64", "half", "image", "text", "histo"])
STREAMS = st.lists(
    st.tuples(st.integers(-(2**63), 2**63 - 1), st.lists(st.tuples(TAGS, KINDS, st.floats(width=16)), max_size=4)), max_size=20
)


def their_event(pb: Any, step: int, values: list[tuple[str, str, float]]) -> tuple[Any, list[tuple[int, str, str]]]:
    """An event by TensorBoard's own messages, and the cells that it holds."""
    out, cells = pb.event.Event(wall_time=float(abs(step) % 1000), step=step), []
    for tag, kind, number in values:
        value = out.summary.value.add(tag=tag)
        if kind == "simple":
            value.simple_value = number
        elif kind in ("float", "double", "int64", "half"):
            dtype: Any = {"float": np.float32, "double": np.float64, "int64": np.int64, "half": np.float16}[kind]
            if kind == "int64":
                number = float(int(number)) if math.isfinite(number) else 0.0
            value.tensor.CopyFrom(pb.tensor_util.make_tensor_proto(dtype(number)))
            value.metadata.plugin_data.plugin_name = "scalars"
        else:
            if kind == "image":
                value.image.width = 3
            elif kind == "histo":
                value.histo.num = 1.0
            else:
                value.tensor.CopyFrom(pb.tensor_util.make_tensor_proto("words"))
                value.metadata.plugin_data.plugin_name = "text"
            continue
        cells.append((step, tag, repr(float(number))))
    return out, cells


@pytest.fixture(scope="module")
def pb() -> Any:
    pytest.importorskip("tensorboard")
    from types import SimpleNamespace

    from tensorboard.compat.proto import event_pb2  # type: ignore[import-untyped]
    from tensorboard.util import tensor_util  # type: ignore[import-untyped]

    return SimpleNamespace(event=event_pb2, tensor_util=tensor_util)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=50)
@given(stream=STREAMS, cut=st.floats(0, 1))
def test_random_streams_of_tensorboards_own_messages_are_read_whole_and_in_halves(
    pb: Any, read: Read, write: Write, record: Record, events: Events, stream: list[Any], cut: float
) -> None:
    data, expected = events((0, "first", 1.0)), [(0, "first", "1.0")]
    least = len(data)
    for step, values in stream:
        message, cells = their_event(pb, step, values)
        data += record(message.SerializeToString())
        expected += cells
    path = write(f"whole/{NAME}", data)
    whole = read(EventFileSource(path, verify=True))
    for key in {key for _, key, _ in expected}:
        assert [cell for cell in expected if cell[1] == key] == [cell for cell in whole.cells if cell[1] == key]
    assert sorted(expected) == sorted(whole.cells)
    at = least + int(cut * (len(data) - least))
    cursor: dict[str, Any] = {}
    half = write(f"half/{NAME}", data[:at])
    first = read(EventFileSource(half), cursor)
    with open(half, "ab") as file:
        file.write(data[at:])
    second = read(EventFileSource(half), cursor)
    assert sorted(expected) == sorted(first.cells + second.cells)
    shutil.rmtree(os.path.dirname(half))


def test_a_file_of_tensorboards_writer_gives_what_its_accumulator_gives(pb: Any, read: Read, tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator  # type: ignore[import-untyped]
    from tensorboard.summary.writer.event_file_writer import EventFileWriter  # type: ignore[import-untyped]

    rng = random.Random(1)
    writer = EventFileWriter(str(tmp_path))
    for step in range(500):
        message = pb.event.Event(wall_time=1e9 + step / 3, step=step)
        for tag in ("loss", "reward", "kl"):
            message.summary.value.add(tag=tag, simple_value=rng.gauss(0, 1) if rng.random() > 0.05 else math.nan)
        message.summary.value.add(tag="image").image.width = 1
        writer.add_event(message)
    writer.close()
    accumulator = EventAccumulator(str(tmp_path), size_guidance={"scalars": 0})
    accumulator.Reload()
    found = read(EventDirectory(str(tmp_path)))
    assert sorted(accumulator.Tags()["scalars"]) == sorted({key for _, key, _ in found.cells})
    for tag in accumulator.Tags()["scalars"]:
        theirs = accumulator.Scalars(tag)
        assert [(e.step, repr(float(e.value))) for e in theirs] == [(s, v) for s, k, v in found.cells if k == tag]
        assert [e.wall_time for e in theirs] == found.walls


@pytest.mark.parametrize("order", ["ours.Event; theirs.Event", "theirs.Event; ours.Event"], ids=["before tensorboard", "after tensorboard"])
def test_our_messages_do_not_collide_with_tensorboards(pb: Any, order: str) -> None:
    names = {"ours": "rl_diag_plugin.sources.event_proto", "theirs": "tensorboard.compat.proto.event_pb2"}
    imports = "\n".join(f"import {names[part.split('.')[0]]} as {part.split('.')[0]}" for part in order.split("; "))
    code = f"{imports}\nassert 3 == ours.Event.FromString(theirs.Event(step=3).SerializeToString()).step"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2])
    assert (0, "") == (done.returncode, done.stderr)


def test_reading_event_files_imports_neither_tensorboard_nor_wandb() -> None:
    code = "import sys, rl_diag_plugin.sources; assert not {'tensorboard', 'wandb'} & set(sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2])
    assert (0, "") == (done.returncode, done.stderr)


def test_twenty_thousand_scalars_take_a_second_or_two(read: Read, write: Write, events: Events) -> None:
    path = write(NAME, events(*((i, f"t{j}", 1.0) for i in range(400) for j in range(50))))
    start = time.process_time()
    found = list(EventFileSource(path).read({}))
    assert time.process_time() - start < 5
    assert 1 == len(found)


def test_recordings_in_both_formats_agree(read: Read, recordings: Path) -> None:
    from rl_diag_plugin.sources import JsonlSource

    run = recordings / "areal_1.0.4_long" / "healthy_s0"
    lines = read(JsonlSource(str(run / "log.jsonl"))).cells
    found = read(EventDirectory(str(run))).cells
    assert {(step, key): float(np.float32(value)) for step, key, value in lines} == {
        (step, key): float(value) for step, key, value in found
    }
