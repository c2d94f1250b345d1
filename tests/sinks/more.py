"""Further sample reports of single runs: a second episode, a long key, a reward that is the signal, all that -v adds."""

from __future__ import annotations

from dataclasses import replace

from rl_diag_plugin.model import Confidence, Episode, NotApplicable, Onset, Passed, ReadingUsed, Report

from .parts import (
    BLIND,
    REWARD,
    attempt,
    cause,
    code,
    counts,
    drawn,
    exactly,
    finding,
    lasting,
    limit,
    log,
    over,
    report,
    rolling,
    seen,
    series,
    setting,
    switch,
    trace,
    wait,
)
from .single import verifier_breaks


def kl_explosion() -> Report:
    """Two episodes: the onset is the first one's."""
    run = "kl_explosion"
    kl = series(run, "kl")
    found = finding(
        "reference-kl-explosion",
        "error",
        "KL to the reference rose from 0 to 8.45 nats a token within 3 steps",
        own="warning",
        onset=exactly(2),
        episodes=(Episode(2, 2, 31, 40, 1.3, "warning"), Episode(42, 48, None, None, 1.2, "warning")),
        metric="ppo_actor/ref_kl",
        key="kl",
        measured="8.45 at step 4; 0.96 now (median of 10)",
        limits=(limit(0.5, "0.5", "warning", "rldoctor"), limit(2.0, "2", "error", "practice", binding=False)),
        statistic=drawn("signal:reference-kl-explosion", "median of 10 rows", rolling(kl.mean, 10, "median")),
        confidence=Confidence("medium", ()),
        evidence=(
            seen("confirms", "ppo_actor/update/grad_norm", "grad_norm", "69.1 at step 4, 200 × its start"),
            seen("against", "ppo_actor/update/entropy", "entropy", "1.5–2.6 nats: no collapse"),
        ),
        remedies=(
            setting("learning_rate", "0.02", "0.001", "safe"),
            setting("num_iterations", "4", "1", "review"),
            setting("use_bias_correction_kl", "True", "False", "review"),
        ),
        causes=(
            cause(1, "Learning rate too high", ["learning_rate 0.02: KL rises in the first update; gradient norm 69 at step 4"]),
            cause(2, "Too many updates a generation", [], ["KL is 0.36 after the first pass already"]),
        ),
        next=attempt(
            "20 steps with learning_rate=0.001", "",
            ("KL below 0.3 and the reward rises, as in healthy_beta", "the rate was the cause"),
            ("KL still above 2", "look at num_iterations and at the reference model"),
        ),
        follows=("gradient-norm-spike", "zero-variance-groups"),
    )  # fmt: skip
    return report(
        run,
        rank="error",
        summary="KL to the reference reached 8.45 nats a token at step 4, after one update; the reward has not recovered since.",
        counts=counts(24, 13, error=1, follow=1),
        caveats=(
            "kl is multiplied by the importance ratio (use_bias_correction_kl, on by default): it is a lower bound here. A value "
            "under a limit is not a pass.",
            "clip_ratio/* is 0 in steps 5–12 only because no group had reward spread: nothing counts as clipped then.",
        ),
        findings=(found,),
        skipped=(BLIND[0], BLIND[2], BLIND[3], log(2, "log ratio/max from the loss"), wait(2, 200)),
        traces={REWARD: series(run, "reward"), "signal:reference-kl-explosion": kl},
    )


def weights_stuck() -> Report:
    """A long key, an onset between bounds, a limit inside the range."""
    run, key = "weights_stuck_40", "ppo_actor/update/compute_logp/kl_div_dual/avg"
    kl = series(run, key)
    found = finding(
        "rollout-training-mismatch",
        "critical",
        "Sampler and trainer drift apart: KL 3.3e-4 → 0.24 nats a token",
        onset=Onset(42, 41, 44, "split"),
        episodes=lasting(42, 51, "critical"),
        metric="ppo_actor/kl",
        key=key,
        measured="3.3e-4 → 0.242 nats a token (median of 10 rows)",
        limits=(
            limit(0.1, "0.1", "critical", "verl docs"),
            limit(0.05, "0.05", "error", "verl docs", binding=False),
            limit(0.01, "0.01", "warning", "practice", binding=False),
        ),
        statistic=drawn("signal:rollout-training-mismatch", "median of 10 rows", rolling(kl.mean, 10, "median")),
        evidence=(
            seen("confirms", "ppo_actor/behave_kl", "behave_kl", "−2.4e-4 → −0.29 nats", label="Behaviour KL"),
            seen("against", "staleness", "staleness", "1.06 versions, as before: but it is what the sampler claims", 2, "Staleness"),
        ),
        remedies=(
            code("compare a checksum of the weights in sampler and trainer after an update"),
            setting("rollout.max_head_offpolicyness", "2", "0", "experiment"),
        ),
        causes=(
            cause(
                1, "The sampler keeps old weights and reports new versions",
                ["grows from step 42 on; reward flat since"], [], ["checksum of the sampler's weights is not logged"],
            ),
            cause(2, "Engine precision or kernels", [], ["sampler and trainer agreed (3e-4) until step 41"]),
        ),
        next=attempt(
            "Restart the sampler from the checkpoint of step 40, 10 steps", "",
            ("kl_div_dual is back near 3e-4", "the weights did not arrive: repair the update path"),
            ("it stays above 0.01", "engine mismatch: rl-diag experiment recipe synchronous"),
        ),
    )  # fmt: skip
    return report(
        run,
        trainer="AReaL 1.0.4 PPOActor",
        steps=(0, 99),
        rank="critical",
        summary="The sampler drifts away from the trainer since step 42, although staleness reads 1: the weights are suspected not to "
        "arrive. The reward has been flat since.",
        counts=counts(27, 10, critical=1),
        findings=(found,),
        skipped=(
            log(5, "log the true EOS flag from the rollout workflow"),
            switch(3, "evaluator.eval_before_train", "true", "false", "where it began"),
            wait(2, 200),
        ),
        traces={REWARD: series(run, "rollout/reward"), "signal:rollout-training-mismatch": kl},
    )


