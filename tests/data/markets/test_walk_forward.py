"""Folds never look ahead, and every forecast is tested once."""

import numpy as np
import pandas as pd
from hypothesis import assume, given
from hypothesis import strategies as st

from goldviz.data.markets.market import MarketError
from goldviz.data.markets.walk_forward import LEAST_TRAINING, folds
from tests.refusals import refused

DEFAULTS = {
    "scheme": "expanding",
    "train_years": 2.0,
    "test_years": 1.0,
    "refits": 4,
    "embargo": 5,
    "validation_share": 0.15,
}


def calendar(length, seed=0):
    """Days with gaps, and rows of forecasts and answers among rows on which the target was not observed."""
    generator = np.random.default_rng(seed)
    steps = generator.choice([1, 1, 1, 3], length)
    dates = pd.DatetimeIndex(pd.Timestamp("2010-01-04") + pd.to_timedelta(steps.cumsum(), unit="D"))
    observed = np.flatnonzero(generator.random(length) < 0.9)
    return dates, observed[1:], observed[:-1]


@st.composite
def divisions(draw):
    """A calendar of three to seven years, and settings that it often can bear."""
    dates, known, rows = calendar(draw(st.integers(700, 1700)), draw(st.integers(0, 999)))
    chosen = {
        "scheme": draw(st.sampled_from(["expanding", "rolling"])),
        "train_years": draw(st.floats(0.5, 3)),
        "test_years": draw(st.floats(0.25, 2)),
        "refits": draw(st.integers(1, 12)),
        "embargo": draw(st.integers(0, 60)),
        "validation_share": draw(st.floats(0.05, 0.5)),
    }
    try:
        found = folds(dates, known, rows, **chosen)
    except MarketError:
        assume(False)
    return dates, known, rows, chosen, found


@given(divisions())
def test_parts_come_one_after_another_with_purge_and_embargo_between(division):
    _, known, rows, chosen, found = division
    for fold in found:
        assert len(fold.train) >= LEAST_TRAINING
        assert len(fold.validation) > 0
        assert len(fold.test) > 0
        for part in (fold.train, fold.validation, fold.test):
            assert (np.diff(part) == 1).all()
        assert known[fold.train].max() < rows[fold.validation[0]] - chosen["embargo"]
        assert known[fold.validation].max() < rows[fold.test[0]] - chosen["embargo"]


@given(divisions())
def test_no_more_is_left_out_than_has_to_be(division):
    dates, known, rows, chosen, found = division
    made = dates[rows]
    for fold in found:
        window = [
            position
            for position in range(fold.test[0])
            if known[position] < rows[fold.test[0]] - chosen["embargo"]
            and (
                chosen["scheme"] == "expanding"
                or (made[fold.test[0]] - made[position]).days <= chosen["train_years"] * 365.25
            )
        ]
        share = round(chosen["validation_share"] * len(window))
        assert fold.validation.tolist() == window[-share:]
        learned = [p for p in window[:-share] if known[p] < rows[fold.validation[0]] - chosen["embargo"]]
        assert fold.train.tolist() == learned


@given(divisions())
def test_every_forecast_of_the_test_years_is_tested_once(division):
    dates, _, rows, chosen, found = division
    made = dates[rows]
    tested = [p for p in range(len(rows)) if (made[-1] - made[p]).days < chosen["test_years"] * 365.25]
    assert np.concatenate([fold.test for fold in found]).tolist() == tested
    assert [fold.number for fold in found] == list(range(len(found)))
    sizes = [len(fold.test) for fold in found]
    assert len(sizes) == chosen["refits"]
    assert max(sizes) - min(sizes) <= 1


