"""Intervals are those of the books, and cover the truth as often as they say."""

import math
from collections.abc import Callable

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.power import TTestPower
from statsmodels.stats.proportion import proportion_confint

from goldviz.diagnostics.noise import difference, mean_interval, seeds_for, student, wilson_interval

NUMBERS = st.lists(st.floats(-100, 100), min_size=2, max_size=10)


def by_seed(values: object, *seeds: int) -> xr.DataArray:
    return xr.DataArray(values, {"seed": list(seeds)}, "seed")


def test_the_quantiles_are_student_s_and_the_normal_one() -> None:
    np.testing.assert_allclose([student(n) for n in range(1, 30)], stats.t.ppf(0.975, range(1, 30)), rtol=1e-10)
    assert student(math.inf) == pytest.approx(stats.norm.ppf(0.975))


@given(NUMBERS, st.booleans())
def test_a_mean_has_student_s_interval(values: list[float], others: bool) -> None:
    reach = stats.t.ppf(0.975, len(values) - 1) * stats.sem(values) * (math.sqrt(2) if others else 1)
    np.testing.assert_allclose(
        mean_interval(values, others=others), (np.mean(values) - reach, np.mean(values) + reach), rtol=1e-6, atol=1e-6
    )


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.5, 0.999))
def test_wilson_interval_is_that_of_statsmodels(counts: tuple[int, int], share: float) -> None:
    right, counted = counts
    low, high = wilson_interval(right, counted, share)
    np.testing.assert_allclose(
        (low, high), proportion_confint(right, counted, alpha=1 - share, method="wilson"), atol=1e-12
    )
    assert 0 <= low <= right / counted <= high <= 1 or math.isclose(high, 1) or math.isclose(low, 0, abs_tol=1e-12)


def test_nothing_counted_has_no_interval() -> None:
    assert np.isnan(wilson_interval(0, 0)).all()


def test_seeds_that_both_have_are_pairs() -> None:
    one, other = by_seed([1.0, 5.0, 9.0, 2.0], 0, 1, 2, 7), by_seed([8.6, 0.8, 4.6], 2, 0, 1)
    found = difference(one, other)
    low, high = stats.ttest_rel([1.0, 5.0, 9.0], [0.8, 4.6, 8.6]).confidence_interval(0.95)
    np.testing.assert_allclose((found.low, found.high), (low, high))
    assert (found.pairs, found.missing) == (3, (7,))
    assert difference({0: 1.0, 1: 5.0, 2: 9.0}, {2: 8.6, 0: 0.8, 1: 4.6}).low == found.low


@given(NUMBERS, NUMBERS)
def test_groups_without_seeds_are_judged_by_welch(one: list[float], other: list[float]) -> None:
    found = difference(one, other)
    assert found.pairs == 0
    if np.std(one) + np.std(other) > 1e-6:
        low, high = stats.ttest_ind(one, other, equal_var=False).confidence_interval(0.95)
        np.testing.assert_allclose((found.low, found.high), (low, high), rtol=1e-6, atol=1e-6)


def test_it_says_whether_it_may_be_noise() -> None:
    sure = difference(by_seed([1.0, 2.0, 3.0], 0, 1, 2), by_seed([0.5, 1.4, 2.5], 0, 1, 2))
    assert not sure.is_noise
    assert "paired over 3 seeds). It is more than the seeds' noise." in sure.sentence
    unsure = difference([1.0, 2.0, 3.0], [1.1, 1.2, 2.9])
    assert unsure.is_noise
    assert f"about {unsure.seeds_needed:,} seeds on each side would tell" in unsure.sentence
    gone = difference(by_seed([1.0, math.nan, 3.0], 0, 1, 2), by_seed([0.0, 1.0, 2.5], 0, 1, 2))
    assert (gone.left_out, gone.pairs) == (1, 2)
    assert "1 that gave no number left out" in gone.sentence
    assert "Nothing can be said" in difference([1.0], [2.0, 3.0]).sentence
    assert difference([1.0], [2.0, 3.0]).is_noise
    with pytest.raises(ValueError, match="one for each seed"):
        difference(np.zeros((2, 3)), [1.0])


@pytest.mark.parametrize("effect", [0.5, 1.0, 2.0])
def test_seeds_needed_are_those_of_a_power_of_four_fifths(effect: float) -> None:
    known = TTestPower().solve_power(effect_size=effect, alpha=0.05, power=0.8)
    assert abs(seeds_for(effect, 1.0, paired=True) - known) < 1.5
    assert seeds_for(0.0, 1.0, paired=True) is None


CASES: dict[str, Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]] = {
    "alike": lambda draw, n: (draw.normal(size=n), draw.normal(size=n) - 1),
    "unequal spreads": lambda draw, n: (draw.normal(size=n), 3 * draw.normal(size=n) - 1),
    "losses": lambda draw, n: (draw.lognormal(0, 0.4, n), draw.lognormal(0, 0.4, n)),
    "ranges": lambda draw, n: (draw.uniform(size=n), draw.uniform(-1, 0, size=n)),
}
TRUTHS = {"alike": 1.0, "unequal spreads": 1.0, "losses": 0.0, "ranges": 1.0}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("count", [4, 10])
def test_the_interval_covers_the_truth_in_95_percent_of_2000_cases(case: str, paired: bool, count: int) -> None:
    draw, inside = np.random.default_rng(7), 0
    for _ in range(2000):
        one, other = CASES[case](draw, count)
        if paired:
            shared = 2 * draw.normal(size=count)
            seeds = range(count)
            found = difference(by_seed(one + shared, *seeds), by_seed(other + shared, *seeds))
        else:
            found = difference(one.tolist(), other.tolist())
        inside += found.low <= TRUTHS[case] <= found.high
    assert 0.93 <= inside / 2000 <= 0.97


@pytest.mark.slow
def test_as_many_seeds_as_are_said_to_be_needed_tell_in_four_cases_of_five() -> None:
    draw = np.random.default_rng(3)
    for paired in (True, False):
        spread = 1.0 if paired else math.sqrt(2)
        count = seeds_for(0.9, spread, paired)
        assert count is not None
        seen = 0
        for _ in range(1000):
            if paired:
                found = difference(dict(enumerate(draw.normal(0.9, 1, count))), dict.fromkeys(range(count), 0.0))
            else:
                found = difference(draw.normal(0.9, 1, count).tolist(), draw.normal(0, 1, count).tolist())
            seen += found.low > 0
        assert 0.77 <= seen / 1000 <= 0.87
