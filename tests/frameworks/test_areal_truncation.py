"""Bounds of the share that was cut off, against the truth of every recorded row."""

from __future__ import annotations

import pytest

from .areal_reading import RUNS, how, knobs_of, long_rows, needs_recordings, read, settings, truth_of

LOW, HIGH, EXACT = "ppo_actor/no_eos_ratio/lower", "ppo_actor/no_eos_ratio/upper", "ppo_actor/no_eos_ratio"
# With limits of 2 and 6 tokens an end token often is exactly the last one allowed, which lengths cannot tell from being cut off.
END_AT_THE_LIMIT = {"truncated_all": (9, 0.008), "truncated_partly": (19, 0.12)}


def row(
    prompts: tuple[float, float, float], lengths: tuple[float, float, float], no_eos: float = 0.25, n: float = 16.0, **more: float
) -> dict[str, float]:
    """(smallest, mean, largest) of prompts and of sequences."""
    parts = ("min", "avg", "max")
    out = {f"ppo_actor/prompt_len/{part}": value for part, value in zip(parts, prompts, strict=True)}
    out |= {f"ppo_actor/seq_len/{part}": value for part, value in zip(parts, lengths, strict=True)}
    return out | {"ppo_actor/no_eos_ratios/avg": no_eos, "ppo_actor/n_seqs": n} | more


@needs_recordings
@pytest.mark.parametrize("run", RUNS)
def test_the_truth_lies_within_the_bounds_in_every_row(run: str) -> None:
    over = []
    for logged, truth in zip(long_rows(run), truth_of(run), strict=True):
        got, true = read(logged, knobs_of(run)), truth["no_eos"] / truth["n"]
        assert got[HIGH] >= true - 1e-9
        assert got[LOW] <= got[HIGH] + 1e-9
        if got[LOW] > true + 1e-9:
            over.append(got[LOW] - true)
    rows, most = END_AT_THE_LIMIT.get(run, (0, 0.0))
    assert len(over) == rows
    assert max(over, default=0.0) <= most


@needs_recordings
def test_the_certificate_clears_nearly_every_clean_row_and_no_other() -> None:
    cleared = clean = 0
    for run in RUNS:
        for logged, truth in zip(long_rows(run), truth_of(run), strict=True):
            zero = read(logged, knobs_of(run))[HIGH] == 0
            clean += truth["no_eos"] == 0
            cleared += zero
            assert not (zero and truth["no_eos"])
    assert (cleared, clean) == (1698, 1730)


@needs_recordings
def test_most_rows_with_many_cut_off_are_proven_so() -> None:
    proven = many = 0
    for run in RUNS:
        for logged, truth in zip(long_rows(run), truth_of(run), strict=True):
            if truth["no_eos"] / truth["n"] > 0.05:
                many += 1
                proven += read(logged, knobs_of(run))[LOW] > 0.05
    assert (proven, many) == (158, 188)


def test_a_share_at_padded_width_is_never_taken_for_the_share_cut_off() -> None:
    assert EXACT not in read(row((5, 5.5, 6), (20, 27.4, 40)), settings(max_new_tokens=150))
    assert read(row((5, 5.5, 6), (20, 27.4, 40), 0.0625), settings(max_new_tokens=150))[HIGH] == 0


def test_everything_cut_off_is_proven_by_the_mean_length() -> None:
    got = read(row((4, 5.5, 7), (8, 9.5, 11), 0.25), settings(max_new_tokens=4, data_ranks=1))
    assert got[LOW] == pytest.approx(1.0, abs=1e-4)
    assert got[HIGH] == 1.0


def test_every_other_completion_has_at_least_one_token() -> None:
    assert read(row((10, 10, 10), (11, 40, 110)), settings(max_new_tokens=100))[HIGH] == pytest.approx(29 / 99, abs=1e-4)


def test_the_shortest_sequence_tightens_the_bound() -> None:
    assert read(row((10, 10, 10), (30, 40, 110)), settings(max_new_tokens=100))[HIGH] == pytest.approx(10 / 80, abs=1e-4)


def test_long_prompts_cannot_have_been_cut_off_in_a_shorter_batch() -> None:
    got = read(row((10, 95, 100), (11, 110, 112)), settings(max_new_tokens=100))
    assert got[HIGH] <= 5 / 88 + 1e-3


def test_right_answers_that_are_short_were_not_cut_off() -> None:
    right = {"ppo_actor/correct_n_seqs": 15.0, "ppo_actor/incorrect_n_seqs": 1.0}
    right |= {f"ppo_actor/correct_seq_len/{part}": 100.0 for part in ("min", "avg", "max")}
    right |= {f"ppo_actor/incorrect_seq_len/{part}": 110.0 for part in ("min", "avg", "max")}
    got = read(row((10, 10, 10), (100, 100.625, 110), **right), settings(max_new_tokens=100))
    assert got[HIGH] == pytest.approx(1 / 16, abs=1e-3)


def test_the_total_limit_cuts_off_too() -> None:
    got = read(row((10, 40, 60), (30, 70, 100), 0.125), settings(max_new_tokens=80, max_total_length=100, data_ranks=1))
    assert got[LOW] == 0.125
    assert got[HIGH] >= 0.125
    assert read(row((10, 40, 60), (30, 70, 89)), settings(max_new_tokens=80, max_total_length=100))[HIGH] == 0


@pytest.mark.parametrize(("ranks", "least"), [(1, 0.25), (4, 1 / 16), (None, 1 / 16)])
def test_with_several_ranks_only_one_sequence_is_proven(ranks: int | None, least: float) -> None:
    knobs = settings(max_new_tokens=100) if ranks is None else settings(max_new_tokens=100, data_ranks=ranks)
    assert read(row((10, 20, 30), (15, 80, 130)), knobs)[LOW] == least


def test_several_turns_have_no_bounds() -> None:
    knobs = settings(max_new_tokens=100)
    assert read(row((10, 10, 10), (120, 140, 150)), knobs).keys() & {LOW, HIGH} == set()
    assert read({**row((10, 10, 10), (11, 40, 110)), "rollout/num_turns": 2.0}, knobs).keys() & {LOW, HIGH} == set()


def test_without_the_limit_there_are_no_bounds() -> None:
    assert read(row((10, 10, 10), (11, 40, 110))).keys() & {LOW, HIGH, EXACT} == set()


def test_up_to_v030_the_ratio_is_the_true_one() -> None:
    assert read({"ppo_actor/no_eos_ratios/avg": 0.12}, version=(0, 3, 0)) == {EXACT: 0.12}
    assert EXACT not in read({"grpo_actor/no_eos_ratios/avg": 0.12}, version=(0, 3, 1))
    assert EXACT not in read({"ppo_actor/no_eos_ratios/avg": 0.12}, version=None)


def test_bounds_say_that_they_are_bounds() -> None:
    knobs = settings(max_new_tokens=100)
    assert how(HIGH, knobs)[0] == "upper-bound"
    assert how(LOW, knobs)[0] == "lower-bound"