@given(divisions(), st.data())
def test_rows_that_come_later_change_no_earlier_fold(division, data):
    """Days on which only covariates are observed, put in after a row, move later embargoes and nothing before."""
    dates, known, rows, chosen, found = division
    row = data.draw(st.integers(0, len(dates) - 2))
    added = data.draw(st.integers(1, 30))
    between = dates[row] + (dates[row + 1] - dates[row]) * np.arange(1, added + 1) / (added + 1)
    longer = dates[: row + 1].append(pd.DatetimeIndex(between)).append(dates[row + 1 :])
    try:
        other = folds(longer, known + added * (known > row), rows + added * (rows > row), **chosen)
    except MarketError:
        assume(False)
    for fold, again in zip(found, other, strict=True):
        assert fold.test.tolist() == again.test.tolist()
        if rows[fold.test[0]] <= row:
            assert fold.train.tolist() == again.train.tolist()
            assert fold.validation.tolist() == again.validation.tolist()


@given(divisions(), st.integers(0, 1000))
def test_later_dates_change_no_earlier_fold(division, seed):
    """Days after a fold's first forecast moved about, while the borders of the test years stay."""
    dates, known, rows, chosen, found = division
    middle = found[len(found) // 2]
    start, end = rows[middle.test[0]], rows[found[-1].test[-1]]
    seconds = dates.as_unit("s").asi8.astype(float)
    between = np.random.default_rng(seed).uniform(seconds[start], seconds[end], max(end - start - 1, 0))
    seconds[start + 1 : end] = np.sort(between)
    moved = seconds.astype("datetime64[s]")
    try:
        other = folds(pd.DatetimeIndex(moved), known, rows, **chosen)
    except MarketError:  # a later fold's window of years may hold too few of the moved days
        assume(False)
    for fold, again in zip(found, other, strict=True):
        if fold.test[0] <= middle.test[0]:
            assert fold.train.tolist() == again.train.tolist()
            assert fold.validation.tolist() == again.validation.tolist()


def test_a_division_by_hand():
    """Ten years of days: the last 731 tested in four blocks, and embargoes of five rows."""
    dates = pd.date_range("2010-01-01", periods=3653)
    rows = np.arange(3652)
    found = folds(dates, rows + 1, rows, **{**DEFAULTS, "test_years": 2.0})
    assert [(fold.test[0], fold.test[-1]) for fold in found] == [
        (2921, 3103),
        (3104, 3286),
        (3287, 3469),
        (3470, 3651),
    ]
    first = found[0]
    # The last answer used is known at row 2915, below 2921 - 5; 15 % of the 2915 forecasts until then validate.
    assert (first.validation[0], first.validation[-1]) == (2915 - 437, 2914)
    assert (first.train[0], first.train[-1]) == (0, 2915 - 437 - 7)
    rolling = folds(dates, rows + 1, rows, **{**DEFAULTS, "test_years": 2.0, "scheme": "rolling"})
    assert len(rolling) == 4
    assert rolling[0].train[0] == 2921 - 730


def refused_folds(days, code, *facts, **changes):
    """For an answer on every day from 1 January 2010."""
    rows = np.arange(days - 1)
    with refused(MarketError, code, *facts):
        folds(pd.date_range("2010-01-01", periods=days), rows + 1, rows, **{**DEFAULTS, **changes})


def test_a_span_that_is_too_short_says_what_is_there_and_what_to_lower():
    refused_folds(731, "too_short", "3.00 years", "2.00 (2010-01-01 to 2011-12-31)", "test years.")


def test_too_many_refits_are_named():
    refused_folds(1500, "too_many_refits", "0.1 test years", "37 forecasts", "40 refits", test_years=0.1, refits=40)


def test_an_embargo_that_leaves_too_little_to_learn_from_is_named():
    # Of 182 days 71 fall to the first embargo, 17 (15 % of 111) validate, and 71 of the other 94 fall to the second.
    rolling = {"train_years": 0.5, "scheme": "rolling"}
    facts = "Refit 1 of 4", "23 forecasts", "17 for validation", "embargo of 70 rows", "30"
    refused_folds(1500, "too_little_training", *facts, **rolling, embargo=70)
    refused_folds(1500, "too_little_training", "0 forecasts", "0 for validation", **rolling, embargo=250)


def test_no_forecast_at_all_is_said():
    nothing = np.empty(0, dtype=np.int64)
    with refused(MarketError, "too_short", "3.00 years"):
        folds(pd.DatetimeIndex([]), nothing, nothing, **DEFAULTS)