def never_rewarded() -> Report:
    """The signal is the reward itself: it is drawn once, above."""
    main = "rollout/episode_return"
    reward = trace([0.0] * 20, 1024, 1024)
    found = finding(
        "reward-constant",
        "error",
        "Every episode scores 0 in all 20 rows",
        onset=Onset(1024, 1024, 1024, "start"),
        episodes=lasting(1024, 10240, "error"),
        metric=main,
        key="rollout/ep_rew_mean",
        measured="0 in 20 of 20 rows (mean of the last 100 episodes)",
        limits=(limit(0.0, "0", "error", "10 rows at exactly one value · logic", side="below"),),
        statistic=drawn("signal:reward-constant", "", reward.mean),
        evidence=(
            seen(
                "context", "update_kl", "train/approx_kl", "up to 0.041: the policy moves on the critic's error alone", 1, "KL old to new"
            ),
        ),
        remedies=(code("score one hand-made successful episode with the environment"), setting("ent_coef", "0.0", "0.01", "experiment")),
        causes=(
            cause(
                1, "The reward is out of reach of random actions",
                ["0 from the first row on"], [], ["largest episode reward is not logged"],
            ),
        ),
        next=attempt(
            "2,048 steps from starts near the goal", "",
            ("ep_rew_mean leaves 0", "too sparse: curriculum, shaping or exploration bonus"),
            ("still 0", "the environment never pays: repair it"),
        ),
        follows=("entropy-collapse",),
    )  # fmt: skip
    return report(
        "ppo_sparse_never",
        framework="sb3",
        trainer="SB3 2.9.2 PPO",
        steps=(1024, 20480),
        rows=20,
        planned=20480,
        main=main,
        rank="error",
        summary="No reward was ever seen in 20,480 steps, and the policy stopped exploring all the same: entropy 0.68 → 0.013 nats.",
        counts=counts(14, 9, error=1),
        caveats=("train/* of a row belong to the update before it (SB3 writes the row first).",),
        findings=(found,),
        skipped=(
            log(3, "EvalCallback(eval_env, eval_freq=2048): the greedy policy's return"),
            log(2, "log the gradient norm from a callback"),
            wait(4, 40),
        ),
        traces={main: reward, "signal:reward-constant": reward},
    )


def one_bad_step() -> Report:
    """A finding that is over, read from the log, with a value that is not finite."""
    found = finding(
        "non-finite-metric",
        "error",
        "No response was scored at step 60",
        active=False,
        onset=exactly(60),
        episodes=(over(60, 60, "error"),),
        metric=REWARD,
        key="reward",
        measured="NaN in 1 of 100 rows",
    )
    return report(
        "nan_reward",
        verdict="watch",
        summary="No response was scored at step 60.",
        counts=counts(25, 15, over=1),
        findings=(found,),
        skipped=BLIND,
        traces={REWARD: series("nan_reward", "reward")},
    )


def told_in_full() -> Report:
    """Everything that only -v shows."""
    bad = verifier_breaks()
    first = replace(
        bad.findings[0],
        confidence=Confidence("high", ("over the limit for 61 rows", "2 other metrics confirm it")),
        checked=(("one group in a batch", "16 groups"), ("spread within groups (TRL before 0.27)", "TRL 1.16.0")),
        config=("reward_funcs", "scale_rewards"),
    )
    return replace(
        bad,
        findings=(first, *bad.findings[1:]),
        passed=(Passed("clip-ratio-high", 10), Passed("entropy-collapse", None, "judged on the configuration")),
        not_applicable=(NotApplicable("value-loss-explosion", "GRPO has no critic"),),
        readings=(
            ReadingUsed("reward", REWARD, "exact", "", 100, 0, 0.0),
            ReadingUsed(
                "completions/clipped_ratio",
                "ppo_actor/no_eos_ratio",
                "lower-bound",
                "A sampled pad token passes for a proper end.",
                100,
                0,
                0.0,
            ),
            ReadingUsed("kl", "ppo_actor/ref_kl", "diluted", "", 100, 0, None),
        ),
        unmapped=("loss", "num_tokens"),
    )
