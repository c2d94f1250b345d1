"""Reports as no engine should make them: every field may be empty, long, or hold what a terminal must not see."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from rl_diag_plugin.model import (
    SEVERITIES,
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
from rl_diag_plugin.sinks.failed import Failed
from rl_diag_plugin.sinks.terminal import Options

from .parts import counts

ODD = (
    "",
    "a\nb\r\tc",
    "\x1b[31mred\x1b[0m\x07",
    "数学推理" * 40,
    "عربى ‮evil",
    "👩‍🔬🚀 é",
    "x" * 500,
    "\udc80",
    "a · b → c … 12 %",
    "\x9b2J\u2028",
)
words = st.one_of(st.sampled_from(ODD), st.text(max_size=12))
short = st.sampled_from(["a", "reward-constant", "a/b_c.d", "x" * 20])
severities = st.sampled_from(SEVERITIES)
numbers = st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([0.0, 1.0, -1.0, 1e-9, 1e300, -1e300]))
steps = st.one_of(st.none(), st.integers(0, 200), st.sampled_from([10**9, 2**62]))


def some(strategy: st.SearchStrategy[Any], most: int = 4) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(strategy, max_size=most).map(tuple)


def maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(st.none(), strategy)


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    values = draw(some(numbers, 30))
    first, every = draw(st.sampled_from([0, 1, 10**9])), draw(st.sampled_from([1, 4, 10**8]))
    at = tuple(first + every * i for i in range(len(values)))
    bad = tuple({"step": s, "kind": "NaN"} for s, v in zip(at, values, strict=True) if v is None)
    return Trace(at, len(at), 1, values, None, None, bad)


onsets = st.builds(Onset, steps, steps, steps, st.sampled_from(["exact", "split", "hinge", "before", "start", "config"]))
episodes = st.builds(Episode, st.integers(0, 200), st.integers(0, 200), steps, steps, numbers, severities)
limits = st.builds(LimitShown, st.floats(-2, 2), st.sampled_from(["above", "below"]), severities, words, words, st.booleans())
statistics = st.builds(Statistic, st.sampled_from(["signal:a", "rollout/reward", "none"]), words, some(numbers, 30), numbers)
evidence = st.builds(
    Evidence, maybe(st.sampled_from(["rollout/reward", "none"])), maybe(short),
    st.sampled_from(["signal", "confirms", "against", "context"]), words, st.integers(0, 3), words,
)  # fmt: skip
causes = st.builds(SuspectedCause, words, st.integers(1, 3), maybe(short), some(words), some(words), some(words))
remedies = st.builds(
    RemedyShown, st.sampled_from(["set", "code", "advice"]), st.sampled_from(["safe", "review", "experiment", "code"]),
    words, words, maybe(short), maybe(short), maybe(short), maybe(short), words,
)  # fmt: skip
experiments = st.builds(NextExperiment, words, words, some(st.tuples(words, words)))
findings = st.builds(
    Finding, short, short, severities, severities, severities, st.booleans(), maybe(short), words, onsets, some(episodes),
    maybe(st.sampled_from(["rollout/reward", "none"])), maybe(short), words, some(limits), maybe(statistics), st.none(), some(evidence),
    st.builds(Confidence, st.sampled_from(["high", "medium", "low"]), some(words)), some(causes), some(remedies), maybe(experiments),
    some(st.tuples(words, words)), some(short), some(short),
)  # fmt: skip
enabling = st.builds(Enabling, words, maybe(short), maybe(short), maybe(short), maybe(short), words, words)
skipped = st.builds(Skipped, some(short), words, some(short), maybe(st.integers(0, 10**9)), maybe(enabling))
totals = st.builds(counts, st.integers(0, 99), st.integers(0, 99), over=st.integers(0, 9), error=st.integers(0, 9))


@st.composite
def reports(draw: st.DrawFn) -> Report:
    shown = {name: draw(traces()) for name in draw(st.sets(st.sampled_from(["rollout/reward", "signal:a"])))}
    spans = st.tuples(st.integers(0, 50), st.sampled_from([0, 1, 99, 10**9])).map(lambda t: (t[0], t[0] + t[1]))
    return Report(
        run=draw(words), source=draw(short), path=draw(short), framework=None, version=None, trainer=draw(words),
        state=draw(st.sampled_from(["running", "finished", "stopped"])), provisional=draw(st.booleans()), updated=None,
        planned=draw(steps), steps=draw(maybe(spans)), rows=draw(st.integers(0, 200)),
        verdict=draw(st.sampled_from(["healthy", "watch", "unhealthy", "cannot-tell"])), rank=draw(maybe(severities)), summary=draw(words),
        counts=draw(totals), main=draw(st.sampled_from([None, "rollout/reward"])), findings=draw(some(findings, 3)),
        skipped=draw(some(skipped, 8)), not_applicable=(), passed=(), readings=(), caveats=draw(some(words)), unmapped=(), events=(),
        config={}, traces=shown, metrics=draw(st.sampled_from([{}, {"rollout/reward": {"label": "Reward", "unit": "%"}}])),
    )  # fmt: skip


failures = st.builds(Failed, short, st.sampled_from(["lfs", "empty", "Git LFS pointer: git lfs pull"]), words, words)
options = st.builds(
    Options, st.sampled_from([0, 60, 72, 80, 119, 120, 160, 400]), st.booleans(), st.booleans(), st.booleans(), st.booleans(),
    st.booleans(), st.integers(0, 2), some(short, 3),
)  # fmt: skip
