"""Sample reports of single runs with a finding in their series."""

from __future__ import annotations

from rl_diag_plugin.model import Confidence, Episode, Onset, Report

from .parts import (
    BLIND,
    REWARD,
    advice,
    attempt,
    cause,
    code,
    counts,
    drawn,
    exactly,
    finding,
    lasting,
    limit,
    report,
    rolling,
    seen,
    series,
    setting,
)


def verifier_breaks() -> Report:
    run = "verifier_breaks_40"
    kept = {
        REWARD: "reward",
        "rollout/reward/std": "reward_std",
        "ppo_actor/update/grad_norm": "grad_norm",
        "ppo_actor/update/entropy": "entropy",
        "rollout/response_len": "completions/mean_length",
        "ppo_actor/no_eos_ratio": "completions/clipped_ratio",
    }
    traces = {metric: series(run, key) for metric, key in kept.items()}
    spread = traces["signal:reward-constant"] = traces["rollout/reward/std"]
    found = finding(
        "reward-constant",
        "critical",
        "Every response of the batch scores 0 since step 40",
        own="error",
        onset=exactly(40),
        episodes=lasting(40, 49, "error"),
        metric="rollout/reward/std",
        key="reward_std",
        measured="0 in 61 of 61 rows; 0.47 on average in the 39 before",
        limits=(limit(0.0, "0", "error", "10 rows at exactly 0 · logic", side="below"),),
        statistic=drawn("signal:reward-constant", "", spread.mean),
        evidence=(
            seen("confirms", REWARD, "reward", "0.562 at step 39, 0 at step 40: one step, not a slope"),
            seen("confirms", "ppo_actor/update/grad_norm", "grad_norm", "exactly 0 in 61 of 61 rows", 2),
            seen("against", "ppo_actor/update/entropy", "entropy", "1.97 → 1.79: goes on as before; the policy has not collapsed", 3),
            seen("against", "rollout/response_len", "completions/mean_length", "5.81 → 5.12 tokens: goes on as before", 4),
            seen("against", "ppo_actor/no_eos_ratio", "completions/clipped_ratio", "0 % in all rows: not truncation", 5),
        ),
        remedies=(
            advice("Stop the run", "61 steps without a gradient; AdamW moves the weights on by momentum alone"),
            code(
                "raise in right_answer() where no verdict was reached, instead of returning 0",
                "TRL takes a 0 for a verdict; it leaves out None",
            ),
            setting(
                "save_steps", "500", "20", "safe",
                "no checkpoint was written before the onset; the next run can be resumed from just before a failure",
            ),
        ),
        causes=(
            cause(
                1, "The verifier fails and returns 0",
                ["reward falls within one step; entropy and length unchanged"], [], ["verifier/error_ratio is not logged"],
            ),
            cause(2, "The policy collapsed", [], ["entropy 1.97 → 1.79", "length 5.8 → 5.1", "no response cut off"]),
        ),
        next=attempt(
            "Score the responses of step 39 again, offline", "no GPU, 64 responses",
            ("about 36 of 64 are right", "the verifier failed at step 40"),
            ("none is right", "the scoring code changed before step 40"),
        ),
        follows=("reward-collapse", "zero-variance-groups", "zero-gradient-steps"),
    )  # fmt: skip
    return report(
        run,
        rank="critical",
        summary="Every response scores 0 since step 40. Nothing has been learned in the 61 steps since.",
        counts=counts(22, 15, critical=1, follow=3),
        findings=(found, *(finding(rule, "error", rule, symptom_of=found.id, onset=exactly(40)) for rule in found.follows)),
        skipped=BLIND,
        traces=traces,
    )


def learning_rate_zero() -> Report:
    rate = series("lr_0", "learning_rate")
    found = finding(
        "learning-rate-zero",
        "error",
        "The learning rate is 0 in all 100 steps",
        onset=Onset(1, 1, 1, "start"),
        episodes=lasting(1, 1, "error"),
        metric="ppo_actor/update/lr",
        key="learning_rate",
        measured="0 in 100 of 100 rows",
        limits=(limit(0.0, "0", "error", "more than 2 rows at exactly 0 · practice", side="below"),),
        statistic=drawn("signal:learning-rate-zero", "", rate.mean),
        evidence=(
            seen("confirms", REWARD, "reward", "0.26 → 0.26: flat"),
            seen(
                "against", "ppo_actor/update/grad_norm", "grad_norm",
                "0.26–0.49, as in a healthy run: the gradient is there, it is not applied",
            ),
        ),
        remedies=(setting("learning_rate", "0.0", "0.001", "safe"),),
        causes=(cause(1, "learning_rate is 0.0 in the configuration", ["learning_rate 0.0"]),),
        next=attempt(
            "10 steps with learning_rate=0.001", "",
            ("entropy leaves 2.22 and the reward rises", "that was all"),
            ("nothing moves", "the optimizer does not hold the model's parameters"),
        ),
        follows=("reward-not-increasing",),
    )  # fmt: skip
    return report(
        "lr_0",
        rank="error",
        summary="The learning rate is 0: no update has changed the weights, though loss and gradient look normal.",
        counts=counts(25, 15, error=1, follow=1),
        findings=(found,),
        skipped=BLIND,
        traces={REWARD: series("lr_0", "reward"), "signal:learning-rate-zero": rate},
    )


