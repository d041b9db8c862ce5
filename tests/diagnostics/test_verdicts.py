"""Verdicts: intervals are those of the books, and every one of the four words is said where it is true."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from goldviz.diagnostics.verdicts import WORDS, Judged, Line, Scale, Verdict, Word, interval

NUMBERS = st.lists(st.floats(-100, 100), min_size=2, max_size=10)
LINES = st.floats(-100, 100)


def verdict(*parts: tuple[list[float], Line]) -> Verdict:
    return Verdict(tuple(Judged("it is {}", line, "difference", values) for values, line in parts))


@given(NUMBERS)
def test_a_difference_has_student_s_interval_of_as_many_other_cases(values: list[float]) -> None:
    found, error = interval(values, "difference"), math.sqrt(2) * stats.sem(values)
    reach = stats.t.ppf(0.975, len(values) - 1) * error
    np.testing.assert_allclose(
        (found.low, found.high), (np.mean(values) - reach, np.mean(values) + reach), rtol=1e-5, atol=1e-3
    )


def test_the_mean_of_as_many_other_cases_lies_in_the_interval_of_95_percent() -> None:
    draws = np.random.default_rng(0).normal(size=(4000, 2, 5))
    found = [interval(first, "difference") for first in draws[:, 0]]
    inside = [one.low <= second.mean() <= one.high for one, second in zip(found, draws[:, 1], strict=True)]
    assert np.mean(inside) == pytest.approx(0.95, abs=0.015)


@given(st.lists(st.floats(1e-3, 1e3), min_size=2, max_size=10))
def test_a_ratio_and_its_inverse_are_judged_alike(values: list[float]) -> None:
    found, inverse = interval(values, "ratio"), interval([1 / value for value in values], "ratio")
    np.testing.assert_allclose((found.low, found.high), (1 / inverse.high, 1 / inverse.low), rtol=1e-6)


@given(st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=10))
def test_a_share_has_wilson_s_interval(values: list[float]) -> None:
    known = stats.binomtest(int(sum(values)), len(values)).proportion_ci(method="wilson")
    found = interval(values, "share")
    np.testing.assert_allclose((found.low, found.high), (known.low, known.high), atol=1e-9)


@pytest.mark.parametrize("values", [[1.0], [math.nan, 1.0, 1.0], [math.inf, 1.0, 1.0], [0.0, 1.0]])
def test_without_enough_numbers_nothing_is_decided(values: list[float]) -> None:
    scale: Scale = "ratio" if values == [0.0, 1.0] else "difference"
    assert Judged("it is {}", Line(above=0.5), scale, values).word == "undecided"


def test_numbers_that_are_all_infinite_are_a_number() -> None:
    assert Judged("{}", Line(above=1), "ratio", [math.inf] * 5).word == "holds"
    assert Judged("{}", Line(below=1), "ratio", [math.inf] * 5).word == "does not hold"


@given(NUMBERS, LINES)
def test_what_is_above_a_line_is_not_below_it(values: list[float], at: float) -> None:
    above, below = verdict((values, Line(above=at))).word, verdict((values, Line(below=at))).word
    assert not above == below == "holds"
    assert below == "does not hold" if above == "holds" else True
    assert above == "does not hold" if below == "holds" else True


@given(st.lists(st.integers(-100, 100), min_size=2, max_size=10, unique=True))
def test_the_rule_can_say_each_of_the_four(whole: list[int]) -> None:
    """Of any numbers that differ there are lines for each verdict."""
    values = [float(number) for number in whole]
    found = interval(values, "difference")
    low, high = min(found.low, *values), max(found.high, *values)
    inside, outside, across = Line(above=low - 1), Line(above=high + 1), Line(above=found.centre)
    lines: dict[Word, list[Line]] = {
        "holds": [inside, inside],
        "holds in part": [inside, outside],
        "does not hold": [outside, outside],
        "undecided": [across, inside],
    }
    assert set(lines) == set(WORDS)
    for word, both in lines.items():
        assert verdict(*((values, line) for line in both)).word == word


@given(NUMBERS, LINES)
def test_an_undecided_half_leaves_no_claim_held(values: list[float], at: float) -> None:
    half = verdict((values, Line(above=at))).word
    whole = verdict((values, Line(above=at)), ([1.0, 1.0], Line(above=0))).word
    assert whole == {"holds": "holds", "does not hold": "holds in part", "undecided": "undecided"}[half]


def test_the_sentence_has_number_line_seeds_and_interval() -> None:
    part = Judged("its loss is {:.2f} of the twin's", Line(below=1), "ratio", [0.40, 0.44, 0.46, 0.43, 0.47])
    assert Verdict((part,)).sentence == (
        "holds: its loss is 0.44 of the twin's (5 of 5 seeds below 1.00, 95 % interval 0.39 to 0.49)"
    )


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ([0.0019, 0.0033, 0.0028, 0.005, 0.004], "holds"),
        ([0.0019, 1.0, 0.0033, 0.0028, 0.005], "undecided"),
        ([0.0019, 1.0, *[0.0033] * 8], "holds"),
        ([2.0, 0.5, 2.1, 2.0, 2.2, 2.0], "undecided"),
        ([2.0, 2.1, 2.0, 2.2, 2.0], "does not hold"),
    ],
)
def test_two_groups_of_seeds_are_judged_by_their_share_too(values: list[float], word: str) -> None:
    assert Judged("{}", Line(below=0.9), "ratio", values).word == word


@pytest.mark.parametrize("control", [[2.0] * 5, [0.0] * 5, [0.0, 2.0, 0.0, 2.0, 1.0]])
def test_a_control_is_shown_and_decides_nothing(control: list[float]) -> None:
    own = Judged("it is {}", Line(above=1), "difference", [2.0] * 5)
    beside = Judged("the other is {}", Line(above=1), "difference", control, control=True)
    assert Verdict((own, beside)).word == "holds"
    assert Verdict((own, beside)).sentence.endswith(": a control)")
    assert Verdict((own, beside), whole=True).word == "holds"


def test_always_is_refuted_by_one_part() -> None:
    parts = (Judged("{}", Line(above=1), "difference", [2.0] * 5), Judged("{}", Line(above=1), "difference", [0.0] * 5))
    assert Verdict(parts).word == "holds in part"
    assert Verdict(parts, whole=True).word == "does not hold"
    assert Verdict(parts[:1], whole=True).word == "holds"


def test_only_equal_numbers_are_all_alike() -> None:
    part = Judged("its loss is {:.2f}", Line(below=1), "difference", [0.8567, 0.8568, 0.8568, 0.8567, 0.8568])
    assert part.sentence == "its loss is 0.86 (5 of 5 seeds below 1.00, alike to the last digit shown)"


def test_the_parts_of_a_claim_that_holds_in_part_say_which_is_which() -> None:
    said = verdict(([2.0, 2.0], Line(above=1)), ([0.0, 0.0], Line(above=1))).sentence
    assert said == (
        "holds in part: it is 2 (2 of 2 seeds above 1, all alike: holds); "
        "it is 0 (0 of 2 seeds above 1, all alike: does not hold)"
    )
