"""The batch that was trained on."""

from __future__ import annotations

from .base import Metric, positive, share

TASK_REWARD = Metric("ppo_actor/task_reward", "Reward trained on", "mean reward of the trajectories actually trained on")
CORRECT_RATIO = share("ppo_actor/correct_ratio", "Rewarded responses", "share of trained sequences with a reward above 0")
ADVANTAGES = Metric("ppo_actor/advantages", "Advantage", "mean advantage")
KL_REWARDS = Metric(
    "ppo_actor/kl_rewards", "KL part of the reward", "what the KL penalty adds to a token's reward; never positive in the mean"
)
REF_KL = Metric("ppo_actor/ref_kl", "KL to the reference", "KL of the policy to the reference, per token", "nats", lo=0.0)
NO_EOS_RATIO = share("ppo_actor/no_eos_ratio", "Cut off before EOS", "share of responses cut off at the token limit")
SEQ_LEN = positive("ppo_actor/seq_len", "Sequence length", "mean prompt + response length", "tokens")
PROMPT_LEN = positive("ppo_actor/prompt_len", "Prompt length", "mean prompt length", "tokens")
CORRECT_SEQ_LEN = positive("ppo_actor/correct_seq_len", "Length when right", "mean length of sequences with a reward", "tokens")
INCORRECT_SEQ_LEN = positive("ppo_actor/incorrect_seq_len", "Length when wrong", "mean length of sequences without a reward", "tokens")
TRAINED_RESPONSE_LEN = positive("ppo_actor/trained_response_len", "Trained length", "mean response length after masks", "tokens")
N_SEQS = Metric("ppo_actor/n_seqs", "Sequences", "sequences of the update", lo=0.0)
N_VALID_TOKENS = positive("ppo_actor/n_valid_tokens", "Tokens trained on", "response tokens that carry loss", "tokens")
