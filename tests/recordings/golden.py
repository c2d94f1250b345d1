"""Golden reports: the whole contract of twelve recordings, numbers to five digits."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from ..rules.recordings import diagnose

FOLDER = Path(__file__).resolve().parents[1] / "golden"
CASES = (
    "dynamic_filter", "entropy_collapse", "healthy_s0", "kl_without_reference", "length_growth", "lr_0", "lr_high", "mismatch_sync",
    "nan_gradient_40", "no_correction", "overfit", "recompute_coupled", "small_batch", "truncated_partly", "verifier_breaks_40",
    "weights_stuck_40",
)  # fmt: skip


def path(case: str) -> Path:
    return FOLDER / f"areal_{case}.json"


def text(case: str) -> str:
    """The report as JSON, one line a finding's field, arrays of numbers on one line."""
    report = {**diagnose(case).to_json(), "path": ""}
    return _compact(json.dumps(_rounded(report), ensure_ascii=False, indent=1)) + "\n"


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _rounded(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_rounded(v) for v in value]
    if isinstance(value, float) and math.isfinite(value):
        return float(f"{value:.5g}")
    return value


def _compact(text: str) -> str:
    """Arrays that hold only numbers and nulls, on one line."""
    import re

    return re.sub(r"\[\s+((?:(?:-?[\d.eE+-]+|null),?\s+)+)\]", lambda m: "[" + " ".join(m.group(1).split()) + "]", text)


def update() -> list[str]:
    """Write what has changed; the names of the files written."""
    FOLDER.mkdir(exist_ok=True)
    changed = []
    for case in CASES:
        new, file = text(case), path(case)
        if not file.exists() or file.read_text(encoding="utf-8") != new:
            file.write_text(new, encoding="utf-8")
            changed.append(file.name)
    return changed
