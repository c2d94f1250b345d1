"""Sample reports of many runs."""

from __future__ import annotations

from typing import Any

from rl_diag_plugin.model import Onset, Report
from rl_diag_plugin.sinks.failed import Failed

from .parts import REWARD, counts, exactly, finding, lasting, over, recorded, report, series, trace

# run, severity, onset (None: from the configuration), rule, findings that follow, headline
BAD: tuple[tuple[str, str, int | None, str, int, str], ...] = (
    ("nan_gradient", "critical", 40, "non-finite-metric", 0, "The gradient norm is NaN at step 40: all weights are NaN since"),
    ("verifier_breaks_40", "critical", 40, "reward-constant", 3, "Every response of the batch scores 0 since step 40"),
    ("entropy_collapse", "critical", 20, "truncated-responses", 0, "100 % of the responses are cut off at 16 tokens"),
    ("lr_x100", "critical", 5, "entropy-collapse", 1, "Entropy fell to 0 by step 12: every response is the end token alone"),
    ("length_growth", "critical", 3, "length-growth", 2, "Responses grew from 6.8 to 16 tokens, the limit, while the reward rose to 2.0"),
    ("all_wrong", "critical", 1, "reward-constant", 1, "Every response scores 0 in 99 of 100 steps"),
    ("constant_reward", "critical", 1, "reward-constant", 1, "Every response scores 1"),
    ("constant_reward_beta", "critical", 1, "reward-constant", 1, "Every response scores 1"),
    ("rloo_constant_reward", "critical", 1, "reward-constant", 1, "Every response scores 1"),
    ("truncated_all", "critical", 1, "truncated-responses", 1, "100 % of the responses are cut off at 1 tokens"),
    ("truncated_masked", "critical", 1, "truncated-responses", 0, "21 % of the responses are cut off at 2 tokens"),
    ("rloo_verifier_breaks_40", "error", 40, "reward-constant", 0, "Every response scores 0 since step 40"),
    ("kl_explosion", "error", 2, "reference-kl-explosion", 1, "KL to the reference rose from 0 to 8.45 nats a token within 3 steps"),
    ("kl_explosion_uncorrected", "error", 2, "reference-kl-explosion", 0, "KL to the reference is 324 nats a token at step 2"),
    ("lr_0", "error", 1, "learning-rate-zero", 1, "The learning rate is 0 in all 100 steps"),
    ("k_nors", "error", None, "decoupled-loss-without-correction", 0, "The decoupled loss runs without its correction"),
    ("none_reward_second", "warning", 35, "length-collapse", 0, "Responses shrank from 6.8 to 2.0 tokens"),
    (
        "truncated_learns_short", "warning", 1, "truncated-responses", 0,
        "Nearly every response was cut off at 3 tokens; the policy then learned to answer within 3",
    ),
    ("k_recomp", "warning", None, "off-policyness-unobservable", 0, "Every off-policy metric reads perfect by construction"),
)  # fmt: skip
OVER = ("nan_reward", "dpo_spike", "loss_jump", "resumed_late")
CANNOT_TELL = ("k_mn4", "k_sapo", "k_gspo")
HEALTHY = (
    *("healthy_accumulation4", "healthy_beta", "healthy_entropy_bonus", "healthy_eval_log5", "healthy_loss_cispo", "healthy_loss_dr_grpo"),
    *("healthy_loss_grpo", "healthy_off_policy_8", "healthy_rloo", "healthy_s0", "healthy_s1", "healthy_s2", "healthy_s3", "healthy_s4"),
)


def forty() -> list[Report]:
    return [
        *(bad(*row) for row in BAD),
        *(passed(name) for name in OVER),
        *(few(name, verdict="cannot-tell", summary="Too early (3 rows).", counts=counts(5, 31)) for name in CANNOT_TELL),
        *(report(name, verdict="healthy", counts=counts(26, 11), traces={REWARD: series("healthy_s0", "reward")}) for name in HEALTHY),
    ]


def bad(run: str, severity: str, onset: int | None, rule: str, follow: int, headline: str) -> Report:
    if onset is None:
        found = finding(rule, severity, headline, onset=Onset(None, None, None, "config"))
        return few(run, verdict=verdict(severity), rank=severity, findings=(found,), counts=counts(5, 31, **{severity: 1}))
    found = finding(
        rule,
        severity,
        headline,
        onset=exactly(onset),
        episodes=lasting(onset, onset, severity),
        follows=tuple(f"consequence-{i}" for i in range(1, follow + 1)),
    )
    crashed = run == "nan_gradient"
    return report(
        run,
        verdict=verdict(severity),
        rank=severity,
        findings=(found,),
        counts=counts(22, 15, follow=follow, **{severity: 1}),
        state="stopped" if crashed else "finished",
        steps=(1, 40) if crashed else (1, 100),
        rows=40 if crashed else 100,
        traces={REWARD: series(run, "reward")},
    )


def verdict(severity: str) -> str:
    return "watch" if severity == "warning" else "unhealthy"


def passed(run: str) -> Report:
    onset = 60 if run == "nan_reward" else 50
    found = finding(
        "non-finite-metric",
        "error",
        f"No response was scored at step {onset}",
        active=False,
        onset=exactly(onset),
        episodes=(over(onset, onset, "error"),),
    )
    name = run if run in recorded() else "healthy_s0"
    return report(run, verdict="watch", findings=(found,), counts=counts(25, 15, over=1), traces={REWARD: series(name, "reward")})


def few(run: str, **given: Any) -> Report:
    return report(run, **({"steps": (0, 2), "rows": 3, "planned": 3, "traces": {REWARD: trace([0.125, 0.0, 0.0625], 0)}} | given))


def chinese() -> list[Report]:
    rows = (
        ("数学推理_验证器故障", "verifier_breaks_40"),
        ("实验_KL爆炸_学习率过大_第三次重跑", "kl_explosion"),
        ("截断_短答案", "truncated_learns_short"),
    )
    table = {row[0]: row for row in BAD}
    made = []
    for name, recorded_as in rows:
        one = bad(*table[recorded_as])
        made.append(
            report(name, **{f: getattr(one, f) for f in ("verdict", "rank", "findings", "counts", "traces")}, path=f"./实验/{name}")
        )
    return [*made, report("健康对照", verdict="healthy", counts=counts(26, 11), path="./实验/健康对照")]


FAILED = (
    Failed("./logs/a/trainer_state.json", "lfs", "is a Git LFS pointer", "git lfs pull"),
    Failed("./logs/d/trainer_state.json", "lfs", "is a Git LFS pointer", "git lfs pull"),
    Failed("./logs/b/events.out.tfevents.1", "no-scalars", "holds no scalars (12 images, 3 texts)"),
    Failed("./logs/e/events.out.tfevents.1", "no-scalars", "holds no scalars (2 images)"),
    Failed("./logs/c/run.wandb", "empty", "is empty: a header only, no record"),
)
