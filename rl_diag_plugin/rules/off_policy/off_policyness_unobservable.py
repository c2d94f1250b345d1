"""Rule off-policyness-unobservable."""

from __future__ import annotations

from ...authoring import CannotTell, Cause, Clear, Example, Facts, Fired, Lower, Next, NotHere, Outcome, Set, constant, fact_rule, is_true
from ...knobs import Knob
from ...knobs.offpolicy import ASYNCHRONOUS, DECOUPLED_LOSS, MAX_STALENESS, RECOMPUTE_LOGPROB
from ...metrics.update import APPROX_KL, BEHAVE_APPROX_KL, BEHAVE_IMP_WEIGHT, BEHAVE_KL, IMPORTANCE_WEIGHT, STALENESS
from ...remedies import written
from ...wording import number

_GAP = (BEHAVE_KL, BEHAVE_APPROX_KL, BEHAVE_IMP_WEIGHT)
_SHOWN = (IMPORTANCE_WEIGHT, APPROX_KL, BEHAVE_KL)


def _hides(run: Facts) -> bool | None:
    """Whether the sampler's log-probabilities are overwritten; None where it is not known."""
    if all(metric.name in run.blind for metric in _GAP):
        return True
    if any(run.has(metric) and metric.name not in run.blind for metric in _GAP):
        return False
    decoupled, recompute = is_true(run, DECOUPLED_LOSS), is_true(run, RECOMPUTE_LOGPROB)
    if decoupled is True or recompute is False:
        return False
    return True if decoupled is False and recompute is True else None


def _age(run: Facts) -> float | None:
    """How old samples are, or may be: the last logged age where one was ever above 0, else the bound."""
    known = run.series.get(STALENESS.name)
    if known is not None and known.high:
        return known.value
    bound = run.knobs.number(MAX_STALENESS)
    return 1.0 if bound is None and is_true(run, ASYNCHRONOUS) else bound


def _setting(run: Facts, knob: Knob) -> str:
    entry = run.knobs[knob]
    return f"{entry.key or knob.name}={written(entry.value)}"


@fact_rule(
    severities=("warning",),
    causes=(Cause("The trainer's log-probabilities take the place of the sampler's"),),
    remedies=(
        Set(DECOUPLED_LOSS, True, "the sampler's log-probabilities are then kept, compared and corrected for"),
        Set(RECOMPUTE_LOGPROB, False, "the importance weight then shows the mismatch (with one minibatch)"),
        Lower(MAX_STALENESS, 2, "there is then less that cannot be seen"),
    ),
    next=Next(
        "Run 20 steps with the decoupled loss from the same checkpoint",
        "20 steps, one forward pass more in each",
        (("the behaviour weight stays near 1", "the samples are close enough"), ("it does not", "lower the staleness, cap the weight")),
    ),
    bad=Example({STALENESS: constant(8.0)}, {DECOUPLED_LOSS: False, RECOMPUTE_LOGPROB: True, MAX_STALENESS: 8}),
    good=Example({BEHAVE_KL: constant(2e-4)}, {DECOUPLED_LOSS: True, RECOMPUTE_LOGPROB: True, MAX_STALENESS: 8}),
)
def off_policyness_unobservable(run: Facts) -> Outcome:
    """The settings make every off-policy metric read perfect, whatever the samples are.

    Why it matters: Ratios of exactly 1 and divergences of exactly 0 look like health. Here they are made so: the trainer's
    log-probabilities overwrite the sampler's, the loss does not correct for old samples, and no curve will show it.

    How it is measured: From the settings: no decoupled loss, log-probabilities scored again by the trainer, and samples that may
    be old; or from the trainer's own description of which keys cannot move.

    What it misses: Trainers whose settings are not known.

    Known false alarms: None known; a synchronous run of a dense model has nothing to hide and is left out.

    Source: AReaL 1.0.4 with use_decoupled_loss false and recompute_logprob true (recorded: all ratios 1 at an age of 8
    versions); AReaL issue 201.
    """
    hides, age = _hides(run), _age(run)
    if hides is False:
        return Clear(run.first, "the gap between sampler and trainer is logged or kept")
    if age == 0:
        return NotHere("sampling and training take turns: no sample is old")
    if hides is None:
        give = f"give {DECOUPLED_LOSS.name} and {RECOMPUTE_LOGPROB.name}, or the configuration"
        return CannotTell("whether the sampler's log-probabilities are kept is not known", (BEHAVE_KL,), give)
    if age is None:
        return CannotTell("how old samples may be is not known", (STALENESS,), f"give {MAX_STALENESS.name}, or the configuration")
    seen = run.has(STALENESS)
    blind = ", ".join(run.key(metric) for metric in _SHOWN if metric.name in run.blind or run.has(metric))
    evidence: list[tuple[str, str | None, str]] = []
    if seen:
        evidence.append(("confirms", run.key(STALENESS), f"{number(age)} versions: this key alone still tells"))
    if blind:
        evidence.append(("context", None, f"cannot move: {blind}"))
    settings = tuple(_setting(run, knob) for knob in (DECOUPLED_LOSS, RECOMPUTE_LOGPROB, MAX_STALENESS) if knob in run.knobs)
    old = f"samples are {number(age)} versions old" if seen else f"up to {number(age)} versions are allowed"
    return Fired(
        "warning",
        f"off-policyness cannot be seen: {old}",
        measured=f"{number(age)} versions" if seen else "",
        evidence=tuple(evidence),
        config=settings,
        metric=STALENESS if seen else None,
    )
