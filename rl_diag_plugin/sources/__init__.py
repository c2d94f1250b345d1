"""Logs → chunks of cells, configurations and events. A source is ``read(cursor)``; ``discover`` finds the sources of a path."""

from .config import read_config, read_json_config, read_yaml_config
from .discover import RunFiles, discover
from .errors import UnreadableError
from .jsonl import JsonlSource, read_stream
from .tensorboard import EventDirectory, EventFileSource

__all__ = [
    "EventDirectory",
    "EventFileSource",
    "JsonlSource",
    "RunFiles",
    "UnreadableError",
    "discover",
    "read_config",
    "read_json_config",
    "read_stream",
    "read_yaml_config",
]
