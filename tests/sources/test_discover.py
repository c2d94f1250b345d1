from __future__ import annotations

import io
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rl_diag_plugin.sources import EventDirectory, EventFileSource, JsonlSource, RunFiles, UnreadableError, discover

Write = Callable[..., str]
Events = Callable[..., bytes]
ROW = '{"step": 1, "x": 1}\n'
EVENTS = "events.out.tfevents.1700000000.host.1.0"


def names(runs: list[RunFiles]) -> list[str]:
    return [run.name for run in runs if run.error is None]


def one(path: Path | str) -> RunFiles:
    (run,) = discover(str(path))
    assert run.error is None
    return run


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.json", "a.json.gz", "a.log"])
def test_a_file_of_json_lines_is_a_run(write: Write, name: str) -> None:
    path = write(name, ROW * 2)
    run = one(path)
    assert ("a", path, "jsonl", (JsonlSource(path),)) == (run.name, run.path, run.format, run.sources)


@pytest.mark.parametrize("name", [EVENTS, f"{EVENTS}.gz", "renamed.bin"])
def test_an_event_file_is_a_run(write: Write, events: Events, name: str) -> None:
    path = write(f"my_run/{name}", events((1, "x", 1.0)))
    run = one(path)
    assert ("tensorboard", (EventFileSource(path),)) == (run.format, run.sources)
    assert ("renamed" if "renamed" in name else "my_run") == run.name


def test_a_file_called_log_is_named_by_its_directory(write: Write) -> None:
    assert "healthy" == one(write("healthy/log.jsonl", ROW)).name


@pytest.mark.parametrize(
    ("content", "kind", "text"),
    [
        (b"\x7fELF\2\1\1", "unknown-format", "is in no format that is read (begins 7f 45 4c 46)"),
        (b"", "empty", "is empty"),
        (b"a,b\n1,2\n", "unknown-format", "is in no format that is read (begins 61 2c 62 0a)"),
        (b'{\n "a": 1\n}\n', "unknown-format", "is in no format that is read (begins 7b 0a 20 22)\nexpected one JSON object a line"),
        (b"version https://git-lfs.github.com/spec/v1\n", "lfs", "is a Git LFS pointer\ngit lfs pull --include "),
    ],
)
def test_a_file_that_holds_no_log_is_refused(write: Write, content: bytes, kind: str, text: str) -> None:
    for name in ("x.bin", "x.json", *(["x.jsonl", EVENTS] if kind != "unknown-format" else [])):
        path = write(name, content)
        with pytest.raises(UnreadableError) as caught:
            discover(path)
        assert kind == caught.value.kind
        assert str(caught.value).startswith(f"{path} {text}")


def test_a_log_that_is_cut_off_in_its_first_line_is_no_error(write: Write, events: Events) -> None:
    assert "jsonl" == one(write("a.jsonl", '{"step": 1, "rew')).format
    assert "tensorboard" == one(write(EVENTS, events()[:5])).format
    assert "jsonl" == one(write("b.jsonl", "broken\n" + ROW)).format
    assert "jsonl" == one(write("c.jsonl", '{"x": "' + "a" * 100_000)).format


def test_a_missing_path_and_an_empty_directory_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="does not exist"):
        discover(str(tmp_path / "none"))
    (tmp_path / "new" / "sub").mkdir(parents=True)
    expected = f"{tmp_path}/new holds no log\nexpected TensorBoard event files (*tfevents*) or JSON lines (*.jsonl), plain or .gz"
    with pytest.raises(UnreadableError) as caught:
        discover(str(tmp_path / "new"))
    assert expected == str(caught.value)


def test_what_is_neither_file_nor_directory_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(UnreadableError, match="is no file and no directory"):
        discover(str(tmp_path / "fifo"))


