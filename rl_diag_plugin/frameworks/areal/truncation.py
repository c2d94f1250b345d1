"""Responses cut off at the generation limit: exact up to v0.3.0, and since then only bounds, from lengths and settings.

Since v0.3.0-lite ``no_eos_ratios/avg`` is the share of sequences as wide as their rank's padded batch (actor.py:301), whether
they ended or not. What the lengths prove instead, for one turn a sequence, with p prompt and c completion tokens, 1 ≤ c ≤ M =
``gconfig.max_new_tokens`` and p + c ≤ T = ``gconfig.max_tokens`` (remote_inf_engine.py:750); "cut off" is c = min(M, T - p):

* a cut-off sequence has at least min(min p + M, T) tokens: where the longest has fewer, none was cut off;
* otherwise at most the share at which the means of completions, of prompts and of sequences (right and wrong ones apart)
  can still be had: with all values in [a, b] and the cut-off ones at least u, a mean μ leaves them (μ - a) / (u - a);
* every other completion has at most M - 1 tokens: at least mean c - (M - 1);
* where the longest sequence has min(max p + M, T) tokens, every sequence of that width was cut off.

A response whose end token is exactly its M-th counts as cut off in the lower bound.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...knobs import Knobs
from ...knobs.offpolicy import DATA_RANKS
from ...knobs.sampling import MAX_NEW_TOKENS, MAX_TOTAL_LENGTH
from ...metrics.actor import NO_EOS_RATIO
from ...model import Floats
from ..base import Reading
from .versions import LITE

_TURNS = "rollout/num_turns"
_LENGTHS = tuple(f"actor/{base}_len/{part}" for base in ("seq", "prompt") for part in ("max", "min", "avg"))
_CLASSES = tuple(
    f"actor/{kind}_{base}" for kind in ("correct", "incorrect") for base in ("n_seqs", "seq_len/avg", "seq_len/min", "seq_len/max")
)
_N, _PADDED = "actor/n_seqs", "actor/no_eos_ratios/avg"
_FLOAT32 = 2.0**-22  # averages are logged in single precision


@dataclass(frozen=True, slots=True)
class _Lengths:
    """One batch a row. ``limit``: M; ``total``: T, infinite where not known; ``slack``: rounding of the mean completion."""

    longest: Floats
    shortest: Floats
    mean: Floats
    prompt_longest: Floats
    prompt_shortest: Floats
    prompt_mean: Floats
    limit: float
    total: float

    @property
    def slack(self) -> Floats:
        return _FLOAT32 * (self.mean + self.prompt_mean)

    @property
    def completion(self) -> Floats:
        return self.mean - self.prompt_mean

    @property
    def shortest_cut(self) -> Floats:
        """The fewest tokens that a cut-off sequence can have."""
        return np.minimum(self.prompt_shortest + self.limit, self.total)


def _lengths(columns: Mapping[str, Floats], knobs: Knobs) -> _Lengths:
    total = knobs.number(MAX_TOTAL_LENGTH)
    return _Lengths(
        longest=columns["actor/seq_len/max"],
        shortest=columns["actor/seq_len/min"],
        mean=columns["actor/seq_len/avg"],
        prompt_longest=columns["actor/prompt_len/max"],
        prompt_shortest=columns["actor/prompt_len/min"],
        prompt_mean=columns["actor/prompt_len/avg"],
        limit=knobs.number(MAX_NEW_TOKENS) or np.nan,
        total=np.inf if total is None else total,
    )


def _several_turns(batch: _Lengths, columns: Mapping[str, Floats]) -> Floats:
    """Completions beyond the limit of one generation: nothing here holds for them."""
    turns = _optional(columns, _TURNS, batch.mean)
    over = (batch.completion - batch.slack > batch.limit) | (batch.longest > batch.prompt_longest + batch.limit)
    return np.asarray(over | np.isfinite(turns), float)


def _at_most(mean: Floats, low: Floats, cut: Floats) -> Floats:
    """The largest share at ``cut`` or above that leaves the mean of values from ``low`` on; 1 where ``cut`` excludes nothing."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(cut > low, np.clip((mean - low) / (cut - low), 0.0, 1.0), 1.0)


