"""Drawdown: the signal lost a share of what it had gained, by more than its own noise explains."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from ..model import Floats, Limit
from .base import Flags
from .running import NAN, QUIET, Bulk, One, Stream, quiet
from .statistics import fitted_line, median, narrowed, rolling_mean

HEAD = 20  # observations whose median is where the run started
REFERENCE = 200  # observations up to the best one that the noise is measured on
FIRST = 30  # the first observation that is judged
LEAST_SE = 0.005  # of the gain


@dataclass(frozen=True, slots=True)
class Drawdown:
    """s = mean of the last ``window``; best = its maximum so far; start = median of observations 1-20. Higher is better.

    Condition j: best - s > se_j SE and best - s > share_j (best - start) and best - start > ``learned`` SE, from observation 30.
    SE = d √(1+φ)/(1-φ)/√w, at least 0.005 (best - start), where d = max(1.4826 med|Δx|, 0.5 q90|Δx|/1.645, 0.15 max|Δx|)/√2 is
    the noise's sd times √(1-φ). Both from the last ≤ 200 observations up to best, never later: no collapse is in its own reference.
    φ is of the residual of a line; of a young run, whose curve a line misses, the smaller of that and one from second differences.

    False alarms at 8 SE and a share of 0.3, AR(1) φ 0/0.3/0.5, runs that rise by 5 sd: 0/0/0 in 1,000 rows, 0/0/0.01 in 10,000.
    """

    window: int = 10
    learned: float = 6.0
    hold: int = 10
    clear: int = 10

    @property
    def warmup(self) -> int:
        return FIRST

    def start(self, limits: Sequence[Limit]) -> DrawdownStream:
        """Limits: the share of the gain that may be lost (``value``) and the standard errors that this must be (``se``)."""
        gates = tuple((limit.se, limit.value) for limit in limits if limit.se is not None)
        if not gates or len(gates) < len(limits):
            raise ValueError("Drawdown takes limits of a share and standard errors, got one without se; use loses(share, …, se=…)")
        if any(a[0] > b[0] or a[1] > b[1] for a, b in pairwise(gates)) or gates[0][1] < 0:
            raise ValueError(f"Drawdown limits (se, share) must rise from mild to severe, got {gates}")
        return DrawdownStream(gates, self.window, self.learned)

    def statistic(self, values: Floats, width: int = 1) -> Floats:
        w = narrowed(self.window, width)
        return rolling_mean(values, w, w)

    def label(self) -> str:
        return f"mean of {self.window} rows"


class DrawdownStream(Stream):
    """The reference is copied when best is reached; its noise is measured only where a drop is large enough to matter.

    Necessary before sufficient: the share needs no noise at all, and d/√w, the SE of φ = 0, bounds the SE from below.
    """

    KEPT = ("tail", "reference", "head", "best", "best_at", "seen")

    def __init__(self, gates: Sequence[tuple[float, float]], window: int, learned: float) -> None:
        super().__init__(1.0, [share for _, share in gates], max(FIRST - 1, window))
        self.gates, self.window, self.learned, self.root = tuple(gates), window, learned, math.sqrt(window)
        self.tail: list[float] = []
        self.reference: list[float] = []
        self.head: list[float] = []  # the first observations, then their median alone
        self.best: float | None = None
        self.best_at = 0  # number of the observation
        self._sigma: float | None = None
        self._se: float | None = None

    def derive(self) -> None:
        self._sigma = self._se = None

    def one(self, x: float) -> One:
        self._append(x)
        if self.seen < self.window:
            return QUIET
        s = _sum(self.tail[-self.window :]) / self.window
        if self.best is None or s > self.best:
            self.best, self.best_at = s, self.seen
            if self.seen >= HEAD:
                self._refer(self.tail[-REFERENCE:])
        if self.seen < FIRST:
            return QUIET
        return self._judged(self.best - s, self.best - self.head[0])

    def _append(self, x: float) -> None:
        self.tail.append(x)
        self.seen += 1
        if len(self.tail) > max(REFERENCE, self.window):
            del self.tail[0]
        if self.seen <= HEAD:
            self.head.append(x)
        if self.seen == HEAD:
            self.head = [median(sorted(self.head))]
            self._refer(self.tail[-REFERENCE:])

    def _refer(self, reference: list[float]) -> None:
        self.reference = reference
        self.derive()

    def _judged(self, drop: float, gain: float) -> One:
        if drop <= 0:
            return One(0, True, NAN)
        least, gates = self._least_se(), self.gates
        safe = drop <= 4 * max(least, LEAST_SE * gain)
        if not (gain > 0 and drop > gates[0][1] * gain and drop > gates[0][0] * least and gain > self.learned * least):
            return One(0, safe, NAN)
        se = max(self._full_se(), LEAST_SE * gain)
        cond = sum(drop > k * se and drop > share * gain for k, share in gates) if gain > self.learned * se else 0
        return One(cond, safe and not cond, drop / gain if cond else NAN)

    def _least_se(self) -> float:
        if self._sigma is None:
            self._sigma = _sigma(np.array(self.reference)[None])[0]
        return self._sigma / self.root

    def _full_se(self) -> float:
        if self._se is None:
            self._se = _widened(self._least_se(), np.array(self.reference))
        return self._se

    def bulk(self, x: Floats) -> Bulk:
        w, n, kept = self.window, x.size, len(self.tail)
        past = np.concatenate((self.tail, x))
        s = _sum([past[kept - w + 1 + j : kept - w + 1 + j + n] for j in range(w)]) / w
        before = self.best if self.best is not None else -math.inf
        best = np.maximum(np.maximum.accumulate(s), before)
        new = np.concatenate(([best[0] > before], best[1:] > best[:-1]))
        reached = np.maximum.accumulate(np.where(new, np.arange(n), -1))
        chunk = _Chunk(self, past, kept, self.reference, reached, best - s, best - self.head[0])
        cond, stat = chunk.judged()
        self._move_on(past, kept, float(best[-1]), int(reached[-1]))
        return Bulk(cond, lambda: (cond == 0) & chunk.safe(), stat)

    def _move_on(self, past: Floats, kept: int, best: float, reached: int) -> None:
        n = past.size - kept
        self.tail = past[-max(REFERENCE, self.window) :].tolist()
        if reached >= 0:
            self.best, self.best_at = best, self.seen + reached + 1
            end = kept + reached + 1
            self._refer(past[max(0, end - REFERENCE) : end].tolist())
        self.seen += n

    def facts(self) -> dict[str, Any]:
        """``best``, ``start``, ``se`` in the signal's unit; ``best_at``: number of the observation."""
        if self.best is None or self.seen < FIRST:
            return {}
        return {"best": self.best, "best_at": self.best_at, "start": self.head[0], "se": self._full_se()}


