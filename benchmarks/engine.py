"""The engine alone: CPU a value and rule in units of ``np.cumsum``, a live row's latency, memory held."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rl_diag_plugin.diagnosis import Diagnosis
from rl_diag_plugin.model import Chunk
from rl_diag_plugin.registry import load_rules

from .series import Run, chunk, healthy, sick

CHUNK = 4096


class Measured(NamedTuple):
    what: str
    value: float
    bound: float
    unit: str

    @property
    def kept(self) -> bool:
        return self.value <= self.bound


def clock(act: Callable[[], None], repeat: int = 3) -> float:
    """Best thread CPU time of a few, seconds."""
    best = float("inf")
    for _ in range(repeat):
        began = time.thread_time()
        act()
        best = min(best, time.thread_time() - began)
    return best


def new() -> Diagnosis:
    return Diagnosis(load_rules(), framework="canonical")


def readings(run: Run) -> int:
    """How many rules read a value of one row, metric by metric."""
    names = {m.name for m in run}
    pushed = new()
    pushed.push(chunk(run, 0, 40))
    pushed.close()
    return sum(len(set(t.names) & names) for t in pushed._plan.tracks() if t.judged or t.running.seen)


def cumsum_unit() -> float:
    """Thread CPU time of ``np.cumsum`` a value, over ``CHUNK`` doubles: the unit of the ratios."""
    x = np.random.default_rng(0).standard_normal(CHUNK)
    return clock(lambda: [np.cumsum(x) for _ in range(200)] and None, 3) / 200 / CHUNK


def throughput() -> list[Measured]:
    """Best of nine: each time the unit is measured right before and after, because these machines change their pace."""
    n = CHUNK * 24
    out = []
    for name, make, bound in (("healthy", healthy, 15.0), ("most rules firing", sick, 45.0)):
        run = make(n, 0)
        pairs = readings(run) * n
        chunks = [chunk(run, start, start + CHUNK) for start in range(0, n, CHUNK)]

        def push(chunks: list[Chunk] = chunks) -> None:
            diagnosis = new()
            for part in chunks:
                diagnosis.push(part)

        ratios = []
        for _ in range(9):
            before = cumsum_unit()
            took = clock(push, 1)
            ratios.append(took / pairs / ((before + cumsum_unit()) / 2))
        out.append(Measured(f"engine, {name}, a value and rule", min(ratios), bound, "x cumsum"))
    return out


def latency() -> list[Measured]:
    """A live row over all rules, at row 100 and at row 100,000."""
    out = []
    for at in (100, 100_000):
        run = healthy(at + 400, 1)
        diagnosis = new()
        for start in range(0, at, CHUNK):
            diagnosis.push(chunk(run, start, min(at, start + CHUNK)))
        times = []
        for i in range(at, at + 400):
            row = chunk(run, i, i + 1)
            began = time.thread_time()
            diagnosis.push(row)
            times.append(time.thread_time() - began)
        blocks = [float(np.median(times[i : i + 100])) for i in range(0, 400, 100)]
        out.append(Measured(f"a live row at row {at:,}, best median of 100", min(blocks) * 1e3, 3.0, "ms"))
    return out


def memory() -> list[Measured]:
    """Bytes held at a million rows over those at 100,000."""
    held = {}
    block = healthy(CHUNK * 4, 2)
    tracemalloc.start()
    diagnosis, step = new(), 0
    while step < 1_000_000:
        for start in range(0, CHUNK * 4, CHUNK):
            part = chunk(block, start, start + CHUNK)
            diagnosis.push(part.__class__(part.steps + step, part.columns))
        step += CHUNK * 4
        for mark in (100_000, 1_000_000):
            if mark not in held and step >= mark:
                held[mark] = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return [Measured("memory at 1 M rows over that at 100 k", held[1_000_000] / held[100_000], 1.25, "x")]
