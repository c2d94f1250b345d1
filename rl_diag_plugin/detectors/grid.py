"""The grid of logged shares: k/n values tell their n."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..model import Floats

TOLERANCE = 1e-4  # shares are logged with four digits, at worst; neighbours of any n ≤ LARGEST are further apart
FEWEST = 10  # distinct shares before n is inferred
MOST = 64  # distinct shares that are kept
LARGEST = 4096


class Grid:
    """The smallest n ≤ 4096 such that all distinct shares so far (ten or more, without 0 and 1) lie within 1e-4 of some k/n.

    More shares can only rule an n out, so n never falls and the search goes on from where it stopped.
    """

    def __init__(self) -> None:
        self.shares: list[float] = [0.0, 1.0]  # sorted
        self.n = 0  # 0: not known yet; LARGEST + 1: there is none

    def see(self, x: float) -> int:
        """n after this share, 0 where it is not known."""
        if not self._done() and not self._known(x):
            self._add(x)
        return self._answer()

    def see_many(self, x: Floats) -> Floats:
        """n after each of these shares."""
        out = np.full(x.size, float(self._answer()))
        if self._done() or not x.size:
            return out
        shares = np.array(self.shares)
        right = np.minimum(np.searchsorted(shares, x), shares.size - 1)
        near = (shares[right] - x <= TOLERANCE) | (x - shares[np.maximum(right - 1, 0)] <= TOLERANCE)
        new = np.flatnonzero(~near)
        while new.size and not self._done():
            first = int(new[0])
            self._add(float(x[first]))
            out[first:] = self._answer()
            new = new[~(np.abs(x[new] - x[first]) <= TOLERANCE)]
        return out

    def _done(self) -> bool:
        return self.n > LARGEST or len(self.shares) >= MOST + 2

    def _answer(self) -> int:
        return self.n if self.n <= LARGEST else 0

    def _known(self, x: float) -> bool:
        right = min(bisect_left(self.shares, x), len(self.shares) - 1)
        return self.shares[right] - x <= TOLERANCE or x - self.shares[max(right - 1, 0)] <= TOLERANCE

    def _add(self, x: float) -> None:
        insort(self.shares, x)
        if len(self.shares) - 2 < FEWEST or (self.n and abs(x * self.n - round(x * self.n)) <= TOLERANCE * self.n):
            return
        fits = np.arange(self.n + 1, LARGEST + 1)
        for share in self.shares[1:-1]:
            exact = share * fits
            fits = fits[np.abs(exact - np.rint(exact)) <= TOLERANCE * fits]
        self.n = int(fits[0]) if fits.size else LARGEST + 1

    def state(self) -> dict[str, Any]:
        return {"shares": list(self.shares), "n": self.n}

    def restore(self, state: Mapping[str, Any]) -> None:
        self.shares, self.n = list(state["shares"]), state["n"]
