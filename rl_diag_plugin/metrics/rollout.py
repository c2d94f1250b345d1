"""What was sampled: rewards, groups, lengths and the environment."""

from __future__ import annotations

from .base import Metric, positive, share

ROLLOUT_REWARD = Metric("rollout/reward", "Reward", "mean raw task reward of all finished rollouts, before filtering")
EVAL_REWARD = Metric("eval-rollout/reward", "Held-out reward", "mean held-out reward or accuracy")
REWARD_STD = positive("rollout/reward/std", "Reward spread", "standard deviation of the reward over all sequences of the batch")
REWARD_MIN = Metric("rollout/reward/min", "Reward, min", "smallest reward of the batch")
REWARD_MAX = Metric("rollout/reward/max", "Reward, max", "largest reward of the batch")
GROUP_REWARD_STD = positive(
    "rollout/group_reward_std", "Spread within groups", "mean standard deviation of the reward within a prompt's group"
)
EPISODE_RETURN = Metric("rollout/episode_return", "Episode return", "mean return of finished episodes of a classic environment")
REWARD_CLIP_RATIO = share("rollout/reward_clip_ratio", "Rewards at a clip bound", "share of rewards at a clip bound")
REWARD_ERROR_RATIO = share("rollout/reward_error_ratio", "Failed reward calls", "share of reward calls that failed")
ZERO_VARIANCE_RATIO = share("rollout/zero_variance_ratio", "Groups without spread", "share of prompt groups whose rewards are all equal")
ALL_CORRECT_RATIO = share("rollout/all_correct_ratio", "Groups all right", "share of groups in which every answer is right")
ALL_WRONG_RATIO = share("rollout/all_wrong_ratio", "Groups all wrong", "share of groups in which no answer is right")
ACCEPT_RATIO = share("rollout/accept_ratio", "Groups accepted", "share of groups kept by the dynamic filter")
GENERATION_ROUNDS = Metric("rollout/generation_rounds", "Generation rounds", "generation rounds needed for one step", lo=1.0)
DISCARDED_VALID = positive("rollout/discarded_valid", "Valid groups discarded", "valid groups thrown away")
RESPONSE_LEN = positive("rollout/response_len", "Response length", "mean response length", "tokens")
PROMPT_CLIP_RATIO = share("rollout/prompt_clip_ratio", "Prompts cut off", "share of prompts at the maximal length")
REPETITION_RATIO = share("rollout/repetition_ratio", "Looping outputs", "share of outputs that loop")
EMPTY_RATIO = share("rollout/empty_ratio", "Empty outputs", "share of empty or aborted outputs")
UNIQUE_RATIO = share("rollout/unique_ratio", "Unique answers", "share of unique answers in a group")
ERROR_RATIO = share("rollout/error_ratio", "Environment errors", "share of episodes that failed in the environment")
TURNS = Metric("rollout/turns", "Turns", "mean turns of an episode", lo=0.0)
TURNS_AT_MAX_RATIO = share("rollout/turns_at_max_ratio", "Episodes at turn limit", "share of episodes that reached the turn limit")
RESETS = positive("rollout/resets", "Resets", "environment resets in a step")
TOOL_FAILURE_RATIO = share("rollout/tool_failure_ratio", "Failed tool calls", "share of tool calls that failed")
TOOL_CALLS = positive("rollout/tool_calls", "Tool calls", "tool calls per sample")
PASS_AT_K = share("eval-rollout/pass_at_k", "Held-out pass@k", "share of questions with a right answer among k")
PASS_AT_1 = share("eval-rollout/pass_at_1", "Held-out pass@1", "share of questions answered right at the first try")
