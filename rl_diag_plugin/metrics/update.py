"""The policy update: ratios, divergences, entropy, gradients."""

from __future__ import annotations

from .base import Metric, positive, share

U = "ppo_actor/update/"

ENTROPY = positive(U + "entropy", "Entropy", "mean token entropy of the policy", "nats")
IMPORTANCE_WEIGHT = positive(
    U + "importance_weight", "Importance weight", "mean of pi_theta / pi_proximal over the tokens that are kept; 1 in expectation"
)
APPROX_KL = positive(U + "approx_kl", "Size of the update", "|mean log ratio| of the update, per token", "nats")
CLIP_RATIO = share(U + "clip_ratio", "Clipped tokens", "share of tokens where the clip binds")
CLIP_RATIO_LOW = share(U + "clip_ratio_low", "Clipped below", "share of tokens clipped at the lower bound")
CLIP_RATIO_HIGH = share(U + "clip_ratio_high", "Clipped above", "share of tokens clipped at the upper bound")
DUAL_CLIP_RATIO = share(U + "dual_clip_ratio", "Dual-clipped tokens", "share of tokens at the dual-clip bound")
BEHAVE_IMP_WEIGHT = positive(U + "behave_imp_weight", "Behaviour weight", "mean of pi_proximal / pi_behave; 1 in expectation, uncut")
BEHAVE_ESS = share(U + "behave_ess", "Effective sample share", "effective sample size of the behaviour weights, as a share")
BEHAVE_OVER_CAP_RATIO = share(U + "behave_over_cap_ratio", "Weights over the cap", "share of behaviour weights above the cap")
BEHAVE_MASKED_RATIO = share(U + "behave_masked_ratio", "Tokens rejected", "share of tokens removed by rejection")
BEHAVE_KL = positive(U + "behave_kl", "Sampler–trainer KL", "k3 estimate of the KL between sampler and trainer, per token", "nats")
BEHAVE_APPROX_KL = positive(U + "behave_approx_kl", "Sampler–trainer KL", "|mean log ratio| between sampler and trainer, per token", "nats")
POLICY_BEHAVE_KL = positive(
    U + "policy_behave_kl",
    "Policy–sampler KL",
    "k3 of the current policy against the sampler: staleness, mismatch and this step's own update",
    "nats",
)
BEHAVE_PROB_DIFF = share(U + "behave_prob_diff", "Probability difference", "mean |difference of probabilities| between sampler and trainer")
BEHAVE_LOGP_DIFF = positive(
    U + "behave_logp_diff", "Log-prob difference", "mean |difference of log-probabilities| between sampler and trainer", "nats"
)
BEHAVE_MULT_PROB_ERROR = Metric(U + "behave_mult_prob_error", "Multiplicative error", "mean exp |difference of log-probabilities|", lo=1.0)
BEHAVE_PROB_CORRELATION = Metric(
    U + "behave_prob_correlation", "Probability correlation", "correlation of token probabilities", lo=-1.0, hi=1.0
)
BEHAVE_CHI2 = Metric(U + "behave_chi2", "Chi-square", "E[w^2] - 1 of the behaviour weights")
TRAIN_PERPLEXITY = Metric(U + "train_perplexity", "Trainer perplexity", "trainer's perplexity of the sampled text", lo=1.0)
ROLLOUT_PERPLEXITY = Metric(U + "rollout_perplexity", "Sampler perplexity", "sampler's perplexity of its own text", lo=1.0)
STALENESS = positive(U + "staleness", "Staleness", "versions between sampling and training, mean over tokens", "versions")
GRAD_NORM = positive(U + "grad_norm", "Gradient norm", "global gradient norm before clipping")
LR = positive(U + "lr", "Learning rate", "learning rate of the update")
UPDATE_SUCCESSFUL = share(U + "update_successful", "Optimizer steps taken", "share of optimizer steps that were taken")
ACTOR_LOSS = Metric(U + "actor_loss", "Policy loss", "surrogate loss; has no diagnostic value by itself")
