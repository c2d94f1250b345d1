"""A configuration in YAML, with any tags: ``!!python/tuple`` gives a list, an unknown tag its plain list, mapping or text.

Nodes are composed and turned into plain values here; no constructor of PyYAML's that makes an object is ever called.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

from ...model import Config
from ..errors import UnreadableError
from .plain_values import MAX_DEPTH, MAX_VALUES, no_mapping, text_of, too_deep, too_many

_BASE: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG = "tag:yaml.org,2002:"

# YAML 1.1 reads 1e-5 as text, since its floats need a dot. Who writes it means a number (OmegaConf reads it so, too).
_EXPONENT = re.compile(r"^[-+]?(?:[0-9][0-9_]*)(?:\.[0-9_]*)?[eE][-+]?[0-9]+$|^[-+]?\.[0-9_]+[eE][-+]?[0-9]+$")


class _Loader(_BASE):  # type: ignore[misc]
    """PyYAML keeps its resolvers on the class; ours must not change the user's."""


_Loader.add_implicit_resolver(f"{_TAG}float", _EXPONENT, list("-+.0123456789"))


def read_yaml_config(path: str) -> Config:
    """The file's first document. Raises UnreadableError for what is no YAML, with its line; for one that is no mapping; past
    4 MiB, 50,000 values after aliases are written out, or 100 levels."""
    text = text_of(path)
    try:
        _bound(path, text)
        loader = _Loader(text)
        try:
            root = loader.get_node() if loader.check_node() else None
            values = None if root is None else _Plain(path, loader).value(root, MAX_DEPTH)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1:,}: " if mark else ""
        raise UnreadableError(path, "broken", f"is no YAML: {where}{error.problem or error.context}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise UnreadableError(path, "broken", f"is no YAML: {str(error).splitlines()[0] if str(error) else 'it cannot be read'}") from error
    if not isinstance(values, dict):
        raise no_mapping(path)
    return Config(values, path)


def _bound(path: str, text: bytes) -> None:
    """Composing recurses in C: the depth is bounded before, and the number of nodes (a key is one, too)."""
    depth = count = 0
    for event in yaml.parse(text, Loader=_Loader):
        count += isinstance(event, yaml.NodeEvent)
        if count > 2 * MAX_VALUES:
            raise too_many(path)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                raise too_deep(path)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.DocumentEndEvent):
            return


class _Plain:
    """Turns nodes into plain values and counts them: an alias counts each time that it is used."""

    def __init__(self, path: str, loader: Any) -> None:
        self._path = path
        self._loader = loader
        self._left = MAX_VALUES

    def value(self, node: yaml.Node, depth: int) -> Any:
        self._left -= 1
        if self._left < 0:
            raise too_many(self._path)
        if depth < 0:
            raise too_deep(self._path)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(child, depth - 1) for child in node.value]
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, depth - 1)
        return self._scalar(node)

    def _mapping(self, node: yaml.MappingNode, depth: int) -> dict[str, Any]:
        merged: dict[str, Any] = {}
        own: dict[str, Any] = {}
        for key, child in node.value:
            value = self.value(child, depth)
            if key.tag == f"{_TAG}merge":
                for part in reversed(value if isinstance(value, list) else [value]):
                    merged.update(part if isinstance(part, dict) else {})
            else:
                own[str(key.value) if isinstance(key, yaml.ScalarNode) else str(self.value(key, depth))] = value
        return merged | own

    def _scalar(self, node: yaml.Node) -> Any:
        kind = node.tag.removeprefix(_TAG)
        try:
            if kind == "null":
                return None
            if kind == "bool":
                return self._loader.construct_yaml_bool(node)
            if kind == "int":
                return self._loader.construct_yaml_int(node)
            if kind == "float":
                return self._loader.construct_yaml_float(node)
        except (ValueError, KeyError, IndexError, OverflowError):
            pass  # an explicit tag that its text does not fit
        return str(node.value)
