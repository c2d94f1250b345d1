"""A configuration in JSON."""

from __future__ import annotations

from typing import Any

from ...model import Config
from ..errors import UnreadableError
from ..lines import BOM, parse_object
from .plain_values import MAX_DEPTH, MAX_VALUES, no_mapping, text_of, too_deep, too_many


def read_json_config(path: str) -> Config:
    """The file's object. Raises UnreadableError for one that is none, and past 4 MiB, 50,000 values or 100 levels."""
    text = text_of(path).removeprefix(BOM)
    values = parse_object(text)
    if values is None:
        if text.lstrip()[:1] not in b"{":
            raise no_mapping(path)
        raise UnreadableError(path, "broken", "is no complete JSON")
    _bound(path, values)
    return Config(values, path)


def _bound(path: str, values: dict[str, Any]) -> None:
    level: list[Any] = [values]
    count = 0
    for _ in range(MAX_DEPTH):
        level = [
            child for value in level if isinstance(value, (dict, list)) for child in (value.values() if isinstance(value, dict) else value)
        ]
        count += len(level)
        if count > MAX_VALUES:
            raise too_many(path)
        if not level:
            return
    raise too_deep(path)