class _Chunk:
    """Judgements of one chunk, a reference at a time. ``reached``: position of each observation's best, -1 before the chunk."""

    def __init__(
        self, stream: DrawdownStream, past: Floats, kept: int, carried: list[float], reached: NDArray[np.intp], drop: Floats, gain: Floats
    ) -> None:
        self.past, self.kept, self.carried, self.reached, self.drop, self.gain = past, kept, carried, reached, drop, gain
        self.gates, self.learned, self.root = stream.gates, stream.learned, stream.root

    def judged(self) -> tuple[NDArray[np.int8], Floats]:
        cond, _, stat = quiet(self.drop.size)
        k, share = self.gates[0]
        i = np.flatnonzero((self.drop > share * self.gain) & (self.gain > 0) & (self.drop > 0))
        if not i.size:
            return cond, stat
        least = self._least_ses(i)
        keep = (self.drop[i] > k * least) & (self.gain[i] > self.learned * least)
        i, least = i[keep], least[keep]
        ends = [*np.flatnonzero(np.diff(self.reached[i], prepend=-2)).tolist(), i.size]
        for a, b in pairwise(ends):
            at, gain = i[a:b], float(self.gain[i[a]])
            se = max(_widened(float(least[a]), self._reference(int(self.reached[at[0]]))), LEAST_SE * gain)
            if gain > self.learned * se:
                drop = self.drop[at]
                for k, share in self.gates:
                    cond[at] += (drop > k * se) & (drop > share * gain)
                over = at[cond[at] > 0]
                stat[over] = self.drop[over] / gain
        return cond, stat

    def safe(self) -> Flags:
        safe = self.drop <= 0
        i = np.flatnonzero(~safe)
        if i.size:
            safe[i] = self.drop[i] <= 4 * np.maximum(self._least_ses(i), LEAST_SE * self.gain[i])
        return safe

    def _reference(self, reached: int) -> Floats:
        if reached < 0:
            return np.array(self.carried)
        end = self.kept + reached + 1
        return self.past[max(0, end - REFERENCE) : end].copy()

    def _least_ses(self, i: NDArray[np.intp]) -> Floats:
        """d/√w for the references of observations i; order statistics, hence the same bits in a batch."""
        which, inverse = np.unique(self.reached[i], return_inverse=True)
        found = np.empty(which.size)
        ends = self.kept + which + 1
        full = (which >= 0) & (ends >= REFERENCE)
        if full.any():
            found[full] = _sigma(sliding_window_view(self.past, REFERENCE)[ends[full] - REFERENCE])
        for j in np.flatnonzero(~full).tolist():
            found[j] = _sigma(self._reference(int(which[j]))[None])[0]
        least: Floats = (found / self.root)[inverse]
        return least


def _sum(parts: Sequence[Any]) -> Any:
    """Left to right, for numbers and for arrays alike: one fixed order of additions."""
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _sigma(references: Floats) -> list[float]:
    """d of each row, from the order statistics of its differences."""
    d = np.sort(np.abs(np.diff(references, axis=1)), axis=1)
    n = d.shape[1]
    mid = d[:, n // 2] if n & 1 else (d[:, n // 2 - 1] + d[:, n // 2]) / 2
    # the largest bounds it from below, lest one odd row among equal ones pass for something learned and lost
    wide = np.maximum(0.5 * d[:, (9 * n) // 10] / 1.645, 0.15 * d[:, -1])
    sigma: list[float] = (np.maximum(1.4826 * mid, wide) / math.sqrt(2)).tolist()
    return sigma


def _widened(least_se: float, reference: Floats) -> float:
    """The SE under the autocorrelation of the reference, φ at most 0.9."""
    phi = min(fitted_line(reference).phi, 0.9)
    if reference.size < REFERENCE:
        phi = min(phi, _curved_phi(reference))
    return least_se * (math.sqrt(1 + phi) / (1 - phi))


def _curved_phi(x: Floats) -> float:
    """φ free of the curve of a young run, which a line leaves in its residual.

    For AR(1) noise E(x₋₂ - 2x + x₂)² / E(x₋₁ - 2x + x₁)² = (1+φ)(3-φ²)/(3-φ), rising from 1 at φ = 0 to 2 at φ = 1.
    """
    near, far = x[2:] - 2 * x[1:-1] + x[:-2], x[4:] - 2 * x[2:-2] + x[:-4]
    below, above = float((near * near).sum()) / near.size, float((far * far).sum()) / far.size
    low, high = 0.0, 1.0
    for _ in range(20):
        phi = (low + high) / 2
        if (1 + phi) * (3 - phi * phi) * below < (3 - phi) * above:
            low = phi
        else:
            high = phi
    return high
