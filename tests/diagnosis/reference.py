"""Slow, plain forms of the streaming parts: what they must be equal to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rl_diag_plugin.model import Chunk


def cells(chunk: Chunk) -> list[tuple[int, str, float]]:
    """(step, key, value) in log order, keys of one row in the chunk's order."""
    out = []
    for i, step in enumerate(chunk.steps.tolist()):
        for key, column in chunk.columns.items():
            at = column.at(len(chunk.steps)).tolist()
            if i in at:
                out.append((step, key, float(column.values[at.index(i)])))
    return out


def latch(cond: Sequence[int], safe: Sequence[bool], levels: int, hold: int, clear: int) -> list[dict[str, Any]]:
    """Episodes observation by observation; positions in place of steps, the level as the statistic."""
    over, under, calm, level = [0] * levels, [0] * levels, 0, 0
    out: list[dict[str, Any]] = []
    for i, c in enumerate(cond):
        over = [run + 1 if c > j else 0 for j, run in enumerate(over)]
        under = [run + 1 if c <= j else 0 for j, run in enumerate(under)]
        calm = calm + 1 if safe[i] and c == 0 else 0
        reached = sum(run >= hold for run in over)
        if level == 0:
            if over[0] >= hold:
                level = reached
                out.append({"start": i - hold + 1, "fired": i, "end": i, "resolved": None, "level": level, "opening": True})
            continue
        piece = out[-1]
        if calm >= clear:
            piece["resolved"], level = i, 0
            continue
        if reached > level:
            piece["resolved"], level = i, reached
        elif level > 1 and under[level - 1] >= clear:
            piece["resolved"], level = i, level - 1
        else:
            if c:
                piece["end"] = i
            continue
        out.append({"start": i, "fired": i, "end": i, "resolved": None, "level": level, "opening": False})
    return out
