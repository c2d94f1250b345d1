"""False alarms of the whole default set on healthy runs: at most 0.05 error and 0.3 warning findings a run.

It fails when the one-sided 95 % lower confidence bound of the rate exceeds the budget (Poisson, Garwood 1936).
"""

from __future__ import annotations

from collections import Counter

from rl_diag_plugin.diagnosis import Diagnosis
from rl_diag_plugin.model import rank
from rl_diag_plugin.registry import load_rules

from .engine import Measured
from .series import chunk, healthy

ROUNDS = ((200, 1_000), (100, 10_000))


def poisson_lower(k: int) -> float:
    """The mean at which k or more events have a chance of 5 %; 0 for none. By bisection on the exact sum."""
    if k == 0:
        return 0.0
    lo, hi = 0.0, float(k)
    for _ in range(60):
        mid = (lo + hi) / 2
        lo, hi = (mid, hi) if _at_least(k, mid) < 0.05 else (lo, mid)
    return lo


def _at_least(k: int, mean: float) -> float:
    import math

    return 1 - sum(math.exp(-mean) * mean**i / math.factorial(i) for i in range(k))


def alarms(runs: int, n: int) -> Counter[str]:
    """Findings on healthy runs by "severity rule"."""
    found: Counter[str] = Counter()
    for seed in range(runs):
        series = healthy(n, seed)
        diagnosis = Diagnosis(load_rules(), framework="canonical")
        for start in range(0, n, 4096):
            diagnosis.push(chunk(series, start, min(n, start + 4096)))
        diagnosis.close()
        for finding in diagnosis.report().findings:
            found[f"{finding.worst} {finding.rule}"] += 1
    return found


def budget(rounds: tuple[tuple[int, int], ...] = ROUNDS) -> list[Measured]:
    out = []
    for runs, n in rounds:
        found = alarms(runs, n)
        errors = sum(c for name, c in found.items() if rank(name.split()[0]) >= rank("error"))  # type: ignore[arg-type]
        warnings = sum(c for name, c in found.items() if name.startswith("warning"))
        for name, count in found.most_common():
            print(f"    {count / runs:.3f} a run of {n:,}: {name}")
        for what, count, bound in (("error", errors, 0.05), ("warning", warnings, 0.3)):
            text = f"{what} findings, {runs} healthy runs of {n:,} ({count / runs:.3f} a run), lower bound"
            out.append(Measured(text, poisson_lower(count) / runs, bound, "a run"))
    return out
