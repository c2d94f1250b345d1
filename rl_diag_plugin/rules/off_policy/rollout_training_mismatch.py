"""Rule rollout-training-mismatch."""

from __future__ import annotations

import numpy as np

from ...authoring import (
    Advice,
    Cause,
    Clue,
    Effect,
    Enable,
    Facts,
    Lower,
    Next,
    RowView,
    Set,
    Witness,
    above,
    any_of,
    maybe,
    noise,
    rule,
    step_change,
)
from ...detectors import Level
from ...knobs.offpolicy import DECOUPLED_LOSS, MAX_STALENESS, OFF_POLICY_CORRECTION, RECOMPUTE_LOGPROB, ROUTER_REPLAY
from ...knobs.sampling import LEARNER_TEMPERATURE, TEMPERATURE
from ...metrics.actor import N_VALID_TOKENS
from ...metrics.update import (
    BEHAVE_APPROX_KL,
    BEHAVE_IMP_WEIGHT,
    BEHAVE_KL,
    BEHAVE_MASKED_RATIO,
    CLIP_RATIO,
    POLICY_BEHAVE_KL,
    STALENESS,
)
from ...model import Floats

GAP = any_of(BEHAVE_KL, BEHAVE_APPROX_KL)
FLOOR = 1e-5  # nats; a hundredth of the mildest limit, below which nothing is said


def _temperatures_differ(run: Facts) -> bool:
    sampler, trainer = run.knobs.number(TEMPERATURE), run.knobs.number(LEARNER_TEMPERATURE)
    return sampler is not None and trainer is not None and sampler != trainer


def _is_mean_log_ratio(run: RowView) -> bool:
    try:
        run[BEHAVE_APPROX_KL]
    except KeyError:
        return False
    return True


_SAME_AGE = Clue(STALENESS, "steady", "the claimed age of the samples did not change")


@rule(
    reads=(GAP, maybe(POLICY_BEHAVE_KL), maybe(STALENESS), maybe(N_VALID_TOKENS)),
    detector=Level(window=10, least=5, hold=10),
    limits=(
        above(1e-3, "warning", "NeMo-RL: below 1e-3 acceptable"),
        above(1e-2, "error", "tinker: stable below 0.01; verl K3-RS"),
        above(1e-1, "critical", "verl: alert above 0.1; MIS: untrainable"),
    ),
    message="sampler and trainer differ by {value} a token",
    unit="nats",
    log_onset=True,
    witnesses=(
        Witness(BEHAVE_MASKED_RATIO, "rises", "tokens are rejected for it"),
        Witness(STALENESS, "steady", "no older samples", "the samples became older with it"),
        Witness(CLIP_RATIO),
        Witness(BEHAVE_IMP_WEIGHT),
    ),
    causes=(
        Cause("Sampler and trainer work at different temperatures", when=_temperatures_differ),
        Cause("Samples are old when they are trained on", "stale-rollouts", (Clue(STALENESS, "rises", "the samples became older"),)),
        Cause("The policy moves far in one update", "update-too-large", (Clue(CLIP_RATIO, "rises", "the clipped share rises with it"),)),
        Cause("The sampler keeps old weights and reports new versions", None, (_SAME_AGE,), unobserved=("checksums of the weights",)),
        Cause("Precision, kernels, expert routing or template differ", None, (_SAME_AGE,), unobserved=("both scores of one fixed batch",)),
    ),
    remedies=(
        Advice("sample and score at one temperature", "two temperatures are two policies", when=_temperatures_differ),
        Advice("compare checksums of the sampler's and the trainer's weights after an update", "a lost weight update looks like this"),
        Advice("score with the sampler's template, masks and precision", "else one text has two probabilities"),
        Set(OFF_POLICY_CORRECTION, "mask", "tokens with extreme weights then leave the loss"),
        Lower(MAX_STALENESS, 2, "samples are then closer to the policy"),
        Enable(ROUTER_REPLAY, "for a mixture of experts: both then route alike"),
        Set(MAX_STALENESS, 0, "synchronous recipe, 1 of 3: takes staleness out, to compare", "experiment"),
        Set(RECOMPUTE_LOGPROB, False, "synchronous recipe, 2 of 3: takes the sampler's log-probabilities", "experiment"),
        Set(DECOUPLED_LOSS, False, "synchronous recipe, 3 of 3: the plain PPO loss", "experiment"),
    ),
    next=Next(
        "Load the trainer's weights into the sampler anew and score one batch with both",
        "one batch, no training",
        (
            ("they agree", "weights had not arrived, or staleness: run it synchronously"),
            ("they differ", "temperature, precision, kernels, routing or template"),
        ),
    ),
    explains=(
        Effect("behave-weight-deviation", (0, 200)),
        Effect("importance-weight-drift", (0, 200)),
        Effect("gradient-spikes", (0, 200)),
        Effect("reward-collapse", (0, 500)),
        Effect("reward-not-increasing", (0, 10_000)),
    ),
    bad={BEHAVE_KL: step_change(2e-4, 0.03, at=40, sd=5e-5), STALENESS: noise(1.0, 0.05, least=0)},
    good={BEHAVE_KL: noise(3e-4, 1e-4, least=0), STALENESS: noise(1.0, 0.05, least=0)},
)
def rollout_training_mismatch(run: RowView) -> Floats:
    """Sampler and trainer give the sampled tokens different probabilities.

    Why it matters: The policy that is trained is then not the one that acts. Training on its samples is off-policy without
    saying so; it goes well for some hundred steps and then collapses.

    How it is measured: The divergence between sampler and trainer before the update, in nats a token: k3, else the size of the
    mean log ratio, which is nearly the same for small gaps; of that one standard error is taken off, from the variance 2 KL of a
    log ratio and the number of tokens. For samples of an older version what the step's own update moves is taken off too, where
    it shows: one version's age is no fault. The median of 10 rows is over the limit in 10 rows running.

    What it misses: Errors that both engines share, and trainers that overwrite the sampler's log-probabilities
    (off-policyness-unobservable). Where rejection drops the tail, the gap is larger than is said.

    Known false alarms: Asynchronous training, whose staleness is part of the gap; mixtures of experts, which run ten times
    higher by nature (Miles: 1e-3 to 1e-1); tokens of tools and environments that are not masked.

    Source: NeMo-RL (below 1e-3 acceptable); tinker (stable below 0.01); verl (rejection at 0.001 to 0.01, alert above 0.1);
    "When speed kills stability" (1e-2 to 1 untrainable); prime-rl's tests (0.01).
    """
    gap, during = run[GAP], run[POLICY_BEHAVE_KL]
    half = np.sqrt(0.5 / np.maximum(np.nan_to_num(run[N_VALID_TOKENS], nan=np.inf), 1.0))
    # The k with k + sqrt(2 k / n) = |mean log ratio|; k3 is as good as free of noise.
    sure = (np.sqrt(gap + half**2) - half) ** 2 if _is_mean_log_ratio(run) else gap
    own = np.fmax(during - gap - 2 * half * np.sqrt(np.maximum(during, 0.0)), 0.0)
    return np.maximum(np.where(run[STALENESS] > 0, sure - own, sure), FLOOR)
