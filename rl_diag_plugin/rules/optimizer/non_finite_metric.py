"""Rule non-finite-metric."""

from __future__ import annotations

import re

import numpy as np

from ...authoring import (
    Advice,
    CannotTell,
    Cause,
    Clear,
    Clue,
    Code,
    Effect,
    Example,
    Facts,
    Fired,
    KeyFacts,
    Lower,
    Next,
    Outcome,
    constant,
    fact_rule,
)
from ...knobs.optimizer import LR
from ...metrics.actor import ADVANTAGES, TASK_REWARD
from ...metrics.critic import CRITIC_LOSS, CRITIC_RETURNS, CRITIC_VALUE, Q_VALUE
from ...metrics.rollout import EPISODE_RETURN, ROLLOUT_REWARD
from ...metrics.update import ACTOR_LOSS, APPROX_KL, ENTROPY, GRAD_NORM, IMPORTANCE_WEIGHT
from ...model import Severity, rank
from ...wording import step_text

_FATAL = (
    GRAD_NORM, ACTOR_LOSS, ENTROPY, IMPORTANCE_WEIGHT, APPROX_KL, ADVANTAGES, CRITIC_LOSS, CRITIC_VALUE, CRITIC_RETURNS, Q_VALUE,
    TASK_REWARD, ROLLOUT_REWARD, EPISODE_RETURN,
)  # fmt: skip
# Words of a key that name a number of the update itself: loss, gradient, log-probability, value.
_FATAL_WORDS = re.compile(r"loss|grads?|gradients?|gradnorm|logp|logps|logprobs?|values?|entropy|importance|advantages?")
# Undefined where there is nothing to divide by: variance of constants, spread of one sample, a reward function that gave none.
_UNDEFINED = re.compile(r"std|explained|corr|pearson|correlation|rewards")
_IN_A_ROW = 3
_SHOWN = 8


def _has_word(key: str, words: re.Pattern[str]) -> bool:
    return any(words.fullmatch(part) for part in re.split(r"[^a-z0-9]+", key.lower()))


def _severity(key: str, known: KeyFacts, fatal: frozenset[str]) -> Severity | None:
    """How bad the non-finite values of one key are; None where they are no finding."""
    lasts = known.spans[-1].open
    if _has_word(key, _UNDEFINED):
        return None
    if key in fatal or _has_word(key, _FATAL_WORDS):
        return "critical" if lasts else "error"
    if max(span.rows for span in known.spans) < _IN_A_ROW:
        return None
    return "warning" if lasts and known.nonfinite < known.points else "info"


def _tail(key: str) -> str:
    """The last parts of a key, at most 20 characters."""
    parts = key.split("/")
    tail = parts.pop()
    while parts and len(parts[-1]) + len(tail) < 20:
        tail = f"{parts.pop()}/{tail}"
    return tail if len(tail) <= 20 else "…" + tail[-19:]


def _kind(kind: str) -> str:
    return "NaN" if kind == "NaN" else "infinite"


def _headline(key: str, known: KeyFacts, others: int) -> str:
    first, last = known.spans[0], known.spans[-1]
    what = f"{'NaN' if first.kind == 'NaN' else 'Infinity'} in {_tail(key)}" + (f" and {others} more" if others else "")
    if last.open:
        return f"{what} since step {step_text(last.start)}"
    if known.nonfinite == 1:
        return f"{what} at step {step_text(first.start)}"
    return f"{what}, {known.nonfinite:,} rows from step {step_text(first.start)}"


def _seen(known: KeyFacts) -> str:
    first, last = known.spans[0], known.spans[-1]
    if known.nonfinite == 1:
        return f"{_kind(first.kind)} in 1 row, at step {step_text(first.start)}"
    rows = f"{known.nonfinite:,} rows"
    return f"{_kind(first.kind)} in {rows}, from step {step_text(first.start)}{', still' if last.open else f' to {step_text(last.end)}'}"


