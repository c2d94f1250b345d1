"""Configuration files: read as plain values, nothing in them is executed."""

from __future__ import annotations

from ...model import Config
from .json_config import read_json_config
from .yaml_config import read_yaml_config

__all__ = ["read_config", "read_json_config", "read_yaml_config"]


def read_config(path: str) -> Config:
    """By the file's name: ``.json`` or ``.json.gz`` as JSON, everything else as YAML. Raises UnreadableError."""
    return read_json_config(path) if path.removesuffix(".gz").endswith(".json") else read_yaml_config(path)
