"""A path → the runs that lie there, each with the source to read it from."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from ..model import Source
from .errors import EXPECTED, UnreadableError, from_os
from .jsonl import JsonlSource
from .sniff import identify, is_json, is_jsonl, names_steps, several_objects
from .tensorboard import EventDirectory, EventFileSource, is_event_file, natural

CONFIG_NAMES = ("config.yaml", "config.yml", "config.json", "config.yaml.gz", "config.yml.gz", "config.json.gz")
_MAIN_LOGS = (re.compile(r"log"), re.compile(r"metrics"), re.compile(r".*train_metrics.*"), re.compile(r"history"))
_LIKE_A_LOG = re.compile(r"log|metric|history|progress|train")
_NO_RUNS = re.compile(r"\..*|checkpoint.*|__pycache__")


@dataclass(frozen=True, slots=True)
class RunFiles:
    """One run: its sources, read one after the other, and the configuration files beside them.

    ``error`` says why a file or directory met on the way is none; it then has no sources.
    """

    name: str
    path: str
    sources: tuple[Source, ...] = ()
    config_files: tuple[str, ...] = ()
    format: str = ""
    notes: tuple[str, ...] = ()
    error: UnreadableError | None = None


class _Entries(NamedTuple):
    """A directory's logs by name, and its sub-directories."""

    events: list[str]
    lines: list[str]
    directories: list[str]


def discover(path: str) -> list[RunFiles]:
    """The runs at ``path``: a file is one run; a directory is one if it holds logs itself, else its sub-directories are searched.

    Raises UnreadableError where ``path`` itself is missing, unreadable, in no format that is read, or a directory without a log.
    What is met inside a directory and cannot be read is listed with its ``error``.
    """
    try:
        os.stat(path)
    except OSError as error:
        raise from_os(path, error) from error
    if not os.path.isdir(path):
        directory = os.path.dirname(path)
        return [_file_run(path, _name_of_file(path), _configs(directory, directory))]
    found = list(_walk(path))
    if not found:
        raise UnreadableError(path, "empty-directory", "holds no log", EXPECTED)
    return found


def _walk(root: str) -> Iterator[RunFiles]:
    waiting = [root]
    seen: set[tuple[int, int]] = set()
    while waiting:
        directory = waiting.pop()
        try:
            status = os.stat(directory)
            if (status.st_dev, status.st_ino) in seen:
                continue  # a symbolic link to a directory that was searched already
            seen.add((status.st_dev, status.st_ino))
            entries = _entries(directory)
        except OSError as error:
            failed = from_os(directory, error)
            if directory == root:
                raise failed from error
            yield RunFiles(_name(directory, root), directory, error=failed)
            continue
        found = _runs_of(directory, entries, root)
        yield from found
        if len(found) != 1 or found[0].error is not None or _is_weak(found[0]):
            waiting += [os.path.join(directory, name) for name in reversed(entries.directories)]


def _entries(directory: str) -> _Entries:
    events: list[str] = []
    lines: list[str] = []
    directories: list[str] = []
    objects: list[str] = []
    with os.scandir(directory) as found:
        for entry in found:
            if _is_directory(entry):
                if not _NO_RUNS.fullmatch(entry.name):
                    directories.append(entry.name)
            elif is_event_file(entry.name):
                events.append(entry.name)
            elif is_jsonl(entry.name):
                lines.append(entry.name)
            elif is_json(entry.name) and entry.name not in CONFIG_NAMES and _LIKE_A_LOG.search(entry.name):
                objects.append(entry.name)
    if not events and not lines:
        lines = [name for name in objects if several_objects(os.path.join(directory, name))]
    return _Entries(sorted(events, key=natural), sorted(lines, key=natural), sorted(directories, key=natural))


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a symbolic link to itself
        return False


