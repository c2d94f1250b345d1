"""Rule impossible-value."""

from __future__ import annotations

import math

from ...authoring import Advice, CannotTell, Cause, Clear, Facts, Fired, KeyFacts, Next, Outcome, Span, constant, fact_rule, noise
from ...metrics import Metric, find_metric
from ...metrics.rollout import EPISODE_RETURN
from ...metrics.update import CLIP_RATIO, ENTROPY
from ...wording import number, quantity, step_text

_NOT_FINITE = ("NaN", "inf", "-inf")
_SHOWN = 8


def _outside(known: KeyFacts) -> list[Span]:
    return [span for span in known.spans if span.kind not in _NOT_FINITE]


def _domain(metric: Metric) -> str:
    if math.isinf(metric.hi):
        return f"at least {number(metric.lo)}"
    if math.isinf(metric.lo):
        return f"at most {number(metric.hi)}"
    return f"{number(metric.lo)} to {number(metric.hi)}"


def _can_be_negative(run: Facts, name: str) -> bool:
    """The entropy of continuous actions, of which a classic environment may have some."""
    return name == ENTROPY.name and run.has(EPISODE_RETURN)


@fact_rule(
    severities=("warning", "error"),
    causes=(
        Cause("Another unit: percent for a share, or a sum over ranks for a mean"),
        Cause("The key measures something else than its name says", unobserved=("the code that logs it",)),
        Cause("A fault in the computation: a mask, a sign, a normalisation"),
    ),
    remedies=(
        Advice("look at the code that logs this key", "no policy can give such a value"),
        Advice("where the key measures something else: --map it to the metric it is", "rules that read it are wrong till then"),
    ),
    next=Next(
        "Compute the value by hand from one batch",
        "one batch",
        (("it is possible", "the logger is wrong"), ("it is the logged one", "the definition is another: map the key")),
    ),
    bad={CLIP_RATIO: noise(12.0, 1.0, n=60)},
    good={CLIP_RATIO: constant(0.12, 60)},
)
def impossible_value(run: Facts) -> Outcome:
    """A metric has a value that it cannot have.

    Why it matters: A share above 1 or a negative divergence is no training problem but a wrong number, and every conclusion
    from it is wrong too.

    How it is measured: Every value of a metric with a domain (shares in 0 to 1, divergences, lengths, entropies not under 0)
    against it, with room for single precision. An error while it lasts, else a warning.

    What it misses: Wrong values inside the domain, and keys that are not read as a metric.

    Known false alarms: Estimates that can be below 0 by chance where their expectation cannot; continuous actions, whose
    entropy may be negative, where no episode return shows that they are.

    Source: the definitions of the metrics.
    """
    bounded = {name: find_metric(name) for name in run.series}
    judged = [name for name, metric in bounded.items() if math.isfinite(metric.lo) or math.isfinite(metric.hi)]
    if not judged:
        return CannotTell("no metric with a domain was read", (CLIP_RATIO,))
    wrong = {name: _outside(run.series[name]) for name in judged if not _can_be_negative(run, name)}
    hits = sorted((spans[0].start, name) for name, spans in wrong.items() if spans)
    if not hits:
        return Clear(run.first)
    lasts = any(wrong[name][-1].open for _, name in hits)
    hits.sort(key=lambda hit: (not wrong[hit[1]][-1].open, hit))
    step, name = hits[0]
    metric, spans = bounded[name], wrong[name]
    value = quantity(float(spans[0].kind), "" if metric.unit == "%" else metric.unit)
    return Fired(
        "error" if lasts else "warning",
        f"{metric.label} {'is' if lasts else 'was'} {value}, but must be {_domain(metric)}",
        step=step,
        active=lasts,
        end=None if lasts else spans[-1].end,
        episodes=tuple((span.start, span.end) for span in spans),
        measured=f"{run.key(metric)}: {value}",
        evidence=tuple(
            ("confirms", run.key(bounded[other]), f"{wrong[other][0].kind} at step {step_text(at)}, must be {_domain(bounded[other])}")
            for at, other in hits[1 : 1 + _SHOWN]
        ),
        metric=metric,
    )
