"""Rule stale-rollouts."""

from __future__ import annotations

import numpy as np

from ...authoring import (
    YES,
    Advice,
    Applies,
    Cause,
    Clue,
    Effect,
    Enable,
    Example,
    Facts,
    Found,
    Lower,
    Next,
    RowView,
    Witness,
    above,
    constant,
    is_true,
    maybe,
    no,
    rule,
)
from ...detectors import Level
from ...knobs.offpolicy import DECOUPLED_LOSS, MAX_STALENESS, OFF_POLICY_CORRECTION
from ...metrics.critic import TIME_WAIT_POLICY
from ...metrics.rollout import RESPONSE_LEN
from ...metrics.update import BEHAVE_APPROX_KL, BEHAVE_KL, STALENESS
from ...model import Floats, Severity
from ...wording import number

SAFE, CORRECTED = 4.0, 8.0  # versions
GROUPS = 1.0  # the bound counts groups: a long one that started early is a version older without any fault


def _highest(run: Facts, name: str) -> float:
    known = run.series.get(name)
    return known.high if known is not None and known.high is not None else 0.0


def _applies(run: Facts) -> Applies:
    if run.knobs.number(MAX_STALENESS) == 0 and _highest(run, STALENESS.name) == 0:
        return no("sampling and training take turns: no sample is old")
    return YES


def _is_over_the_bound(run: Facts) -> bool:
    bound = run.knobs.number(MAX_STALENESS)
    return bound is not None and _highest(run, STALENESS.max.name) > bound + GROUPS


def _cap(run: Facts) -> Severity | None:
    """Where a weight corrects for it, or nothing is known of one, up to 8 versions are usual."""
    off = is_true(run, DECOUPLED_LOSS) is False or (OFF_POLICY_CORRECTION in run.knobs and not run.knobs.value(OFF_POLICY_CORRECTION))
    if off:
        return None
    return "warning" if _highest(run, STALENESS.name) > CORRECTED or _is_over_the_bound(run) else "info"


def _message(found: Found) -> str:
    if _highest(found.run, STALENESS.name) <= SAFE:
        oldest, bound = _highest(found.run, STALENESS.max.name), found.run.knobs.number(MAX_STALENESS)
        return f"samples are up to {number(oldest)} versions old, {number(bound)} are allowed"
    return f"samples are {number(found.value)} versions old when they are trained on"


@rule(
    reads=(STALENESS, maybe(STALENESS.max)),
    detector=Level(window=5, least=3, hold=2),
    limits=(
        above(SAFE, "warning", "AReaL paper: plain PPO degrades from 4 on"),
        above(CORRECTED, "error", "AReaL: 2 to 8; prime-rl's default 8"),
    ),
    message=_message,
    applies=_applies,
    severity_cap=_cap,
    unit="versions",
    onset_method="hinge",
    witnesses=(
        Witness(STALENESS.max),
        Witness(BEHAVE_KL, "rises", "sampler and policy part with it", "sampler and policy stay as close as before"),
        Witness(BEHAVE_APPROX_KL, "rises", "sampler and policy part with it", "sampler and policy stay as close as before"),
    ),
    causes=(
        Cause("The bound lets samples become this old", when=lambda run: not _is_over_the_bound(run)),
        Cause(
            "Groups that take long are trained on late",
            supports=(Clue(RESPONSE_LEN, "rises", "responses became longer"),),
            when=_is_over_the_bound,
        ),
        Cause("The run came back from a checkpoint with samples of before", when=lambda run: any(e.kind == "resume" for e in run.events)),
        Cause("Sampling is slower than training", against=(Clue(TIME_WAIT_POLICY, "rises", "the sampler waits for weights"),)),
    ),
    remedies=(
        Lower(MAX_STALENESS, 2, "samples are then closer to the policy"),
        Enable(DECOUPLED_LOSS, "the proximal policy is then apart from the one that sampled"),
        Advice("give sampling more engines or training fewer, or bound the requests in flight", "the two then keep pace"),
    ),
    next=Next(
        "Run 50 steps without staleness from the same checkpoint",
        "50 synchronous steps, about twice as slow",
        (("the reward rises faster a step", "staleness cost it: keep the bound low"), ("it rises as before", "the age does no harm here")),
    ),
    explains=(
        Effect("rollout-training-mismatch", (0, 100)),
        Effect("behave-weight-deviation", (0, 100)),
        Effect("importance-weight-drift", (0, 100)),
        Effect("gradient-spikes", (0, 100)),
        Effect("reward-collapse", (0, 100)),
    ),
    bad=Example({STALENESS: np.minimum(np.arange(100.0), 16.0)}, {MAX_STALENESS: 16, DECOUPLED_LOSS: False}),
    good=Example({STALENESS: constant(1.1), STALENESS.max: constant(3.0)}, {MAX_STALENESS: 2}),
)
def stale_rollouts(run: RowView) -> Floats:
    """Samples are old when they are trained on.

    Why it matters: The gradient of a sample is that of the policy that made it. Without a correction learning degrades from
    about four versions on, with one from about sixteen.

    How it is measured: The mean age in versions. Where the oldest sample is more than a version over the run's own bound, every
    version beyond counts from the first limit on. A majority of 5 rows is over the limit, twice running. Up to 8 versions it is
    worth knowing only, where a weight corrects for it or nothing is known of one.

    What it misses: Age is what the sampler claims: an engine that keeps old weights and reports new versions looks fresh
    (rollout-training-mismatch sees that one).

    Known false alarms: A bound on groups is exceeded by one version without any fault, which is allowed for.

    Source: AReaL's paper, ablation of staleness (plain PPO degrades from 4 on, the decoupled loss from 16); AReaL's
    documentation (2 to 8 are typical); prime-rl's default (8); SkyRL (the bound is not strictly kept).
    """
    age, bound = run[STALENESS], run.number(MAX_STALENESS)
    if bound is None:
        return age
    excess = run[STALENESS.max] - bound - GROUPS
    return np.where(excess > 0, np.maximum(age, SAFE + excess), age)
