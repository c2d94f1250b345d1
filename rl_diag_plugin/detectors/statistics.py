"""Statistics that several detectors share. Functions of one fresh 1-D array, so that their bits never depend on chunks."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from ..model import Floats


def median(ordered: Sequence[float]) -> float:
    """Of sorted values; the mean of the two middle ones where their number is even."""
    n = len(ordered)
    h = n // 2
    return ordered[h] if n & 1 else (ordered[h - 1] + ordered[h]) / 2


def wilson(k: float, n: float, z: float) -> tuple[float, float]:
    """The score interval of a share k/n (Wilson 1927): the t with |k - n t| ≤ z √(n t (1 - t))."""
    p, d = k / n, 1 + z * z / n
    centre, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return (centre - half) / d, (centre + half) / d


def ar1_factor(phi: float, n: int) -> float:
    """1 + 2 Σ (1 - k/n) φᵏ: how much AR(1) noise widens the variance of a mean or a Mann-Kendall score of n observations."""
    total, power = 0.0, 1.0
    for k in range(1, n):
        power *= phi
        total += (1 - k / n) * power
        if power < 1e-12:
            break
    return 1 + 2 * total


def lag1(r: Floats) -> float:
    """Lag-1 autocorrelation of residuals, (n ρ₁ + 2)/(n - 4) against the bias of a fitted line, within 0 … 0.95."""
    n = len(r)
    r = r - r.sum() / n
    den = float((r * r).sum())
    if den <= 0 or n < 8:
        return 0.0
    return min(max((n * (float((r[1:] * r[:-1]).sum()) / den) + 2) / (n - 4), 0.0), 0.95)


class Line(NamedTuple):
    """Least squares over positions 0 … n-1. ``se``: of the slope, widened for AR(1) residuals by √((1+φ)/(1-φ))."""

    slope: float
    se: float
    phi: float


def fitted_line(b: Floats) -> Line:
    n = b.size
    t = np.arange(n) - (n - 1) / 2
    sxx = n * (n * n - 1) / 12
    slope = float((t * b).sum()) / sxx
    r = b - b.sum() / n - slope * t
    phi = lag1(r)
    return Line(slope, math.sqrt(float((r * r).sum()) / (n - 2) / sxx * (1 + phi) / (1 - phi)), phi)


class MannKendall(NamedTuple):
    """``score`` S, its ``variance`` (ties allowed for), Theil-Sen ``slope`` a position, ``z`` after the AR(1) factor, ``phi``."""

    score: int
    variance: float
    slope: float
    z: float
    phi: float


def mann_kendall(b: Floats, at_least: float | None = None) -> MannKendall | None:
    """Monotone trend of b under autocorrelation (Mann 1945, Kendall 1975, Hamed & Rao 1998; slope: Theil 1950, Sen 1968).

    None where z cannot exceed ``at_least``: the factor is ≥ 1, so the integer S without ties decides that exactly.
    """
    n = b.size
    i, j, lag = _pairs(n)
    rise = b[j] - b[i]
    up, down = int(np.count_nonzero(rise > 0)), int(np.count_nonzero(rise < 0))
    score, variance = up - down, n * (n - 1) * (2 * n + 5) / 18
    tied = up + down < rise.size
    if at_least is not None and not tied and score - 1 <= at_least * math.sqrt(variance):
        return None
    if tied:
        t = np.unique(b, return_counts=True)[1].astype(float)
        variance -= float((t * (t - 1) * (2 * t + 5)).sum()) / 18
    slope = _middle(rise / lag)
    phi = lag1(b - slope * np.arange(n))
    z = (score - (score > 0) + (score < 0)) / math.sqrt(max(variance * ar1_factor(phi, n), 1e-9))
    return MannKendall(score, variance, slope, z, phi)


@functools.lru_cache(maxsize=256)
def _pairs(n: int) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
    i, j = np.triu_indices(n, 1)
    return i, j, (j - i).astype(float)


def _middle(q: Floats) -> float:
    h = q.size // 2
    if q.size % 2:
        q.partition(h)
        return float(q[h])
    q.partition((h - 1, h))
    return (float(q[h - 1]) + float(q[h])) / 2


def lower_medians(windows: Floats, sizes: NDArray[np.intp]) -> Floats:
    """Row by row the (⌊(n - 1)/2⌋ + 1)-th smallest of n values; rows are padded with NaN up to their width."""
    ordered = np.sort(windows, axis=1)
    found: Floats = ordered[np.arange(len(ordered)), (sizes - 1) // 2]
    return found


def rolling_median(values: Floats, window: int, least: int = 1) -> Floats:
    """Lower median of the last ``window`` finite values, for drawing; NaN at values that are not finite and before ``least``."""
    x, out = _finite(values)
    if x.size:
        sizes = np.minimum(np.arange(1, x.size + 1), window)
        out[np.isfinite(values)] = np.where(np.arange(1, x.size + 1) >= least, lower_medians(_last(x, window), sizes), np.nan)
    return out


def rolling_mean(values: Floats, window: int, least: int = 1) -> Floats:
    """Mean of the last ``window`` finite values, for drawing; NaN at values that are not finite and before ``least``."""
    x, out = _finite(values)
    if x.size:
        out[np.isfinite(values)] = np.where(np.arange(1, x.size + 1) >= least, np.nanmean(_last(x, window), axis=1), np.nan)
    return out


def narrowed(window: int, width: int) -> int:
    """A window in rows, in values that each stand for ``width`` rows."""
    return max(1, window // width)


def _finite(values: Floats) -> tuple[Floats, Floats]:
    return values[np.isfinite(values)], np.full(values.shape, np.nan)


def _last(x: Floats, window: int) -> Floats:
    return sliding_window_view(np.concatenate((np.full(window - 1, np.nan), x)), window)
