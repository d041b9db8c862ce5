"""Numbers in texts are in order: ranges, steps, prices, votes."""

import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldviz.data.texts.policy.circumstances import (
    CIRCUMSTANCES,
    COUNTS,
    ORDINALS,
    in_quarters,
    prices_after,
    sums_after,
)

SEEDS = st.integers(0, 10_000)


def drawn(slot, seed):
    return CIRCUMSTANCES[slot](np.random.default_rng(seed))


def quarters(text):
    return 4 * sum((Fraction(part) for part in text.split("-")), Fraction(0))


@pytest.mark.parametrize("number", range(30))
def test_quarters_are_read_back(number):
    assert quarters(in_quarters(number)) == number


@given(SEEDS)
def test_a_target_range_is_ordered_and_a_step_from_the_one_before(seed):
    band = drawn("band", seed)
    low, high = (quarters(band.forms[end]) for end in ("low", "high"))
    old = quarters(band.forms["old"].split()[0])
    step = quarters(band.forms["step"].split()[0])
    assert 0 <= low < high == low + 1
    assert low - old == band.sign * step
    assert step in (1, 2, 3)
    assert band.forms["do"] == ("raise" if low > old else "lower")
    assert band.forms["basis"] == f"{25 * step} basis points"


@given(SEEDS, st.sampled_from(["pair", "sums", "prices"]))
def test_a_sign_says_which_way_the_numbers_go(seed, slot):
    term = drawn(slot, seed)
    first, second, by = (float(re.match(r"[\d.]+", term.forms[form])[0]) for form in ("first", "second", "by"))
    assert term.sign == np.sign(second - first)
    assert abs(second - first) == pytest.approx(by)
    assert second > 0


@given(SEEDS, st.integers(1, 20))
def test_sums_and_prices_go_on_from_where_they_stood(seed, first):
    generator = np.random.default_rng(seed)
    sums = sums_after(first, "million", generator)
    assert sums.forms["first"] == f"{first} million dollars"
    assert int(sums.forms["number"]) >= 1
    price = prices_after(5 * first, generator)
    assert price.forms["first"] == f"{5 * first} dollars"
    assert int(price.forms["number"]) > 0


@given(SEEDS)
def test_a_vote_has_a_majority(seed):
    votes = drawn("votes", seed)
    against = votes.forms["against"].split()[0]
    number = {"no": 0, "one": 1}.get(against)
    number = COUNTS.index(against) + 2 if number is None else number
    assert COUNTS.index(votes.forms["for"]) + 2 > number
    assert votes.forms["against"].endswith("member" if number < 2 else "members")


@given(SEEDS)
def test_a_range_is_ordered(seed):
    low, high = (int(drawn("range", seed).forms[end].split()[0]) for end in ("low", "high"))
    assert low < high


def test_every_month_has_both_days_of_a_meeting():
    generator, days = np.random.default_rng(0), set()
    for _ in range(2000):
        date = CIRCUMSTANCES["date"](generator).forms
        month, first, last = re.fullmatch(r"(\w+) (\d+)-(\d+)", date["days"]).groups()
        assert date[""] == f"{month} {first}, {date['year']}"
        assert int(last) == int(first) + 1
        days.add(int(first))
    # The second day is the 28th at the latest, the last that a February of every year has.
    assert days == set(range(1, 28))


@given(SEEDS)
def test_a_count_is_followed_by_the_next_and_has_the_ordinal_of_its_number(seed):
    count = drawn("count", seed).forms
    number = COUNTS.index(count[""]) + 2
    assert COUNTS.index(count["next"]) + 2 == number + 1
    assert ORDINALS.index(count["ordinal"]) + 1 == number
