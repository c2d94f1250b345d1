"""What a reader of a version's runs must know."""

from __future__ import annotations

import pytest

from rl_diag_plugin import check


@pytest.mark.parametrize(
    ("version", "minibatches"), [("0.2.0", False), ("0.3.4", True), ("0.4.0", True), ("0.4.1", False), ("1.0.4", False)]
)
def test_rows_of_minibatches_are_not_taken_for_training_steps(version: str, minibatches: bool) -> None:
    (report,) = check([{"step": i, "ppo_actor/task_reward/avg": 0.5} for i in range(5)], framework=f"areal=={version}")
    assert minibatches == any("one row a minibatch" in caveat for caveat in report.caveats)