def _runs_of(directory: str, entries: _Entries, root: str) -> list[RunFiles]:
    """The runs that lie directly in a directory: the main log, else its event files, else each file of JSON lines."""
    name = _name(directory, root)
    main = next((file for main in _MAIN_LOGS for file in entries.lines if main.fullmatch(_stem(file))), None)
    if main is None and len(entries.lines) == 1:
        main = None if entries.events else entries.lines[0]
    if main is not None and (not entries.events or names_steps(os.path.join(directory, main))):
        found = _listed(os.path.join(directory, main), name, _configs(directory, root), _notes(main, directory, entries))
        return [found if found.error else replace(found, path=directory)]
    if entries.events:
        taken = entries.events[0] if len(entries.events) == 1 else f"{len(entries.events)} event files"
        notes = _notes(taken, directory, entries)
        return [RunFiles(name, directory, (EventDirectory(directory),), _configs(directory, root), "tensorboard", notes)]
    prefix = "" if directory == root else f"{name}/"
    configs = _configs(directory, root)
    return [_listed(os.path.join(directory, file), f"{prefix}{_stem(file)}", configs) for file in entries.lines]


def _is_weak(run: RunFiles) -> bool:
    """A lone file of JSON lines that is not called like a log: it may be about the runs in the directories below."""
    return run.format == "jsonl" and not any(main.fullmatch(_stem(run.sources[0].path)) for main in _MAIN_LOGS)


def _listed(path: str, name: str, configs: tuple[str, ...], notes: tuple[str, ...] = ()) -> RunFiles:
    try:
        return _file_run(path, name, configs, notes)
    except UnreadableError as error:
        return RunFiles(name, path, error=error)


def _file_run(path: str, name: str, configs: tuple[str, ...], notes: tuple[str, ...] = ()) -> RunFiles:
    form = identify(path)
    source: Source = JsonlSource(path) if form == "jsonl" else EventFileSource(path)
    return RunFiles(name, path, (source,), configs, form, notes)


def _notes(taken: str, directory: str, entries: _Entries) -> tuple[str, ...]:
    """Which log was taken where there are others, and which sub-directories were not searched."""
    notes = []
    left = [
        name
        for name in (*entries.lines, *entries.events)
        if name != taken and not (taken.endswith(" event files") and name in entries.events)
    ]
    if left:
        notes.append(f"read from {taken}; not read: {_listing(left)}")
    below = [name for name in entries.directories if _has_logs(os.path.join(directory, name))]
    if below and (entries.events or any(main.fullmatch(_stem(taken)) for main in _MAIN_LOGS)):
        notes.append(f"sub-directories with logs of their own were not read: {_listing(below)}")
    return tuple(notes)


def _has_logs(directory: str) -> bool:
    try:
        with os.scandir(directory) as found:
            return any(is_event_file(entry.name) or is_jsonl(entry.name) for entry in found if os.path.isfile(entry.path))
    except OSError:
        return False


def _listing(names: list[str]) -> str:
    more = f", {len(names) - 3:,} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more


def _configs(directory: str, root: str) -> tuple[str, ...]:
    """The configuration beside a log; else the nearest in a directory above it, up to ``root``."""
    while True:
        found = tuple(path for path in (os.path.join(directory, name) for name in CONFIG_NAMES) if os.path.isfile(path))
        if found or len(directory) <= len(root):
            return found
        directory = os.path.dirname(directory)


def _name(directory: str, root: str) -> str:
    return os.path.basename(os.path.abspath(root)) if directory == root else os.path.relpath(directory, root)


def _stem(file: str) -> str:
    return os.path.splitext(os.path.basename(file).removesuffix(".gz"))[0]


def _name_of_file(path: str) -> str:
    """The file's stem, or its directory's name where the stem names no run."""
    stem = _stem(path)
    if is_event_file(path) or any(main.fullmatch(stem) for main in _MAIN_LOGS):
        return os.path.basename(os.path.dirname(os.path.abspath(path)))
    return stem
