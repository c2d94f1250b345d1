"""What each golden file shows: its name → the call that prints it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rl_diag_plugin.sinks.terminal import Options, render

from . import many, more, silent, single

DIRECTORY = Path(__file__).parent.parent / "golden" / "terminal"
UPDATE = "python -m tests.sinks.update_golden"
RUNS, LOGS = ("./runs",), ("./logs",)

CASES: dict[str, Callable[[], str]] = {
    "bad_80": lambda: render([single.verifier_breaks()], (), Options(exit_code=1)),
    "bad_60": lambda: render([single.verifier_breaks()], (), Options(60, exit_code=1)),
    "bad_120": lambda: render([single.verifier_breaks()], (), Options(120, exit_code=1)),
    "bad_160": lambda: render([single.verifier_breaks()], (), Options(160, exit_code=1)),
    "bad_ascii": lambda: render([single.verifier_breaks()], (), Options(ascii=True, exit_code=1)),
    "bad_colour": lambda: render([single.verifier_breaks()], (), Options(colour=True, exit_code=1)).replace("\x1b", "␛"),
    "bad_plain": lambda: render([single.verifier_breaks()], (), Options(plain=True, exit_code=1)),
    "bad_verbose": lambda: render([more.told_in_full()], (), Options(verbose=True, exit_code=1)),
    "bad_verbose_plain": lambda: render([more.told_in_full()], (), Options(verbose=True, plain=True)),
    "healthy": lambda: render([silent.healthy()]),
    "cannot_tell": lambda: render([silent.cannot_tell()]),
    "config_only": lambda: render([silent.config_only()], (), Options(exit_code=1)),
    "lr_0": lambda: render([single.learning_rate_zero()], (), Options(exit_code=1)),
    "over_truncation": lambda: render([single.truncated()]),
    "over_truncation_verbose": lambda: render([single.truncated()], (), Options(verbose=True)),
    "two_findings": lambda: render([single.two_findings()], (), Options(exit_code=1)),
    "kl_explosion": lambda: render([more.kl_explosion()], (), Options(exit_code=1)),
    "weights_stuck": lambda: render([more.weights_stuck()], (), Options(exit_code=1)),
    "weights_stuck_ascii": lambda: render([more.weights_stuck()], (), Options(ascii=True, exit_code=1)),
    "never_rewarded": lambda: render([more.never_rewarded()], (), Options(exit_code=1)),
    "one_bad_step": lambda: render([more.one_bad_step()]),
    "many_60": lambda: render(many.forty(), (), Options(60, paths=RUNS)),
    "many_80": lambda: render(many.forty(), (), Options(paths=RUNS)),
    "many_160": lambda: render(many.forty(), (), Options(160, paths=RUNS)),
    "many_ascii": lambda: render(many.forty(), (), Options(ascii=True, paths=RUNS)),
    "many_plain": lambda: render(many.forty(), (), Options(plain=True, paths=RUNS)),
    "many_quiet": lambda: render(many.forty(), many.FAILED, Options(quiet=True, paths=RUNS, exit_code=1)),
    "many_failed": lambda: render(many.forty()[:2], many.FAILED, Options(paths=LOGS, exit_code=1)),
    "one_failed": lambda: render([silent.healthy()], many.FAILED, Options(paths=LOGS, exit_code=2)),
    "cjk_80": lambda: render(many.chinese(), (), Options(paths=("./实验",))),
}