def test_a_main_log_wins_over_event_files_and_other_lines_and_a_note_says_so(write: Write, events: Events, tmp_path: Path) -> None:
    for name in ("truth.jsonl", "log.jsonl", "metrics.jsonl"):
        write(f"run/{name}", ROW)
    write(f"run/{EVENTS}", events((1, "x", 1.0)))
    run = one(tmp_path / "run")
    assert (("run", "jsonl"), (JsonlSource(f"{tmp_path}/run/log.jsonl"),)) == ((run.name, run.format), run.sources)
    assert (f"read from log.jsonl; not read: metrics.jsonl, truth.jsonl, {EVENTS}",) == run.notes


@pytest.mark.parametrize("name", ["log", "metrics", "history", "my_train_metrics_0"])
def test_one_main_log_among_several_files_is_the_run(write: Write, tmp_path: Path, name: str) -> None:
    for stem in (name, "aaa", "zzz"):
        write(f"{stem}.jsonl", ROW)
    assert (JsonlSource(f"{tmp_path}/{name}.jsonl"),) == one(tmp_path).sources


def test_event_files_win_over_lines_without_steps_or_of_another_name(write: Write, events: Events, tmp_path: Path) -> None:
    write(f"a/{EVENTS}", events((1, "x", 1.0)))
    write("a/truth.jsonl", ROW)
    write(f"b/{EVENTS}", events((1, "x", 1.0)))
    write("b/metrics.jsonl", '{"x": 1}\n')
    for name, other in (("a", "truth.jsonl"), ("b", "metrics.jsonl")):
        run = one(tmp_path / name)
        assert (EventDirectory(f"{tmp_path}/{name}"),) == run.sources
        assert (f"read from {EVENTS}; not read: {other}",) == run.notes


def test_several_files_of_lines_are_a_run_each(write: Write, events: Events, tmp_path: Path) -> None:
    for name in ("k_mb10.jsonl", "k_mb2.jsonl", "k_mb1.jsonl.gz"):
        write(f"sweep/{name}", ROW)
    write(f"sweep/tb/{EVENTS}", events((1, "x", 1.0)))
    assert ["k_mb1", "k_mb2", "k_mb10", "tb"] == names(discover(str(tmp_path / "sweep")))
    assert ["sweep/k_mb1", "sweep/k_mb2", "sweep/k_mb10", "sweep/tb"] == names(discover(str(tmp_path)))


def test_sub_directories_with_logs_are_runs_by_their_relative_path(write: Write, events: Events, tmp_path: Path) -> None:
    write("b/run2/log.jsonl", ROW)
    write("b/run10/log.jsonl", ROW)
    write(f"a/{EVENTS}", events((1, "x", 1.0)))
    for left_out in (".hidden", "checkpoint-500", "__pycache__"):
        write(f"{left_out}/log.jsonl", ROW)
    write("empty/readme.txt", "x")
    assert ["a", "b/run2", "b/run10"] == names(discover(str(tmp_path)))


def test_a_run_with_logs_in_sub_directories_says_that_they_were_not_read(write: Write, events: Events, tmp_path: Path) -> None:
    write("run/log.jsonl", ROW)
    write(f"run/tensorboard/{EVENTS}", events((1, "x", 1.0)))
    assert ("sub-directories with logs of their own were not read: tensorboard",) == one(tmp_path / "run").notes


def test_below_a_lone_file_of_another_name_the_search_goes_on(write: Write, events: Events, tmp_path: Path) -> None:
    write("truth.jsonl", ROW)
    write(f"PPO_1/{EVENTS}", events((1, "x", 1.0)))
    assert [tmp_path.name, "PPO_1"] == names(discover(str(tmp_path)))


def test_json_files_are_logs_in_a_directory_only_if_they_hold_lines(write: Write, tmp_path: Path) -> None:
    write("a/progress.json", ROW * 2)
    write("b/train_results.json", '{"loss": 1}\n')
    write("c/trainer_state.json", '{\n"loss": 1\n}\n')
    write("d/samples.json", ROW * 2)
    assert ["a"] == names(discover(str(tmp_path)))


