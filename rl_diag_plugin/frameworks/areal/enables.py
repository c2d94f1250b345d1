"""What to switch on in AReaL for a metric that a run does not log."""

from __future__ import annotations

from ...metrics import Metric
from ...metrics import actor as A
from ...metrics import critic as C
from ...metrics import rollout as R
from ...metrics import update as U
from ...model import Enabling


def _key(text: str, key: str, value: str, shows: str, cost: str = "", copy: str | None = None) -> Enabling:
    return Enabling(text, key, value, None, copy or f"{key}={value}", cost, shows)


_EVALUATE = _key(
    "evaluate on held-out data every 10 steps",
    "evaluator.freq_steps",
    "10",
    "whether it learns more than its data",
    "one evaluation every 10 steps",
)
# The sub-keys cannot be set on their own while the section is null.
_CORRECT = _key(
    "set actor.rejection_sampling, so that the behave weight is applied and logged", "actor.rejection_sampling.upper", "5.0",
    "the gap between sampler and trainer", "", "rejection_sampling: {action: mask, metric: ratio, upper: 5.0}",
)  # fmt: skip
_DECOUPLE = _key(
    "keep the sampler's log-probabilities apart from the proximal ones", "actor.use_decoupled_loss", "true",
    "the gap between sampler and trainer", "one forward pass a step",
)  # fmt: skip
_EOS = Enabling("log the true EOS flag from the rollout workflow", cost="one line in the workflow", shows="how many responses are cut off")
_REFERENCE = Enabling(
    "load a reference model: ref section, actor.kl_ctl above 0", cost="a second model", shows="the distance from the base model"
)
_DUMP = _key("dump the trajectories", "rollout.dump_to_file", "true", "lengths and rewards of each sample", "disk space")
_GROUPS = Enabling(
    "log the spread of each group's rewards from the rollout workflow", cost="one line in the workflow", shows="groups without signal"
)
_SESSIONS = _key(
    "trace the rollout sessions", "perf_tracer.session_tracer.enabled", "true", "accepted, rejected and failed rollouts", "a file a rank"
)
_CRITIC = Enabling(
    "call critic.export_stats() in the training script and log it", cost="one line in the script", shows="the critic's loss and values"
)

_BY_METRIC: dict[Metric, Enabling] = {
    R.EVAL_REWARD: _EVALUATE,
    A.NO_EOS_RATIO: _EOS,
    A.REF_KL: _REFERENCE,
    U.BEHAVE_IMP_WEIGHT: _CORRECT,
    U.BEHAVE_IMP_WEIGHT.min: _CORRECT,
    U.BEHAVE_IMP_WEIGHT.max: _CORRECT,
    U.BEHAVE_APPROX_KL: _CORRECT,
    U.BEHAVE_MASKED_RATIO: _CORRECT,
    U.BEHAVE_KL: _DECOUPLE,
    U.POLICY_BEHAVE_KL: _DECOUPLE,
    R.GROUP_REWARD_STD: _GROUPS,
    R.ZERO_VARIANCE_RATIO: _GROUPS,
    R.ALL_CORRECT_RATIO: _GROUPS,
    R.ALL_WRONG_RATIO: _GROUPS,
    R.REWARD_STD: _DUMP,
    R.REPETITION_RATIO: _DUMP,
    R.EMPTY_RATIO: _DUMP,
    R.UNIQUE_RATIO: _DUMP,
    R.ACCEPT_RATIO: _SESSIONS,
    R.ERROR_RATIO: _SESSIONS,
    C.CRITIC_LOSS: _CRITIC,
    C.CRITIC_VALUE: _CRITIC,
    C.CRITIC_RETURNS: _CRITIC,
    C.CRITIC_CLIP_RATIO: _CRITIC,
    C.TIME_REWARD: _SESSIONS,
}

ENABLES: dict[str, Enabling] = {metric.name: enabling for metric, enabling in _BY_METRIC.items()}
