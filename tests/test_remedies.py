"""The guide's remedies, sentence by sentence, in the keys of each trainer: what a rule says becomes what can be pasted.

A new trainer is a new column: one more entry in each sentence's ``cells``.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import pytest

from rl_diag_plugin.authoring import Enable, Facts, Lower, Remedy, Set
from rl_diag_plugin.frameworks import FRAMEWORKS
from rl_diag_plugin.knobs import Knob, Knobs, KnobValue
from rl_diag_plugin.knobs.logging import EVAL_BEFORE_TRAIN
from rl_diag_plugin.knobs.loss import ENTROPY_COEF, TARGET_KL
from rl_diag_plugin.knobs.offpolicy import (
    BEHAVE_CAP,
    DECOUPLED_LOSS,
    DETERMINISTIC,
    MAX_STALENESS,
    OFF_POLICY_CORRECTION,
    RECOMPUTE_LOGPROB,
)
from rl_diag_plugin.knobs.optimizer import LR, N_EPOCHS, N_MINIBATCHES, TRAIN_BATCH_SIZE
from rl_diag_plugin.knobs.sampling import MAX_NEW_TOKENS
from rl_diag_plugin.model import RemedyShown, Version
from rl_diag_plugin.registry import find_rule
from rl_diag_plugin.remedies import show

Trainer: TypeAlias = tuple[str, Version]
AREAL: Trainer = ("areal", (1, 0, 4))


@dataclass(frozen=True)
class Cell:
    """One sentence in one trainer: the exact text of the remedy under the settings ``now``. ``empty``: it is no setting there."""

    text: str
    now: Mapping[Knob, Any] = field(default_factory=dict)
    kind: Literal["set", "code", "advice"] = "set"
    empty: bool = False


@dataclass(frozen=True)
class Sentence:
    """What the guide says, and the rule that says it."""

    guide: str
    rule: str
    cells: Mapping[Trainer, Cell]


def no_setting(nearest: str) -> Cell:
    """This trainer has no such setting; the nearest action."""
    return Cell(nearest, kind="advice", empty=True)


_FILTER = "pass dynamic_filter_fn=lambda x: 0 < x['rewards'].mean() < 1 to PPOTrainer.train(…), or should_accept_fn=… to prepare_batch"

TABLE = (
    Sentence(
        "synchronous RL: max_head_offpolicyness 0", "rollout-training-mismatch",
        {AREAL: Cell("rollout.max_head_offpolicyness  2 → 0", {MAX_STALENESS: 2})},
    ),
    Sentence(
        "synchronous RL: recompute_logprob false", "rollout-training-mismatch",
        {AREAL: Cell("actor.recompute_logprob  true → false", {RECOMPUTE_LOGPROB: True})},
    ),
    Sentence(
        "synchronous RL: use_decoupled_loss false", "rollout-training-mismatch",
        {AREAL: Cell("actor.use_decoupled_loss  true → false", {DECOUPLED_LOSS: True})},
    ),
    Sentence(
        "reward does not rise: a baseline from before training", "reward-not-increasing",
        {AREAL: Cell("evaluator.eval_before_train  false → true", {EVAL_BEFORE_TRAIN: False})},
    ),
    Sentence(
        "reward does not rise: train on the test set", "reward-not-increasing",
        {AREAL: no_setting("train on the test set for 50 to 100 steps, as a diagnosis only")},
    ),
    Sentence(
        "reward does not rise on the test set: batch size", "reward-not-increasing",
        {AREAL: Cell("train_dataset.batch_size  16 → 32", {TRAIN_BATCH_SIZE: 16})},
    ),
    Sentence(
        "reward does not rise on the test set: learning rate", "reward-not-increasing",
        {AREAL: Cell("actor.optimizer.lr  1.7e-05 → 3.4e-05", {LR: 1.7e-5})},
    ),
    Sentence(
        "reward does not rise on the test set: another base model", "reward-not-increasing",
        {AREAL: no_setting("try another base model, or SFT first")},
    ),
    Sentence(
        "reward does not rise on the test set: SFT first", "reward-not-increasing",
        {AREAL: no_setting("try another base model, or SFT first")},
    ),
    Sentence(
        "reward rises on the test set only: dynamic filter", "reward-not-increasing",
        {AREAL: Cell(_FILTER, kind="code")},
    ),
    Sentence(
        "task_reward swings: batch size", "task-reward-variance",
        {AREAL: Cell("train_dataset.batch_size  16 → 64", {TRAIN_BATCH_SIZE: 16})},
    ),
    Sentence(
        "importance_weight is off 1: fewer ppo_n_minibatches", "importance-weight-drift",
        {AREAL: Cell("actor.ppo_n_minibatches  4 → 2", {N_MINIBATCHES: 4})},
    ),
    Sentence(
        "importance_weight is off 1 with one minibatch: deterministic algorithms", "importance-weight-not-one",
        {AREAL: Cell("actor.megatron.use_deterministic_algorithms  false → true", {DETERMINISTIC: False})},
    ),
    Sentence(
        "behave_imp_weight is off 1: a cap of 5", "behave-weight-deviation",
        {AREAL: Cell("actor.rejection_sampling.upper  2.0 → 5.0", {BEHAVE_CAP: 2.0})},
    ),
    Sentence(
        "behave_imp_weight is off 1: lower max_head_offpolicyness", "behave-weight-deviation",
        {AREAL: Cell("rollout.max_head_offpolicyness  8 → 4", {MAX_STALENESS: 8})},
    ),
    # A key below a section that is null cannot be set by itself: the whole section is said.
    Sentence(
        "a cap of 5, where there is no correction yet", "decoupled-loss-without-correction",
        {AREAL: Cell("actor.rejection_sampling  null → {action: mask, metric: ratio, upper: 5.0}", {OFF_POLICY_CORRECTION: None})},
    ),
    Sentence(
        "no_eos_ratio above 0.05: raise max_new_tokens", "truncated-responses",
        {AREAL: Cell("gconfig.max_new_tokens  1024 → 2048", {MAX_NEW_TOKENS: 1024})},
    ),
    Sentence(
        "no_eos_ratio above 0.05: filter overlong trajectories", "truncated-responses",
        {AREAL: Cell(_FILTER, kind="code")},
    ),
)  # fmt: skip

CELLS = [(sentence, trainer) for sentence in TABLE for trainer in sentence.cells]


def facts(trainer: Trainer, now: Mapping[Knob, Any]) -> Facts:
    name, version = trainer
    return Facts(Knobs({knob: KnobValue(value) for knob, value in now.items()}), name, version)


def shown(sentence: Sentence, trainer: Trainer) -> list[RemedyShown | None]:
    run = facts(trainer, sentence.cells[trainer].now)
    return [show(remedy, run) for remedy in find_rule(sentence.rule).remedies]


@pytest.mark.parametrize(("sentence", "trainer"), CELLS, ids=[f"{s.rule}: {s.guide} [{t[0]}]" for s, t in CELLS])
def test_the_rule_says_the_guides_sentence_in_the_trainers_key(sentence: Sentence, trainer: Trainer) -> None:
    cell = sentence.cells[trainer]
    texts = {remedy.text: remedy for remedy in shown(sentence, trainer) if remedy is not None}
    assert cell.text in texts
    remedy = texts[cell.text]
    assert cell.kind == remedy.kind
    assert (remedy.key is None) == (cell.empty or cell.kind == "code")
    if cell.kind == "set":
        assert remedy.copy == f"{remedy.key}={remedy.new}"


@pytest.mark.parametrize("trainer", [AREAL], ids=lambda t: t[0])
def test_a_rule_keeps_the_guides_order(trainer: Trainer) -> None:
    for name, rows in itertools.groupby(TABLE, key=lambda sentence: sentence.rule):
        at = [[r and r.text for r in shown(s, trainer)].index(s.cells[trainer].text) for s in rows]
        assert sorted(at) == at, name


def test_every_trainer_that_is_known_has_a_cell_in_every_sentence_of_its_column() -> None:
    columns = {trainer for sentence in TABLE for trainer in sentence.cells}
    assert [] == [(s.guide, t) for s in TABLE for t in columns if t not in s.cells]
    assert set() == {name for name, _ in columns} - set(FRAMEWORKS)


@pytest.mark.parametrize(
    ("remedy", "now"),
    [
        (Set(MAX_STALENESS, 0, ""), 0),
        (Set(DECOUPLED_LOSS, False, ""), False),
        (Enable(DETERMINISTIC, ""), True),
        (Lower(N_MINIBATCHES, 2, "", 1), 1),
    ],
)
def test_what_the_configuration_already_has_is_not_proposed(remedy: Set | Enable | Lower, now: Any) -> None:
    assert show(remedy, facts(AREAL, {remedy.knob: now})) is None


@pytest.mark.parametrize(
    ("remedy", "nearest"),
    [
        (Enable(TARGET_KL, "", 0.02), "updates are not stopped early: fewer ppo_n_minibatches or a lower learning rate"),
        (Enable(ENTROPY_COEF, "", 1e-3), "the loss has no entropy bonus: raise eps_clip_higher, or use the AEnt recipe's loss"),
        (Lower(N_EPOCHS, 2, "", 1), "each batch is passed over once: change ppo_n_minibatches"),
    ],
)
def test_where_a_trainer_has_no_such_setting_the_nearest_action_is_said(remedy: Remedy, nearest: str) -> None:
    said = show(remedy, facts(AREAL, {N_EPOCHS: 4}))
    assert said is not None
    assert ("advice", None, nearest) == (said.kind, said.key, said.text)