def test_the_configuration_is_beside_the_log_or_above_it_up_to_the_path(write: Write, tmp_path: Path) -> None:
    above = write("config.yaml", "a: 1\n")
    write("runs/a/log.jsonl", ROW)
    write("runs/b/log.jsonl", ROW)
    beside = write("runs/b/config.json", "{}")
    write("runs/b/config_saved_by_the_trainer.yaml", "a: 1\n")
    first, second = discover(str(tmp_path))
    assert ((above,), (beside,)) == (first.config_files, second.config_files)
    first, second = discover(str(tmp_path / "runs"))
    assert ((), (beside,)) == (first.config_files, second.config_files)
    assert (beside,) == one(tmp_path / "runs" / "b" / "log.jsonl").config_files
    assert () == one(tmp_path / "runs" / "a" / "log.jsonl").config_files


def test_relative_paths_stay_as_they_were_given(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("log.jsonl", ROW)
    write("config.yaml", "a: 1\n")
    monkeypatch.chdir(tmp_path)
    for given, config in ((".", "./"), ("./", "./"), ("log.jsonl", ""), ("./log.jsonl", "./")):
        run = one(given)
        assert (tmp_path.name, given) == (run.name, run.path)
        assert [f"{config}config.yaml"] == list(run.config_files)


def test_a_file_that_cannot_be_read_is_listed_beside_the_runs(write: Write, tmp_path: Path) -> None:
    write("a/log.jsonl", ROW)
    write("b/log.jsonl", "version https://git-lfs.github.com/spec/v1\n")
    write("c/log.jsonl", "")
    found = {run.name: run for run in discover(str(tmp_path))}
    assert {"a": None, "b": "lfs", "c": "empty"} == {name: run.error and run.error.kind for name, run in found.items()}
    assert ((), f"{tmp_path}/b/log.jsonl") == (found["b"].sources, found["b"].path)


def test_a_directory_that_may_not_be_searched_is_listed(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a/log.jsonl", ROW)
    write("b/log.jsonl", ROW)
    scandir = os.scandir

    def refusing(path: Any = ".") -> Any:
        if str(path).endswith("/b"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    good, bad = discover(str(tmp_path))
    assert ("a", None) == (good.name, good.error)
    assert "permission" == bad.error.kind if bad.error else False
    with pytest.raises(UnreadableError, match="permission denied"):
        discover(str(tmp_path / "b"))


def test_loops_of_symbolic_links_end(write: Write, tmp_path: Path) -> None:
    write("a/log.jsonl", ROW)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "up").symlink_to(tmp_path)
    (tmp_path / "b" / "self").symlink_to(tmp_path / "b" / "self")
    (tmp_path / "log.jsonl").symlink_to(tmp_path / "nowhere")
    write("c/events.out.tfevents.1.x")
    runs = discover(str(tmp_path / "b"))
    assert ["up/a", "up/c"] == sorted(names(runs))


def test_ten_thousand_files_are_found_in_seconds(tmp_path: Path) -> None:
    for i in range(10_000):
        (tmp_path / f"run_{i}.jsonl").write_text(ROW)
    start = time.process_time()
    assert 10_000 == len(discover(str(tmp_path)))
    assert time.process_time() - start < 20


def test_every_recording_is_found_and_read(recordings: Path, reading: Any) -> None:
    assert 30 == len(names(discover(str(recordings / "areal_1.0.4_long"))))
    runs = discover(str(recordings / "areal_1.0.4"))
    assert [f"k_{name}" for name in ("cclip", "clamp", "gspo")] == names(runs)[:3]
    assert (15, "tb", "tensorboard") == (len(runs), runs[-1].name, runs[-1].format)
    for run in [*runs, *discover(str(recordings / "rsl_rl_5.5.1"))]:
        found = reading(run.sources[0].read({}))
        assert found.cells
        assert not found.texts("incomplete")


def test_an_unreadable_stream_is_refused_like_a_file() -> None:
    from rl_diag_plugin.sources import read_stream

    with pytest.raises(UnreadableError, match="no line is a JSON object"):
        list(read_stream(io.BytesIO(b"a,b\n1,2\n"), "-"))