def _upper(columns: Mapping[str, Floats], knobs: Knobs) -> Floats:
    b = _lengths(columns, knobs)
    fewest = np.minimum(b.limit, b.total - b.prompt_longest)
    by_completion = _at_most(b.completion + b.slack, np.maximum(b.shortest - b.prompt_longest, 1.0), fewest)
    # Cut off means p ≤ longest - M: prompts above that are not; from the other side, with signs turned.
    fits = np.where(b.longest < b.total, b.longest - b.limit, np.inf)
    by_prompt = _at_most(-b.prompt_mean + b.slack, -b.prompt_longest, -fits)
    by_length = _at_most(b.mean + b.slack, b.shortest, b.shortest_cut)
    bound = np.minimum.reduce([by_completion, by_prompt, by_length, _by_class(columns, b)])
    bound = np.where(b.longest < b.shortest_cut, 0.0, bound)
    return np.where(_several_turns(b, columns) > 0, np.nan, bound)


def _by_class(columns: Mapping[str, Floats], b: _Lengths) -> Floats:
    """Right and wrong sequences apart: truncated ones are mostly wrong. 1 where the counts are not logged."""
    n = _optional(columns, _N, b.mean)
    bound = np.zeros_like(b.mean)
    for kind in ("correct", "incorrect"):
        count = _optional(columns, f"actor/{kind}_n_seqs", b.mean)
        mean, low, high = (_optional(columns, f"actor/{kind}_seq_len/{part}", b.mean) for part in ("avg", "min", "max"))
        share = np.where(high < b.shortest_cut, 0.0, _at_most(mean + b.slack, low, b.shortest_cut))
        share = np.where(np.isfinite(mean + low + high), share, 1.0)
        bound = bound + np.where(count > 0, count * share, 0.0 * count)
    with np.errstate(divide="ignore", invalid="ignore"):
        bound = bound / n
    return np.where(np.isfinite(bound), np.minimum(bound, 1.0), 1.0)


def _lower(columns: Mapping[str, Floats], knobs: Knobs) -> Floats:
    b = _lengths(columns, knobs)
    by_completion = b.completion - b.slack - (b.limit - 1.0)
    # With several ranks each pads to its own longest, which may have ended; one sequence of the widest is all that is sure.
    one = np.nan_to_num(1.0 / _optional(columns, _N, b.mean), nan=0.0)
    at_width = columns[_PADDED] if knobs.number(DATA_RANKS) == 1 else one
    by_width = np.where(b.longest == np.minimum(b.prompt_longest + b.limit, b.total), at_width, 0.0)
    bound = np.clip(np.maximum(by_completion, by_width), 0.0, 1.0)
    return np.where(_several_turns(b, columns) > 0, np.nan, bound)


def _optional(columns: Mapping[str, Floats], key: str, like: Floats) -> Floats:
    found = columns.get(key)
    return np.full_like(like, np.nan) if found is None else found


def _limit_is_known(knobs: Knobs) -> bool:
    return (knobs.number(MAX_NEW_TOKENS) or 0.0) > 0


_NOT_EOS = "no_eos_ratios is the share of sequences at the padded width, not of those cut off;"

TRUNCATION = (
    # v0.3.0 looked at the last generated token (realhf ppo_interface.py:363, 751).
    Reading(NO_EOS_RATIO.name, ("actor/no_eos_ratios/avg",), until=LITE),
    Reading(
        NO_EOS_RATIO.upper.name, _LENGTHS, "upper-bound", f"{_NOT_EOS} the most that the lengths allow is read.",
        _upper, (_N, _TURNS, *_CLASSES), since=LITE, when=_limit_is_known,
    ),
    Reading(
        NO_EOS_RATIO.lower.name, (_LENGTHS[0], _PADDED, *_LENGTHS[1:]), "lower-bound",
        f"{_NOT_EOS} the least that the lengths prove is read. An end token exactly at the limit counts as cut off.",
        _lower, (_N, _TURNS), since=LITE, when=_limit_is_known,
    ),
)  # fmt: skip
