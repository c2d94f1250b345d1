"""The report document: what ``--format json`` prints and the page reads, and the schema that both may rely on."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from importlib import resources
from typing import Any

import orjson

from ..model import Report, plain
from .failed import Failed

SCHEMA = 1
_PACKAGE = __package__.rpartition(".")[0]


def document(
    reports: Sequence[Report],
    failed: Sequence[Failed] = (),
    *,
    rules: Mapping[str, Mapping[str, str]],
    rules_total: int,
    tool: str,
    generated: datetime | str,
) -> dict[str, Any]:
    """Strict JSON values. ``rules``: id → {"explain", "docs"}, once for all findings; ``generated``: with its offset from UTC."""
    return {
        "schema": SCHEMA,
        "tool": tool,
        "generated": generated if isinstance(generated, str) else generated.isoformat(timespec="seconds"),
        "rules_total": rules_total,
        "metrics": {name: dict(words) for report in reports for name, words in report.metrics.items()},
        "rules": {name: dict(words) for name, words in rules.items()},
        "runs": [report.to_json() for report in reports],
        "failed": [plain(one) for one in failed],
    }


def serialised(made: Mapping[str, Any], *, indent: bool = False) -> bytes:
    """UTF-8, keys in the document's order. What a configuration may hold and JSON has no word for is written as text."""
    try:
        return orjson.dumps(made, default=str, option=orjson.OPT_INDENT_2 if indent else None)
    except TypeError:  # an integer over 64 bits, or a file name that is no Unicode: both are JSON, and orjson writes neither
        text = json.dumps(made, default=str, allow_nan=False, indent=2 if indent else None, separators=None if indent else (",", ":"))
        return text.encode("ascii")


@functools.cache
def schema() -> dict[str, Any]:
    """JSON Schema 2020-12 of the document."""
    found: dict[str, Any] = orjson.loads((resources.files(_PACKAGE) / "schema" / "report.schema.json").read_bytes())
    return found


__all__ = ["SCHEMA", "document", "schema", "serialised"]
