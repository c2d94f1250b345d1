"""Parts of which sample reports are made, and the series that they draw: excerpts of our own recordings of TRL and AReaL."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Any

from rl_diag_plugin.model import (
    Confidence,
    Enabling,
    Episode,
    Evidence,
    Finding,
    LimitShown,
    NextExperiment,
    Onset,
    RemedyShown,
    Report,
    Skipped,
    Statistic,
    SuspectedCause,
    Trace,
)

METRICS = {
    "rollout/reward": {"label": "Reward", "unit": ""},
    "rollout/episode_return": {"label": "Episode reward", "unit": ""},
    "rollout/reward/std": {"label": "Reward spread", "unit": ""},
    "ppo_actor/update/grad_norm": {"label": "Gradient norm", "unit": ""},
    "ppo_actor/update/entropy": {"label": "Entropy", "unit": "nats"},
    "rollout/response_len": {"label": "Response length", "unit": "tokens"},
    "ppo_actor/no_eos_ratio": {"label": "Cut off before EOS", "unit": "%"},
    "ppo_actor/ref_kl": {"label": "KL to reference", "unit": "nats"},
    "ppo_actor/update/lr": {"label": "Learning rate", "unit": ""},
    "ppo_actor/kl": {"label": "Sampler–trainer KL", "unit": "nats"},
}
REWARD = "rollout/reward"


@functools.cache
def recorded() -> dict[str, dict[str, dict[str, Any]]]:
    data: dict[str, dict[str, dict[str, Any]]] = json.loads((Path(__file__).parent / "recorded.json").read_text())
    return data


def series(run: str, key: str) -> Trace:
    """A recorded series; a value that is not finite is None."""
    told = recorded()[run][key]
    values = told["values"]
    return trace(values, told["first"], told["every"])


def trace(values: Sequence[float | None], first: int = 1, every: int = 1) -> Trace:
    steps = tuple(first + every * i for i in range(len(values)))
    bad = tuple({"step": s, "kind": "NaN"} for s, v in zip(steps, values, strict=True) if v is None)
    return Trace(steps, len(steps), 1, tuple(values), None, None, bad)


def rolling(values: Sequence[float | None], window: int, how: str) -> tuple[float | None, ...]:
    """The median or mean of the last ``window`` values, of fewer at the start."""
    pick = median if how == "median" else fmean
    finite = [v if v is not None else 0.0 for v in values]
    return tuple(pick(finite[max(0, i + 1 - window) : i + 1]) for i in range(len(finite)))


def report(run: str, **given: Any) -> Report:
    """A finished TRL run of 100 steps, unless said otherwise."""
    usual: dict[str, Any] = {
        "source": "tensorboard",
        "path": f"./runs/{run}",
        "framework": "trl",
        "version": "1.16.0",
        "trainer": "TRL 1.16.0 GRPOTrainer",
        "state": "finished",
        "provisional": False,
        "updated": None,
        "planned": 100,
        "steps": (1, 100),
        "rows": 100,
        "verdict": "unhealthy",
        "rank": None,
        "summary": "",
        "counts": counts(),
        "main": REWARD,
        "findings": (),
        "skipped": (),
        "not_applicable": (),
        "passed": (),
        "readings": (),
        "caveats": (),
        "unmapped": (),
        "events": (),
        "config": {},
        "traces": {},
        "metrics": METRICS,
    }
    return Report(run=run, **(usual | given))


def counts(passed: int = 0, skipped: int = 0, **found: int) -> dict[str, int]:
    names = ("critical", "error", "warning", "info", "note", "follow", "over", "not_applicable")
    return {**dict.fromkeys(names, 0), "passed": passed, "skipped": skipped, **found}


def finding(rule: str, severity: str, headline: str, **given: Any) -> Finding:
    usual: dict[str, Any] = {
        "id": rule,
        "own": severity,
        "worst": severity,
        "active": True,
        "symptom_of": None,
        "onset": Onset(None, None, None, "exact"),
        "episodes": (),
        "metric": None,
        "key": None,
        "measured": "",
        "limits": (),
        "statistic": None,
        "baseline": None,
        "evidence": (),
        "confidence": Confidence("high", ()),
        "causes": (),
        "remedies": (),
        "next": None,
        "checked": (),
    }
    return Finding(rule=rule, severity=severity, headline=headline, **(usual | given))  # type: ignore[arg-type]


def exactly(step: int) -> Onset:
    return Onset(step, step, step, "exact")


def lasting(start: int, fired: int, severity: str) -> tuple[Episode, ...]:
    return (Episode(start, fired, None, None, None, severity),)  # type: ignore[arg-type]


def over(start: int, end: int, severity: str) -> Episode:
    return Episode(start, start, end, end + 1, None, severity)  # type: ignore[arg-type]


def limit(value: float, text: str, severity: str, source: str, *, binding: bool = True, side: str = "above") -> LimitShown:
    return LimitShown(value, side, severity, source, text, binding)  # type: ignore[arg-type]


def drawn(name: str, label: str, points: Sequence[float | None]) -> Statistic:
    return Statistic(name, label, tuple(points), points[-1] if points else None)


def seen(role: str, metric: str, key: str, text: str, rank: int = 1, label: str = "") -> Evidence:
    name = label or METRICS.get(metric, {}).get("label", "")
    return Evidence(metric, key, role, text, rank, name)  # type: ignore[arg-type]


def setting(key: str, old: str | None, new: str, applicability: str, why: str = "") -> RemedyShown:
    text = f"{key}  {old} → {new}" if old is not None else f"{key}={new}"
    return RemedyShown("set", applicability, text, why, key, old, new, f"{key}={new}")  # type: ignore[arg-type]


def advice(text: str, why: str = "") -> RemedyShown:
    return RemedyShown("advice", "review", text, why)


def code(text: str, why: str = "") -> RemedyShown:
    return RemedyShown("code", "code", text, why)


def cause(rank: int, title: str, plus: Sequence[str] = (), minus: Sequence[str] = (), unseen: Sequence[str] = ()) -> SuspectedCause:
    return SuspectedCause(title, rank, None, tuple(plus), tuple(minus), tuple(unseen))


def attempt(title: str, cost: str, *predict: tuple[str, str]) -> NextExperiment:
    return NextExperiment(title, cost, predict)


def switch(n: int, key: str, value: str, was: str | None, shows: str = "") -> Skipped:
    return Skipped(names(n), "not logged", (), None, Enabling(f"{key}={value}", key, value, was, None, "", shows))


def log(n: int, text: str, shows: str = "") -> Skipped:
    return Skipped(names(n), "not logged", (), None, Enabling(text, shows=shows))


def wait(n: int, rows: int) -> Skipped:
    return Skipped(names(n), f"too early, {rows} more rows", (), rows, None)


def names(n: int) -> tuple[str, ...]:
    return tuple(f"unjudged-rule-{i}" for i in range(1, n + 1))


BLIND = (
    switch(4, "eval_strategy", '"steps"', '"no"', "whether a rising reward is learning or gaming the reward"),
    switch(4, "beta", "0.001", "0.0", "how far the policy has moved, and whether it moves at all"),
    switch(3, "log_completions", "True", "False", "loops, empty answers, one answer for every question"),
    log(2, "log verifier/error_ratio from the reward function", "a verifier that fails instead of a policy that does"),
    wait(2, 200),
)
