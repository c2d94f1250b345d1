"""Sample reports of runs whose series show nothing: healthy, too short, wrong by configuration alone."""

from __future__ import annotations

from rl_diag_plugin.model import Onset, Report

from .parts import BLIND, REWARD, cause, counts, finding, log, report, series, setting, trace, wait


def config_only() -> Report:
    found = finding(
        "decoupled-loss-without-correction",
        "error",
        "The decoupled loss runs without its correction",
        onset=Onset(None, None, None, "config"),
        remedies=(setting("actor.rejection_sampling.upper", "null", "5.0", "review"),),
        causes=(cause(1, "actor.rejection_sampling is null", ["actor.use_decoupled_loss true; behave_imp_weight is not logged"]),),
        config=("actor.use_decoupled_loss", "actor.rejection_sampling"),
    )
    return report(
        "k_nors",
        trainer="AReaL 1.0.4 PPOActor",
        steps=(0, 2),
        rows=3,
        planned=3,
        rank="error",
        summary="A fault of the configuration: the decoupled loss runs without its correction. The curves are too short to judge (3 rows).",
        counts=counts(5, 31, error=1),
        findings=(found,),
        skipped=(wait(29, 17), log(2, "log the true EOS flag from the rollout workflow")),
        traces={REWARD: trace([0.1875, 0.5, 0.5625], 0)},
    )


def cannot_tell() -> Report:
    return report(
        "k_mn4",
        trainer="AReaL 1.0.4 PPOActor",
        steps=(0, 2),
        rows=3,
        planned=3,
        verdict="cannot-tell",
        summary="Too early (3 rows), and truncation cannot be decided: no_eos_ratios reads 0.25 whether a quarter or all are cut off.",
        counts=counts(5, 31),
        skipped=(wait(29, 17), log(2, "log the true EOS flag from the rollout workflow")),
        traces={REWARD: trace([0.125, 0.0, 0.0625], 0)},
    )


def healthy() -> Report:
    return report(
        "healthy_eval_log5",
        steps=(5, 100),
        rows=20,
        verdict="healthy",
        summary="No finding in the 26 rules that could be judged.",
        counts=counts(26, 11),
        skipped=(*BLIND[1:4], wait(2, 280)),
        traces={REWARD: series("healthy_eval_log5", "reward")},
    )
