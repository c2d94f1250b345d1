"""Rule value-loss-explosion."""

from __future__ import annotations

from ...authoring import Applies, Cause, Clue, Effect, Facts, Lower, Next, RowView, Set, Witness, above, rule, spiky, step_change
from ...detectors import Relative
from ...knobs.loss import GAMMA, REWARD_NORM, REWARD_SCALE, VALUE_CLIP
from ...knobs.optimizer import CRITIC_LR
from ...metrics.critic import CRITIC_LOSS, CRITIC_RETURNS, CRITIC_VALUE, EXPLAINED_VARIANCE
from ...metrics.rollout import EPISODE_RETURN
from ...metrics.update import GRAD_NORM
from ...model import Floats
from ..readings import REWARD
from .explained_variance_nonpositive import has_critic


def _applies(run: Facts) -> Applies:
    return has_critic(run, CRITIC_LOSS)


@rule(
    reads=(CRITIC_LOSS,),
    detector=Relative(window=10, skip=5, n0=20, least=5, hold=5),
    limits=(above(10, "error", "practice"),),
    message="Value loss is {value:num} times that of the start",
    label="Value loss over its start",
    unit="× the start",
    applies=_applies,
    log_onset=True,
    witnesses=(
        Witness(EXPLAINED_VARIANCE, "falls", "the critic explains less of the returns", "the critic still explains the returns"),
        Witness(CRITIC_RETURNS, "moves", "the targets changed with it"),
        Witness(GRAD_NORM, "rises", "gradients grow with it"),
        Witness(REWARD.options[0], "falls", "the reward falls"),
    ),
    causes=(
        Cause(
            "The scale of the reward changed, or single rewards are extreme",
            supports=(Clue(CRITIC_RETURNS, "moves", "the targets changed with it"),),
            against=(Clue(CRITIC_RETURNS, "steady", "the targets did not change"),),
        ),
        Cause(
            "The critic's learning rate is too high",
            supports=(
                Clue(CRITIC_VALUE, "moves", "its estimates ran away"),
                Clue(EXPLAINED_VARIANCE, "falls", "it explains less than before"),
            ),
        ),
        Cause(
            "Returns grow as the policy gets better, which is no fault",
            supports=(Clue(EPISODE_RETURN, "rises", "the return rises"),),
            against=(Clue(EPISODE_RETURN, "falls", "the return falls"),),
        ),
    ),
    remedies=(
        Lower(REWARD_SCALE, 10, "targets of the size of 1 are what the optimizer is set for"),
        Set(REWARD_NORM, "batch", "the scale of the reward then stays"),
        Set(VALUE_CLIP, 0.2, "one update cannot carry the estimate far", applicability="experiment"),
        Lower(CRITIC_LR, 3, "smaller steps of the critic"),
        Lower(GAMMA, 1.02, "a shorter horizon has smaller targets", applicability="experiment"),
    ),
    next=Next(
        "Plot value loss over the variance of the returns",
        "no run",
        (("it is steady", "the returns grew: normalise them"), ("it grows too", "the critic diverges: lower its learning rate")),
    ),
    explains=(Effect("gradient-spikes", (0, 50)), Effect("reward-collapse", (0, 100)), Effect("reward-not-increasing", (0, 10_000))),
    bad={CRITIC_LOSS: step_change(0.4, 9.0, at=60, sd=0.02)},
    good={CRITIC_LOSS: spiky(0.4, 8.0, (50, 70), spread=0.3)},
)
def value_loss_explosion(run: RowView) -> Floats:
    """The critic's loss grew to many times that of the start.

    Why it matters: Advantages are differences to the critic: where it diverges they are noise, gradients grow with its loss,
    and the policy follows.

    How it is measured: Median of 10 rows over the median of rows 6 to 25: more than tenfold for 5 rows. The loss has the
    square of the reward's unit, so no level can be judged.

    What it misses: A loss that was too high from the start, and one that fell far before it rose again to less than ten times
    the start.

    Known false alarms: Returns that grow tenfold let the loss grow a hundredfold while the critic is as good as ever: look at
    the explained variance. A reward whose scale is changed on purpose.

    Source: old TRL logging guide (it will spike when things do not go well); tenfold: practice.
    """
    return run[CRITIC_LOSS]