@fact_rule(
    severities=("info", "warning", "error", "critical"),
    causes=(
        Cause(
            "A probability ratio overflowed",
            supports=(Clue(IMPORTANCE_WEIGHT.max, "rises", "the largest ratio grew"), Clue(APPROX_KL, "rises", "the updates grew")),
        ),
        Cause("The updates are too large", rule="update-too-large", supports=(Clue(ENTROPY, "moves", "entropy moved before it"),)),
        Cause("Gradients exploded", rule="gradient-spikes"),
        Cause("The reward or the data held it", unobserved=("rewards and masks of the batch",)),
        Cause("Half precision: a number over 65,504, or a logarithm of 0"),
    ),
    remedies=(
        Advice("look at the first of these keys: what is later follows from it", "NaN spreads forward"),
        Advice("go back to the last checkpoint before it, where weights may hold it", "weights that are NaN never recover"),
        Lower(LR, 2, "where no sample is to blame"),
        Code(
            "assert finite rewards, advantages and log-probabilities before the backward pass; clamp the log ratio before exp",
            "names the tensor and the sample",
        ),
        Advice("compute the loss in float32, train in bf16 rather than fp16", "fp16 overflows at 65,504"),
    ),
    next=Next(
        "Run the step before it again from its checkpoint with anomaly detection",
        "one step",
        (("it comes again", "the batch: its rewards, masks, lengths"), ("it does not", "precision or a race: look for nondeterminism")),
    ),
    explains=(
        Effect("optimizer-step-skipped", (0, 1)),
        Effect("metric-vanished", (0, 10)),
        Effect("reward-not-increasing", (0, 10_000)),
        Effect("reward-collapse", (0, 50)),
        Effect("reward-constant", (0, 50)),
        Effect("zero-gradient-steps", (0, 50)),
        Effect("entropy-collapse", (0, 50)),
    ),
    bad=Example({GRAD_NORM: np.where(np.arange(60) >= 40, np.nan, 0.4), ENTROPY: constant(1.0, 60)}, logged_nan=frozenset({GRAD_NORM})),
    good={GRAD_NORM: constant(0.4, 60), ENTROPY: constant(1.0, 60)},
)
def non_finite_metric(run: Facts) -> Outcome:
    """A number of the run is NaN or infinite.

    Why it matters: NaN in loss, gradient or log-probability spreads to the weights, and a run whose weights are NaN only burns
    money. Most dashboards do not draw it, so that the curve just ends.

    How it is measured: By key, from the first value on, for every key and trainer. Loss, gradient, log-probability, value,
    entropy, ratio, advantage and reward: once is critical while it lasts and an error when it is over. Other keys: three rows in
    a row, a warning. Spreads, correlations, the explained variance and single reward functions are undefined without any fault
    and are left out.

    What it misses: Loggers that drop such values instead of writing them.

    Known false alarms: The first steps of fp16, while the loss scale is found, log infinite gradients.

    Source: SageMaker Debugger (ExplodingTensor), Stable-Baselines3 (VecCheckNan): at once and without a limit.
    """
    if not run.rows:
        return CannotTell("no row was logged")
    fatal = frozenset(run.key(metric) for metric in _FATAL if metric.name in run.readings)
    bad = {key: (_severity(key, known, fatal), known) for key, known in run.keys.items() if known.spans}
    found = [(severity, key, known) for key, (severity, known) in bad.items() if severity is not None]
    if not found:
        return Clear(run.first)
    worst = max((severity for severity, _, _ in found), key=rank)
    # Of the worst keys the one that is first, and among equals one that is a canonical number of the update.
    listed = sorted(found, key=lambda f: (-rank(f[0]), f[2].spans[0].start, f[1] not in fatal, f[1]))
    _, key, known = listed[0]
    others = listed[1:]
    episodes = tuple((span.start, span.end) for span in known.spans)
    shown = [("confirms", other, _seen(facts)) for _, other, facts in others[:_SHOWN]]
    if len(others) > _SHOWN:
        shown.append(("context", "", f"and {len(others) - _SHOWN} more keys"))
    return Fired(
        worst,
        _headline(key, known, len(others)),
        step=known.spans[0].start,
        active=known.spans[-1].open,
        end=None if known.spans[-1].open else known.spans[-1].end,
        episodes=episodes,
        measured=_seen(known),
        evidence=tuple((role, name or None, text) for role, name, text in shown),
        key=key,
    )
