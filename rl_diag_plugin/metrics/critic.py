"""The critic, and where the time goes."""

from __future__ import annotations

from .base import Metric, positive, share

CRITIC_LOSS = positive("ppo_critic/update/critic_loss", "Value loss", "critic loss")
EXPLAINED_VARIANCE = Metric("ppo_critic/explained_variance", "Explained variance", "1 - Var(returns - values) / Var(returns)", hi=1.0)
CRITIC_CLIP_RATIO = share("ppo_critic/update/clip_ratio", "Clipped values", "share of values where the value clip binds")
CRITIC_VALUE = Metric("ppo_critic/value", "Value", "mean value estimate")
CRITIC_RETURNS = Metric("ppo_critic/returns", "Returns", "mean critic target")
Q_VALUE = Metric("ppo_critic/q_value", "Q value", "mean Q estimate")

TOKENS_PER_SECOND = positive("timeperf/tokens_per_second", "Tokens a second", "throughput", "tokens/s")
TIME_STEP = positive("timeperf/step", "Time a step", "duration of a training step", "s")
TIME_ROLLOUT = positive("timeperf/rollout", "Time for rollouts", "time for generation, or waited for it", "s")
TIME_WAIT_BATCH = positive("timeperf/wait_batch", "Trainer waits", "time the trainer waits for data", "s")
TIME_WAIT_POLICY = positive("timeperf/wait_policy", "Sampler waits", "time the sampler waits for weights", "s")
TIME_UPDATE_WEIGHTS = positive("timeperf/update_weights", "Weight sync", "time to send weights to the sampler", "s")
TIME_REWARD = positive("timeperf/reward", "Time for rewards", "time of reward calls", "s")
