"""Days as tokens: what they may know, what a new fit may call them, and what they say of the next return."""

from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

from goldviz.labs.price_tokens.densities import Loss, log_frequencies, log_pairs, loss_of_normal, loss_of_tokens
from goldviz.labs.price_tokens.instruments import bits_a_day, motifs
from goldviz.labs.price_tokens.problem import token_problem
from goldviz.labs.price_tokens.settings import PriceTokens
from goldviz.labs.price_tokens.tokenisers import FITS, changed_by_future, fitted, written

STARTS = (600, 800)
RETURNS = np.random.default_rng(0).standard_normal(1000) * np.repeat([0.005, 0.02], 500)[np.r_[0:1000:2, 1:1000:2]]


def settings(**changes: Any) -> Any:
    return PriceTokens(**{"tokens": 3, "code_steps": 10, **changes})


def changed(chosen: Any) -> Any:
    start, end = STARTS
    before = written(chosen, RETURNS, STARTS).first
    return changed_by_future(chosen, RETURNS, start, end, before)


@pytest.mark.parametrize("tokeniser", FITS)
def test_tokens_fitted_on_the_past_know_nothing_of_later_days(tokeniser: Any) -> None:
    assert changed(settings(tokeniser=tokeniser, window=5)) == 0


@pytest.mark.parametrize(
    "leak",
    [
        {"tokeniser": "quantile", "fitted_on": "all"},
        {"tokeniser": "quantile", "fitted_on": "block"},
        {"tokeniser": "mixture", "window": 5, "fitted_on": "all"},
        {"tokeniser": "hmm", "read": "smoother"},
    ],
    ids=str,
)
def test_every_leak_shows_in_tokens_that_later_days_change(leak: Any) -> None:
    assert changed(settings(**leak)) > 0


def test_a_new_fit_keeps_its_names_where_they_are_matched() -> None:
    kept, loose = (
        written(settings(tokeniser="kmeans", window=20, labels=way, market_seed=seed), RETURNS, STARTS)
        for way, seed in (("aligned", 0), ("as_they_come", 0))
    )
    np.testing.assert_array_equal(kept.same_label, kept.same_meaning)
    np.testing.assert_allclose(kept.same_meaning, loose.same_meaning)
    assert (loose.same_label <= loose.same_meaning).all()
    np.testing.assert_array_equal(kept.tokens[:800], loose.tokens[:800])


@pytest.mark.parametrize("tokeniser", FITS)
def test_a_forecast_is_a_density(tokeniser: Any) -> None:
    found = fitted(settings(tokeniser=tokeniser, window=5), RETURNS, 0)
    chances = np.log(np.array([[0.2, 0.5, 0.3]]))

    def density(x: Any) -> Any:
        return float(np.exp(-loss_of_tokens(chances, found, np.array([x])).nats[0]))

    edges = getattr(found, "edges", np.array([0.0]))
    assert quad(density, -0.4, 0.4, points=[*edges, *-edges], limit=400)[0] == pytest.approx(1, abs=1e-3)


def test_size_and_sign_add_up_and_a_symmetric_forecast_knows_no_sign() -> None:
    came = RETURNS[:50]
    normal = loss_of_normal(np.zeros(50), np.full(50, 0.01), came)
    np.testing.assert_allclose(normal.sign, np.log(2))
    leaning = loss_of_normal(np.full(50, 0.01), np.full(50, 0.01), came)
    assert (leaning.sign < np.log(2)).tolist() == (came > 0).tolist()
    there = np.log(np.array([0.3, 0.1]))
    joined = Loss.of(there, there[::-1])
    np.testing.assert_allclose(joined.sign, -np.log([0.75, 0.25]))


def test_frequencies_and_pairs_are_counted_of_the_past() -> None:
    past = np.array([0, 1, 0, 1, 1])
    np.testing.assert_allclose(np.exp(log_frequencies(past, 2, 1)), [[3 / 7, 4 / 7]])
    pairs = np.exp(log_pairs(past, np.array([0, 1]), 2, 1.0))
    np.testing.assert_allclose(pairs, [[1 / 4, 3 / 4], [2 / 4, 2 / 4]])


def test_merges_shorten_what_repeats_and_nothing_that_is_shuffled() -> None:
    past, later = np.tile([0, 1, 2], 300), np.tile([0, 1, 2], 100)
    bits, named, dealt = motifs(past, later, 3, 2, 0)
    assert named[0] == ("1-2", 300)
    assert bits[0, 0] == pytest.approx(np.log2(3), abs=1e-3)
    assert bits[0, -1] < 0.1
    assert bits[1, -1] > 1.4
    assert len(dealt) == 2
    assert bits_a_day(past, later, [], 3) == pytest.approx(bits[0, 0])


def test_the_planted_chain_goes_from_one_trading_day_to_the_next() -> None:
    problem = token_problem(PriceTokens())
    np.testing.assert_allclose(problem.planted.sum(axis=1), 1)
    known = problem.regimes
    assert known is not None
    stays = [np.mean(known[1:][known[:-1] == regime] == regime) for regime in range(3)]
    np.testing.assert_allclose(stays, np.diag(problem.planted), atol=0.006)
