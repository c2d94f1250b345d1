"""Rule decoupled-loss-without-correction."""

from __future__ import annotations

from ...authoring import (
    CannotTell,
    Cause,
    Clear,
    Effect,
    Example,
    Facts,
    Fired,
    Lower,
    Next,
    NotHere,
    Outcome,
    Set,
    constant,
    fact_rule,
    is_true,
)
from ...knobs import Knob
from ...knobs.offpolicy import BEHAVE_CAP, DECOUPLED_LOSS, MAX_STALENESS, OFF_POLICY_CORRECTION
from ...metrics.update import BEHAVE_IMP_WEIGHT, BEHAVE_KL, IMPORTANCE_WEIGHT, STALENESS
from ...remedies import written
from ...wording import number


def _setting(run: Facts, knob: Knob) -> str:
    entry = run.knobs[knob]
    return f"{entry.key or knob.name}={written(entry.value)}"


def _headline(age: float | None) -> str:
    old = f" to samples {number(age)} versions old" if age else ""
    return f"the decoupled loss applies no weight{old}"


@fact_rule(
    severities=("warning", "error"),
    causes=(Cause("The weight has a setting of its own, and it is off"),),
    remedies=(
        Set(OFF_POLICY_CORRECTION, "mask", "the behaviour weight is then applied and logged, with the guide's cap of 5"),
        Lower(MAX_STALENESS, 2, "less is then left uncorrected"),
    ),
    next=Next(
        "Switch the correction on and run 20 steps",
        "20 steps",
        (("the behaviour weight stays near 1", "little was lost so far"), ("it does not", "what was trained before was off-policy")),
    ),
    explains=(Effect("reward-not-increasing", (0, 10_000)), Effect("reward-collapse", (0, 10_000))),
    bad=Example({IMPORTANCE_WEIGHT: constant(1.0)}, {DECOUPLED_LOSS: True, OFF_POLICY_CORRECTION: None, MAX_STALENESS: 8}),
    good=Example({BEHAVE_IMP_WEIGHT: constant(1.0)}, {DECOUPLED_LOSS: True, OFF_POLICY_CORRECTION: "mask", BEHAVE_CAP: 5.0}),
)
def decoupled_loss_without_correction(run: Facts) -> Outcome:
    """The loss is decoupled, and the weight that this is for is not applied.

    Why it matters: The decoupled loss clips around the trainer's own policy, so nothing but the behaviour weight corrects for
    samples of an older one. Without it the run is off-policy and uncorrected, and the weight is not logged either.

    How it is measured: From the settings: the decoupled loss is on and the correction is known to be off. It is a warning where
    sampling and training take turns, since the engines' own difference alone is then left uncorrected.

    What it misses: Trainers whose settings are not known.

    Known false alarms: A correction that the user's own loss applies.

    Source: AReaL 1.0.4 (functional.py: with rejection_sampling null, its default, the weight is neither applied nor logged; up to
    1.0.0 a null cap meant applied and uncapped); AReaL's guide (the loss holds the weight, with a cap of 5).
    """
    decoupled = is_true(run, DECOUPLED_LOSS)
    if decoupled is False:
        return NotHere("the loss is not decoupled")
    if run.knobs.value(OFF_POLICY_CORRECTION) or run.has(BEHAVE_IMP_WEIGHT):
        return Clear(run.first)
    if decoupled is None:
        return CannotTell("whether the loss is decoupled is not known", give=f"give {DECOUPLED_LOSS.name}, or the configuration")
    if OFF_POLICY_CORRECTION not in run.knobs:
        give = f"give {OFF_POLICY_CORRECTION.name}, or the configuration"
        return CannotTell("whether a behaviour weight is applied is not known", (BEHAVE_IMP_WEIGHT,), give)
    age = run.value(STALENESS) if run.has(STALENESS) else None
    bound = run.knobs.number(MAX_STALENESS)
    evidence: list[tuple[str, str | None, str]] = [("confirms", None, f"{run.key(BEHAVE_IMP_WEIGHT)} is not logged")]
    evidence += [("confirms", run.key(STALENESS), f"{number(age)} versions between sampling and training")] if age else []
    gap = run.value(BEHAVE_KL)
    evidence += [("context", run.key(BEHAVE_KL), f"{number(gap)} nats a token from the sampler")] if gap is not None else []
    return Fired(
        "warning" if bound == 0 and not age else "error",
        _headline(age or bound),
        measured=written(run.knobs.value(OFF_POLICY_CORRECTION)),
        evidence=tuple(evidence),
        config=tuple(_setting(run, knob) for knob in (DECOUPLED_LOSS, OFF_POLICY_CORRECTION, MAX_STALENESS) if knob in run.knobs),
        metric=BEHAVE_IMP_WEIGHT,
    )