def truncated() -> Report:
    """A fault that is nearly over: critical until step 83, then a warning."""
    run = "truncated_learns_short"
    ratio = series(run, "completions/clipped_ratio")
    found = finding(
        "truncated-responses",
        "warning",
        "Nearly every response was cut off at 3 tokens; the policy then learned to answer within 3",
        worst="critical",
        onset=Onset(1, 1, 1, "start"),
        episodes=(Episode(1, 1, 83, 84, 0.98, "critical"), Episode(84, 84, None, None, 0.12, "warning")),
        metric="ppo_actor/no_eos_ratio",
        key="completions/clipped_ratio",
        measured="8 % of 640 responses (last 10 rows)",
        limits=(
            limit(0.05, "5 %", "warning", "AReaL guide"),
            limit(0.1, "10 %", "error", "ScaleRL A.15", binding=False),
            limit(0.15, "15 %", "critical", "ScaleRL A.15", binding=False),
        ),
        statistic=drawn("signal:truncated-responses", "lower bound, 10 rows pooled", rolling(ratio.mean, 10, "mean")),
        evidence=(
            seen("confirms", "rollout/response_len", "completions/mean_length", "2.98 → 2.27 tokens at a limit of 3"),
            seen(
                "context", REWARD, "reward",
                "0 until step 27 but for one hit (step 14), then up to 0.78: it rises, so it warns of nothing",
            ),
        ),
        remedies=(setting("max_completion_length", "3", "16", "safe"), setting("mask_truncated_completions", "False", "True", "review")),
        causes=(
            cause(1, "max_completion_length is 3", ["98 % cut off at step 1, before any update; shortest base response needs 2–9 tokens"]),
            cause(2, "EOS or chat template wrong", [], ["responses end properly after step 40"]),
        ),
        next=attempt(
            "20 steps with max_completion_length=16, nothing else changed", "",
            ("cut off below 5 % from step 1", "the limit was the cause"),
            ("still near 100 %", "the end token is never produced: look at the template"),
        ),
        follows=("zero-variance-groups",),
    )  # fmt: skip
    return report(
        run,
        verdict="watch",
        rank="warning",
        summary="Responses were cut off at 3 tokens from step 1. 8 % still are; the rest were trained to be short.",
        counts=counts(24, 15, warning=1),
        caveats=(
            "completions/clipped_ratio takes a sampled pad token at the end for a proper end: true shares are up to 5 points higher.",
        ),
        findings=(found,),
        skipped=BLIND,
        traces={REWARD: series(run, "reward"), "signal:truncated-responses": ratio, "ppo_actor/no_eos_ratio": ratio},
    )


def two_findings() -> Report:
    run = "entropy_collapse"
    ratio, entropy = series(run, "completions/clipped_ratio"), series(run, "entropy")
    cut_off = finding(
        "truncated-responses",
        "critical",
        "100 % of the responses are cut off at 16 tokens",
        onset=exactly(20),
        episodes=lasting(20, 21, "critical"),
        metric="ppo_actor/no_eos_ratio",
        key="completions/clipped_ratio",
        measured="100 % of 640 responses (last 10 rows)",
        limits=(
            limit(0.15, "15 %", "critical", "ScaleRL A.15"),
            limit(0.1, "10 %", "error", "ScaleRL A.15", binding=False),
            limit(0.05, "5 %", "warning", "AReaL guide", binding=False),
        ),
        statistic=drawn("signal:truncated-responses", "lower bound, 10 rows pooled", rolling(ratio.mean, 10, "mean")),
        evidence=(
            seen("confirms", "rollout/response_len", "completions/mean_length", "6.8 → 15.9 tokens at step 20, the limit is 16"),
            seen("context", REWARD, "reward", "1.87 at step 20: the reward does not fall"),
        ),
        remedies=(advice("Repair the reward before raising max_completion_length"),),
        causes=(
            cause(
                1,
                "The reward pays for one pattern",
                ["reward and length rise together from step 5 on"],
                [],
                ["text of the responses not logged"],
            ),
            cause(2, "Entropy collapse", [], ["it came later: step 26 (22–27)"]),
        ),
    )
    collapse = finding(
        "entropy-collapse",
        "critical",
        "Entropy fell from 2.2 to 0.006 nats: the policy is deterministic",
        own="error",
        onset=Onset(26, 22, 27, "split"),
        episodes=lasting(26, 36, "error"),
        metric="ppo_actor/update/entropy",
        key="entropy",
        measured="0.0058 nats (mean of 20 rows)",
        limits=(limit(0.099, "0.099", "error", "0.1 × own start, practice", side="below"),),
        statistic=drawn("signal:entropy-collapse", "median of 20 rows", rolling(entropy.mean, 20, "median")),
        confidence=Confidence("medium", ("the limit is practice",)),
        remedies=(setting("learning_rate", "0.003", "0.001", "review"), setting("beta", "0.0", "0.01", "experiment")),
    )
    return report(
        run,
        rank="critical",
        summary="The policy gives nearly the same answer to everything since about step 26, while the reward rises to 2.0: the reward is "
        "being gamed, or nothing can be told apart any more.",
        counts=counts(23, 15, critical=2, follow=1),
        findings=(cut_off, collapse),
        skipped=BLIND,
        traces={REWARD: series(run, "reward"), "signal:truncated-responses": ratio, "signal:entropy-collapse": entropy},
    )
