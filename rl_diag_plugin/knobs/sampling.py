"""What is sampled, and how."""

from __future__ import annotations

from .base import Knob

ROLLOUT_BATCH_SIZE = Knob("rollout_batch_size", "prompts per rollout")
GROUP_SIZE = Knob("group_size", "samples per prompt")
MAX_NEW_TOKENS = Knob("max_new_tokens", "generation limit, tokens")
MAX_PROMPT_LENGTH = Knob("max_prompt_length", "longest prompt, tokens")
MAX_TOTAL_LENGTH = Knob("max_total_length", "prompt + completion, tokens")
TEMPERATURE = Knob("temperature", "sampling temperature")
DYNAMIC_FILTER = Knob("dynamic_filter", "groups without signal leave the batch")
FILTER_ROUNDS = Knob("filter_rounds", "sampling rounds to fill a filtered batch")
NUM_ENVS = Knob("num_envs", "environments in parallel")
LEARNER_TEMPERATURE = Knob("learner_temperature", "temperature at which the trainer scores the samples")
