"""Rule reward-collapse."""

from __future__ import annotations

import numpy as np

from ...authoring import Advice, Cause, Clue, Effect, Found, Lower, Next, RowView, Witness, loses, rule
from ...detectors import Drawdown
from ...knobs.logging import CHECKPOINT_INTERVAL
from ...knobs.optimizer import LR
from ...metrics.actor import KL_REWARDS, NO_EOS_RATIO
from ...metrics.rollout import EVAL_REWARD, RESPONSE_LEN, ROLLOUT_REWARD
from ...metrics.update import BEHAVE_KL, ENTROPY, GRAD_NORM
from ...model import Floats
from ...wording import number, step_text
from ..readings import REWARD


def _says(found: Found) -> str:
    best = found.facts.get("best")
    if not found.active or best is None:
        return f"Reward fell and came back: it was low until step {step_text(found.last)}"
    return f"Reward fell from {number(best)} at its best to {number(found.value)}"


def _rise(n: int, fall: float = 0.0, at: int = 60, seed: int = 0) -> Floats:
    """A reward that saturates, with the noise of 128 samples, and loses ``fall`` at a row."""
    t = np.arange(n)
    p = np.clip(0.3 + 0.6 * (1 - np.exp(-t / 20)) - fall * (t >= at), 0.0, 1.0)
    return np.random.default_rng(seed).binomial(128, p) / 128


@rule(
    reads=(REWARD,),
    detector=Drawdown(hold=5),
    limits=(
        loses(0.3, "error", "simulation", se=9.0),
        loses(0.5, "critical", "simulation", se=10.0),
    ),
    message=_says,
    witnesses=(
        Witness(EVAL_REWARD, "falls", "the held-out reward falls too", "the held-out reward does not fall: look at the verifier"),
        Witness(NO_EOS_RATIO, "rises", "more responses are cut off"),
        Witness(ENTROPY, "moves", "entropy moves with it"),
        Witness(GRAD_NORM, "rises", "gradients grow with it"),
    ),
    causes=(
        Cause(
            "The verifier broke: every response gets the same reward",
            rule="reward-constant",
            supports=(Clue(ENTROPY, "steady", "entropy did not move with it"), Clue(GRAD_NORM, "falls", "the gradient is gone")),
        ),
        Cause(
            "Responses are cut off at the limit",
            rule="truncated-responses",
            supports=(Clue(NO_EOS_RATIO, "rises", "more responses are cut off"), Clue(RESPONSE_LEN, "rises", "responses grew")),
        ),
        Cause(
            "A KL term without a reference pays for length",
            rule="kl-penalty-positive",
            supports=(Clue(RESPONSE_LEN, "rises", "responses grew"),),
        ),
        Cause(
            "Sampler and trainer disagree",
            rule="rollout-training-mismatch",
            supports=(Clue(BEHAVE_KL, "rises", "the gap to the sampler grew with it"), Clue(GRAD_NORM, "rises", "gradients grew")),
        ),
        Cause("Samples are too old", rule="stale-rollouts"),
        Cause(
            "The updates are too large",
            rule="update-too-large",
            supports=(Clue(GRAD_NORM, "rises", "gradients grew"),),
        ),
        Cause("The policy has no randomness left", rule="entropy-collapse", supports=(Clue(ENTROPY, "falls", "entropy fell with it"),)),
    ),
    remedies=(
        Advice("stop, and go back to the last checkpoint before the onset", "collapsed policies often cannot be rescued (GSPO)"),
        Advice("mend the earliest finding above this one first", "a fall of the reward is a consequence"),
        Lower(LR, 2, "where nothing else is found: smaller steps from the checkpoint", applicability="experiment"),
        Lower(CHECKPOINT_INTERVAL, 2, "so that there is a checkpoint close before the next onset", least=1),
    ),
    next=Next(
        "Score 64 stored responses from before and after the onset again",
        "offline, no training",
        (
            ("both score alike now", "the verifier failed then: mend it, go on from the checkpoint"),
            ("the later ones are worse", "the policy changed: look for what moved first"),
        ),
    ),
    explains=(Effect("reward-not-increasing", (0, 10_000)),),
    bad={ROLLOUT_REWARD: _rise(120, 0.6), KL_REWARDS: np.zeros(120)},
    good={ROLLOUT_REWARD: _rise(120)},
)
def reward_collapse(run: RowView) -> Floats:
    """The reward fell far below its best.

    Why it matters: What had been learnt is lost, and the run goes on to pay for it. Weights from after the onset are rarely of
    use again.

    How it is measured: Mean of 10 rows against the best such mean so far. It fires where the drop is more than 9 standard
    errors and 30 percent of what had been gained since the start (10 and 50 percent: critical), for 5 rows. The noise is
    measured before the best row, corrected for autocorrelation, so that no collapse hides itself.

    What it misses: A fall that is over within 10 rows or so, a run that never gained 6 standard errors over its start, and anything
    before row 30.

    Known false alarms: A harder stage of a curriculum, another reward function or data set from a step on, a filter that is
    switched on. Then the fall is real and meant.

    Source: practice, calibrated (8 errors, 10 rows); 9 errors for 5 rows alarm as rarely and 5 rows sooner: AR(1) noise, gains of
    0, 2 and 4 standard deviations, 0 to 2 of 150 runs of 1,000 rows, 0 of 50 of 10,000. The phenomenon: GSPO section 1,
    ScaleRL A.15.
    """
    return run[REWARD]
