"""What explains a finding: ranked by what was seen, never a probability."""

from __future__ import annotations

from rl_diag_plugin.authoring import Cause, Clue, Facts
from rl_diag_plugin.causes import ranked
from rl_diag_plugin.metrics.rollout import RESPONSE_LEN, ROLLOUT_REWARD
from rl_diag_plugin.metrics.update import ENTROPY

SEEN = {RESPONSE_LEN: True, ROLLOUT_REWARD: False}


def holds(clue: Clue) -> bool | None:
    return SEEN.get(clue.metric)


def order(*causes: Cause, found: tuple[str, ...] = ()) -> list[str]:
    return [c.title for c in ranked(causes, Facts(), holds, found)]


def test_without_anything_seen_the_rules_own_order_stands() -> None:
    assert ["a", "b"] == order(Cause("a"), Cause("b"))


def test_a_clue_that_was_seen_comes_before_one_that_was_not_and_after_a_rule_that_fired() -> None:
    longer = Cause("longer", supports=(Clue(RESPONSE_LEN, "rises", "the length rises"),))
    poorer = Cause("poorer", supports=(Clue(ROLLOUT_REWARD, "falls", "the reward falls"),))
    assert ["longer", "poorer"] == order(poorer, longer)
    assert ["fired", "longer", "poorer"] == order(poorer, longer, Cause("fired", rule="r"), found=("r",))


def test_what_speaks_against_a_cause_puts_it_last_and_is_said() -> None:
    doubted = Cause("doubted", against=(Clue(RESPONSE_LEN, "rises", "the length rises"),))
    shown = ranked((doubted, Cause("other")), Facts(), holds, ())
    assert [("other", 1, ()), ("doubted", 2, ("the length rises",))] == [(c.title, c.rank, c.contradicting) for c in shown]


def test_a_clue_whose_metric_is_not_logged_is_named_as_unobserved() -> None:
    (cause,) = ranked((Cause("c", supports=(Clue(ENTROPY, "falls", "entropy falls"),)),), Facts(), holds, ())
    assert ((), ("entropy is not logged",)) == (cause.supporting, cause.unobserved)


def test_a_cause_that_cannot_be_here_is_left_out() -> None:
    assert ["b"] == order(Cause("a", when=lambda run: False), Cause("b"))
