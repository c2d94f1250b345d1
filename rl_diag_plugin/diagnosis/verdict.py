"""A run in one word and one sentence: its verdict, its counts, its summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..authoring import Facts
from ..model import Finding, Passed, Severity, Verdict, rank
from ..wording import step_text
from .outcome import Alarm, Ended, Unjudged

if TYPE_CHECKING:
    from .engine import Diagnosis

_CORE = ("reward", "update", "off_policy", "length")


def counted(findings: Sequence[Finding], passed: int, skipped: int, excluded: int) -> dict[str, int]:
    """Root findings that are active by severity; ``over``: roots that are not; ``follow``: consequences."""
    counts = dict.fromkeys(("critical", "error", "warning", "info", "note"), 0)
    roots = [f for f in findings if f.symptom_of is None]
    for f in roots:
        if f.active:
            counts[f.severity] += 1
    over = sum(not f.active for f in roots)
    return {**counts, "follow": len(findings) - len(roots), "over": over, "passed": passed, "skipped": skipped, "not_applicable": excluded}


def worst_of(findings: Sequence[Finding]) -> Severity | None:
    return max((f.severity for f in findings if f.active), key=rank, default=None)


def verdict_of(run: Diagnosis, findings: Sequence[Finding], ended: Mapping[str, Ended]) -> Verdict:
    worst = rank(worst_of(findings))
    if worst >= rank("error"):
        return "unhealthy"
    if worst == rank("warning") or any(not f.active and rank(f.worst) >= rank("error") for f in findings):
        return "watch"
    core = [rule.id for rule in run.rules if rule.chapter in _CORE and rule.signal is not None]
    judged = any(isinstance(ended[name], (Passed, Alarm)) for name in core)
    return "healthy" if judged else "cannot-tell"


def summary_of(findings: Sequence[Finding], verdict: Verdict, counts: Mapping[str, int], facts: Facts, skipped: Sequence[Unjudged]) -> str:
    roots = [f for f in findings if f.symptom_of is None and rank(f.severity) >= rank("warning")]
    if verdict == "cannot-tell" and not roots:
        waiting = any(s.rows_needed for s in skipped)
        rows = f"{facts.rows} row{'' if facts.rows == 1 else 's'}"
        undecided = [s.reason for s in skipped if "cannot be excluded" in s.reason]
        reason = f"Too early ({rows})" if waiting else f"Nothing that could be judged ({rows})"
        return (
            f"{reason}, and truncation {undecided[0]}."
            if undecided
            else f"{reason}: no rule on reward, update, off-policy or length could be judged."
        )
    if not roots:
        infos = counts["info"] + counts["note"]
        judged = counts["passed"] + infos
        rules = "1 rule" if judged == 1 else f"{judged} rules"
        return f"No finding{' above info' if infos else ''} in the {rules} that could be judged."
    text = sentence(roots[0])
    if len(roots) > 1:
        text += f" Also: {sentence(roots[1])}"
    if len(roots) > 2:
        text += f" {len(roots) - 2} more finding{'s' if len(roots) > 3 else ''}."
    return text


def sentence(finding: Finding) -> str:
    text = finding.headline.rstrip(".")
    step = finding.onset.step
    if step is not None and "step" not in text:
        if finding.active:
            text += f", since step {step_text(step)}"
        else:
            end = finding.episodes[-1].end if finding.episodes else None
            text += f", at step {step_text(step)}" if end in (None, step) else f", from step {step_text(step)} to {step_text(end or step)}"
    return text + "."
