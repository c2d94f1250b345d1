from __future__ import annotations

import pytest
from rich.cells import cell_len

from rl_diag_plugin.sinks.terminal.clean import ascii_words, clean, unbroken
from rl_diag_plugin.sinks.terminal.layout import Sheet, typed
from rl_diag_plugin.sinks.terminal.options import Options

SHEET = Sheet(Options(60))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("two\nlines\tand a tab", "two lines and a tab"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("\x9b2J", "\\x9b2J"),
        ("\udc80", "\\udc80"),
        ("实验 👩‍🔬 é عربى", "实验 👩‍🔬 é عربى"),
    ],
)
def test_characters_that_steer_a_terminal_are_written_out(text: str, expected: str) -> None:
    assert expected == clean(text)


def test_words_of_ours_have_an_ascii_form_and_names_in_other_scripts_stay() -> None:
    assert "0.74 -> 0; 1-5, -0.3...1, 2 x, >= 1, sigma, cafe, 实验" == ascii_words("0.74 → 0; 1–5, −0.3…1, 2 ×, ≥ 1, σ, café, 实验")


def test_lines_break_at_spaces_and_never_within_what_is_held_together() -> None:
    lines = SHEET.text(
        SHEET.wrap([unbroken("a fact that is held"), " ", unbroken("another fact of some length"), " ", "and the end"], 4)
    ).splitlines()

    assert ["a fact that is held another fact of some length and the end"] == lines
    narrow = SHEET.wrap([unbroken("a fact that is held"), " ", unbroken("another fact of some length"), " ", "and the end"], 4, 40)
    assert ["a fact that is held", "    another fact of some length and the", "    end"] == SHEET.text(narrow).splitlines()


def test_a_number_and_its_percent_sign_stay_together() -> None:
    assert ["about", "12 % of", "it"] == SHEET.text(SHEET.wrap(["about 12 % of it"], 0, 8)).splitlines()


def test_words_that_are_too_long_are_broken_but_what_is_typed_is_not() -> None:
    assert {60} == {cell_len(line) for line in SHEET.text(SHEET.wrap(["数" * 90], 0)).splitlines()}
    assert ["x" * 90] == SHEET.text(SHEET.wrap([typed("x" * 90)], 0)).splitlines()


def test_a_name_loses_its_middle_by_cells() -> None:
    assert "实验_KL爆炸_…_第三次重跑" == SHEET.cut_middle("实验_KL爆炸_学习率过大_第三次重跑", 25)
    assert "rloo_verif…_breaks_40" == SHEET.cut_middle("rloo_verifier_breaks_40", 21)
