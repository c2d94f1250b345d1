from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

from rl_diag_plugin.sources.errors import UnreadableError, empty, from_os, lfs_pointer, missing, unknown_format


def test_a_missing_path_names_its_nearest_sibling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "runs" / "verifier_breaks_40").mkdir(parents=True)
    (tmp_path / "runs" / "healthy_s0").mkdir()
    monkeypatch.chdir(tmp_path)
    for given, near in [
        ("./runs/verifer_breaks", "./runs/verifier_breaks_40"),
        ("./runs/verifer_breaks/", "./runs/verifier_breaks_40"),
        ("run", "runs"),
        ("./rnus/a/b", "./runs"),
    ]:
        assert f"{given} does not exist\nnearest: {near}" == str(missing(given))
    assert "zzz does not exist" == str(missing("zzz"))


def test_the_texts_are_those_of_the_table() -> None:
    assert "./x.bin is in no format that is read (begins 7f 45 4c 46)" == str(unknown_format("./x.bin", b"\x7fELF\x01"))
    assert "./progress.csv is empty: SB3 writes its first row when an episode ends" == str(empty("./progress.csv"))
    assert "./trainer_state.json is a Git LFS pointer\ngit lfs pull --include trainer_state.json" == str(
        lfs_pointer("./trainer_state.json")
    )


def test_a_refused_permission_names_the_mode(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.touch(mode=0o600)
    path.chmod(0o600)
    assert f"{path}: permission denied (mode 0600)" == str(from_os(str(path), PermissionError(13, "Permission denied")))
    assert "/no/a: permission denied" == str(from_os("/no/a", PermissionError(13, "Permission denied")))
    assert "b: input/output error" == str(from_os("b", OSError(5, "Input/output error")))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    from rl_diag_plugin.sources import discover

    path = tmp_path / "a.jsonl"
    path.write_text('{"step": 1}\n')
    path.chmod(0)
    with pytest.raises(UnreadableError, match=r"permission denied \(mode 0000\)"):
        discover(str(path))


def test_an_error_survives_pickling_and_names_its_group() -> None:
    error = pickle.loads(pickle.dumps(UnreadableError("a", "lfs", "is a Git LFS pointer", "git lfs pull")))
    assert ("a is a Git LFS pointer\ngit lfs pull", "lfs") == (str(error), error.kind)
    assert "Git LFS pointer: git lfs pull" == error.group
