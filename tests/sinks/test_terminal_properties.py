from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from rl_diag_plugin.model import Report
from rl_diag_plugin.sinks.failed import Failed
from rl_diag_plugin.sinks.terminal import Options, render

from . import many, more, silent, single
from .parts import counts, exactly, finding, report
from .strategies import failures, options, reports

SGR = re.compile(r"\x1b\[[0-9;]*m")
ODD = settings(
    max_examples=50,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # a report is large: shrinking one takes minutes
)
SAMPLES = (
    *(single.verifier_breaks, silent.config_only, silent.cannot_tell, silent.healthy, single.learning_rate_zero, single.truncated),
    *(single.two_findings, more.kl_explosion, more.weights_stuck, more.never_rewarded, more.one_bad_step, more.told_in_full),
)
HOW = (Options(), Options(verbose=True), Options(plain=True), Options(quiet=True), Options(160), Options(60, ascii=True))
WIDTHS = (60, 61, 71, 72, 80, 100, 119, 120, 140, 160, 400)


@given(st.lists(reports(), max_size=4), st.lists(failures, max_size=4), options)
@ODD
def test_any_report_is_drawn_and_nothing_in_it_steers_the_terminal(made: list[Report], failed: list[Failed], how: Options) -> None:
    text = render(made, failed, how)
    plain = SGR.sub("", text)

    assert text.endswith("\n")
    assert how.colour or plain == text
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]", plain)


@given(st.lists(reports(), min_size=1, max_size=3), st.lists(failures, max_size=3), options)
@ODD
def test_no_line_is_wider_than_the_screen(made: list[Report], failed: list[Failed], how: Options) -> None:
    how = replace(how, plain=False, quiet=False)
    lines = SGR.sub("", render(made, failed, how)).splitlines()

    assert [] == [line for line in lines if cell_len(line) > how.columns and "rl-diag check" not in line]


@given(st.lists(reports(), max_size=3), st.lists(failures, max_size=3), options)
@ODD
def test_colour_changes_no_character(made: list[Report], failed: list[Failed], how: Options) -> None:
    with_colour, without = (render(made, failed, replace(how, colour=colour)) for colour in (True, False))

    assert without == SGR.sub("", with_colour)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.__name__)
def test_samples_fit_every_width(sample: type, width: int) -> None:
    for verbose in (False, True):
        how = Options(width, verbose=verbose)
        assert [] == [line for line in render([sample()], (), how).splitlines() if cell_len(line) > how.columns]


@pytest.mark.parametrize("width", WIDTHS)
def test_the_table_fits_every_width(width: int) -> None:
    how = Options(width, paths=("./runs",))

    assert [] == [line for line in render(many.forty(), many.FAILED, how).splitlines() if cell_len(line) > how.columns]


@pytest.mark.parametrize("how", (Options(), Options(verbose=True, colour=True), Options(plain=True), Options(quiet=True)), ids=str)
def test_what_we_write_is_ascii_where_the_screen_has_no_more(how: Options) -> None:
    how = replace(how, ascii=True)
    texts = [render([sample()], many.FAILED, how) for sample in SAMPLES] + [render(many.forty(), many.FAILED, how)]

    assert [] == [line for text in texts for line in text.splitlines() if not line.isascii()]


def test_names_of_others_stay_as_they_are_in_ascii_mode() -> None:
    assert "数学推理_验证器故障" in render(many.chinese(), (), Options(ascii=True))


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.__name__)
@pytest.mark.parametrize(
    "how", [Options(), Options(verbose=True), Options(plain=True), Options(quiet=True), Options(160), Options(60, ascii=True)], ids=str
)
def test_every_output_counts_the_rules_that_could_not_be_judged(sample: type, how: Options) -> None:
    made = sample()
    text = " ".join(render([made], (), how).split())
    count = made.counts["skipped"]

    assert re.search(rf"\b{count} (rules )?could not be judged", text)


@pytest.mark.parametrize("how", [Options(), Options(plain=True), Options(quiet=True), Options(160)], ids=str)
def test_the_table_counts_them_too(how: Options) -> None:
    assert "624 rules could not be judged" in render(many.forty(), (), how)


@given(st.lists(reports(), min_size=1, max_size=3), options)
@ODD
def test_plain_has_one_statement_a_line_that_begins_with_what_it_is(made: list[Report], how: Options) -> None:
    lines = render(made, (), replace(how, plain=True, quiet=False)).splitlines()

    assert [] == [line for line in lines if ":" not in line and not re.match(r"\d+ runs", line)]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.__name__)
def test_plain_has_no_marks_and_no_curves(sample: type) -> None:
    assert not re.search("[◆■▲●◇□△○▁▂▃▄▅▆▇█╌┃▒━▶┫→−·]", render([sample()], many.FAILED, Options(plain=True, verbose=True)))


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.__name__)
def test_quiet_has_one_line_a_root_finding_and_one_for_the_total(sample: type) -> None:
    made = sample()
    found = [f for f in made.findings if f.symptom_of is None]

    assert len(found) + 1 + (made.verdict == "cannot-tell") == len(render([made], (), Options(quiet=True)).splitlines())


def test_what_can_be_typed_is_printed_whole() -> None:
    key = "ppo_actor/" + "a_very_long_part/" * 10 + "avg"
    made = finding("rule", "error", "headline", key=key, measured="1", follows=("x" * 90,))
    text = render([report("run", findings=(made,))], (), Options(60))

    assert key in text
    assert "x" * 90 in text


def test_paths_that_a_shell_would_cut_are_quoted() -> None:
    made = [replace(one, path=f"./my runs/{one.run}'s") for one in many.forty()[:2]]

    assert "Next: rl-diag check './my runs/nan_gradient'\\''s'" in render(made)


def test_only_five_of_many_findings_have_a_card_and_the_rest_is_counted() -> None:
    found = tuple(finding(f"rule-{i}", "error", f"Headline {i}", onset=exactly(i)) for i in range(1, 101))
    text = render([report("run", rank="error", findings=found, counts=counts(3, 4, error=100))])

    assert 5 == text.count("■ error")
    assert "  95 more findings, -v\n  100 error; 3 rules passed, 4 could not be judged\n" in text


def test_the_lines_of_what_to_switch_on_add_up() -> None:
    made = silent.healthy()
    many_reasons = replace(made, counts=counts(1, 25), skipped=made.skipped * 2 + made.skipped[:1])
    lines = render([many_reasons]).split("25 rules could not be judged")[1].split("\n\n")[0].splitlines()[1:]

    assert 5 == len(lines)
    assert sum(len(s.rules) for s in many_reasons.skipped) == sum(int(line.split()[0].lstrip("+")) for line in lines)
