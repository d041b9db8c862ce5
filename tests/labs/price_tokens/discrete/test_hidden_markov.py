from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student_t
from statsmodels.tsa.regime_switching.markov_regression import MarkovRegression

from goldviz.data.markets.simulated import REGIMES, planted_transitions, simulated_regimes
from goldviz.labs.price_tokens.discrete.hidden_markov import HiddenMarkov, fitted_hidden_markov
from goldviz.labs.price_tokens.problem import token_problem
from goldviz.labs.price_tokens.settings import PriceTokens

REDRAWN = 12
"""Series that tell how far a fit scatters."""

MODEL = HiddenMarkov(
    np.array([0.2, 0.5, 0.3]),
    np.array([[0.9, 0.08, 0.02], [0.05, 0.9, 0.05], [0.1, 0.2, 0.7]]),
    np.array([0.1, 0.0, -0.3]),
    np.array([0.5, 1.0, 2.0]),
)


def drawn(model: Any, days: Any, seed: Any) -> Any:
    generator, states, state = np.random.default_rng(seed), [], 0
    for _ in range(days):
        states.append(state)
        state = generator.choice(model.count, p=model.transitions[state])
    return np.array(states), generator.normal(model.means[states], model.deviations[states])


def test_filter_smoother_and_likelihood_are_sums_over_all_paths() -> None:
    x = np.array([0.3, -2.0, 0.1, 4.0, 0.2])
    paths = np.array(list(product(range(3), repeat=5)))
    chance = MODEL.first[paths[:, 0]] * MODEL.transitions[paths[:, :-1], paths[:, 1:]].prod(axis=1)
    every = chance * norm.pdf(x, MODEL.means[paths], MODEL.deviations[paths]).prod(axis=1)
    filtered, likelihood = MODEL.filtered(x)
    assert likelihood == pytest.approx(np.log(every.sum()))
    for state in range(3):
        smoothed = [every[paths[:, day] == state].sum() for day in range(5)] / every.sum()
        np.testing.assert_allclose(MODEL.smoothed(x)[:, state], smoothed, rtol=1e-10)
    np.testing.assert_allclose(filtered[-1], MODEL.smoothed(x)[-1], rtol=1e-10)
    np.testing.assert_allclose(MODEL.filtered(x[:3])[0], filtered[:3], rtol=1e-12)


def test_filter_and_smoother_are_those_of_statsmodels() -> None:
    _, x = drawn(MODEL, 400, 1)
    other = MarkovRegression(x, k_regimes=3, switching_variance=True)
    chain = MODEL.transitions.T[:-1].ravel()  # In its order: into each state but the last, from every one.
    result = other.smooth(np.concatenate([chain, MODEL.means, MODEL.deviations**2]))
    known = HiddenMarkov(result.initial_probabilities, MODEL.transitions, MODEL.means, MODEL.deviations)
    filtered, likelihood = known.filtered(x)
    assert likelihood == pytest.approx(result.llf, rel=1e-9)
    np.testing.assert_allclose(filtered, result.filtered_marginal_probabilities, atol=1e-9)
    np.testing.assert_allclose(known.smoothed(x), result.smoothed_marginal_probabilities, atol=1e-9)


def test_a_long_series_of_far_values_neither_underflows_nor_fails() -> None:
    filtered, likelihood = MODEL.filtered(np.full(5000, 30.0))
    assert np.isfinite(likelihood)
    assert np.isfinite(filtered).all()


def test_em_never_lowers_the_likelihood() -> None:
    _, x = drawn(MODEL, 300, 2)
    _, seen = fitted_hidden_markov(x, 3, np.random.default_rng(0))
    assert np.diff(seen).min() > -1e-8


def test_em_finds_the_regimes_of_the_simulated_market_within_their_interval() -> None:
    """Gold's regimes alone, 20 years of days. A stay of 1 - 1/60 (1 - share) ends 70 times or so in 20 years."""
    truth = simulated_regimes(0).to_numpy()
    spread = np.exp(np.array([regime.log_variance for regime in REGIMES]) / 2)
    x = np.random.default_rng(0).standard_normal(len(truth)) * spread[truth]
    found, _ = fitted_hidden_markov(x, 3, np.random.default_rng(0))
    np.testing.assert_allclose(np.sort(found.deviations), spread, rtol=0.05)
    planted = np.diag(planted_transitions())
    days = np.bincount(truth)
    # Twice the binomial error of a stay that was seen; the states themselves are not, which doubles it again.
    np.testing.assert_array_less(np.abs(stays_of(found) - planted), 4 * np.sqrt(planted * (1 - planted) / days))


def stays_of(model: HiddenMarkov) -> Any:
    """The chance of staying in each state, the calmest first."""
    return np.diag(model.transitions)[np.argsort(model.deviations)]


def stays_beside_the_planted_ones(preset: str, market_seed: int) -> Any:
    """How far fitted stays are from the planted ones, in standard errors: the spread of fits to series that the fitted
    model itself draws, as long as the real one."""
    problem = token_problem(PriceTokens.preset(preset).changed(market_seed=market_seed))
    past = problem.returns[: problem.starts[-1]]
    fitted, _ = fitted_hidden_markov(past, 3, np.random.default_rng(market_seed))
    again = [
        fitted_hidden_markov(drawn(fitted, len(past), seed)[1], 3, np.random.default_rng(seed))[0]
        for seed in range(REDRAWN)
    ]
    return (stays_of(fitted) - np.diag(problem.planted)) / np.std([stays_of(one) for one in again], axis=0, ddof=1)


@pytest.mark.slow
@pytest.mark.parametrize("market_seed", range(5))
def test_the_planted_chain_lies_within_the_interval_of_the_fitted_one_only_where_there_is_nothing_else(
    market_seed: int,
) -> None:
    """95 % for the three stays together."""
    within = student_t.ppf(1 - 0.05 / 6, REDRAWN - 1)
    assert np.abs(stays_beside_the_planted_ones("regimes-alone", market_seed)).max() < within
    assert np.abs(stays_beside_the_planted_ones("regimes", market_seed)).max() > within


def test_which_state_comes_first_is_a_matter_of_chance() -> None:
    _, x = drawn(MODEL, 200, 3)
    fits = [fitted_hidden_markov(x, 3, np.random.default_rng(seed))[0] for seed in range(3)]
    assert len({tuple(np.argsort(fit.deviations)) for fit in fits}) > 1


def test_more_states_than_different_values_is_a_sentence() -> None:
    with pytest.raises(ValueError, match="3 tokens need as many different returns"):
        fitted_hidden_markov(np.array([1.0, 2.0, 1.0]), 3, np.random.default_rng(0))
