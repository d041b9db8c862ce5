"""How gold moves after documents: held to statsmodels, to what was planted, and to what was not."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

from goldviz.data.markets.simulated import RESPONSE_WAIT, simulated_market
from goldviz.data.markets.statements import answering_market, statement_tones, with_statements
from goldviz.labs.gold_market.settings import GoldMarket
from goldviz.labs.gold_market.views.returns import LEAST_DOCUMENTS, answer_view


def test_the_line_is_that_of_least_squares_over_days() -> None:
    tones = statement_tones()
    market = with_statements(answering_market(2, tones, 0.2), tones, "made")
    view = answer_view(market)
    moves = np.log(market.target.observed).diff().iloc[1:]
    # A document's answer begins two working days after its release; none lies on a weekend.
    starts = tones.index + pd.offsets.BusinessDay(RESPONSE_WAIT)
    number = np.searchsorted(starts, moves.index, side="right") - 1
    moves, number = moves[number >= 0], number[number >= 0]
    tone = (tones.to_numpy() - tones.mean()) / tones.to_numpy().std()
    fit = sm.OLS(moves.to_numpy() / moves.to_numpy().std(), sm.add_constant(tone[number])).fit()
    assert view.attrs["answer_slope"] == pytest.approx(fit.params[1], rel=1e-9)
    assert view.attrs["answer_error"] == pytest.approx(fit.bse[1], rel=1e-9)
    np.testing.assert_allclose(view["tone"], tone)
    np.testing.assert_allclose(view["answer"], moves.groupby(number).mean().reindex(range(len(tone))))


@pytest.mark.parametrize("seed", [0, 3])
def test_what_was_planted_is_seen_and_what_was_not_is_not(seed: int) -> None:
    planted = GoldMarket(market_seed=seed, tone_response=0.3).compute().attrs
    tones = statement_tones()
    nothing = answer_view(with_statements(simulated_market(seed), tones, "made")).attrs
    assert planted["answer_slope"] == pytest.approx(0.3 / np.sqrt(1.09), abs=4 * planted["answer_error"])
    assert abs(nothing["answer_slope"]) < 3 * nothing["answer_error"]


def test_a_market_without_a_tone_or_with_few_documents_has_no_line() -> None:
    market = simulated_market(0, years=2)
    bare = answer_view(market)
    assert bare.sizes["document"] == 0
    assert np.isnan(bare.attrs["answer_slope"])
    few = statement_tones().iloc[-(LEAST_DOCUMENTS - 1) :]
    found = answer_view(with_statements(market, few, "made"))
    assert found.sizes["document"] == LEAST_DOCUMENTS - 1
    assert np.isnan(found.attrs["answer_slope"])
    assert np.isfinite(found["answer"]).any()


def test_only_the_simulated_market_answers() -> None:
    assert "tone_response" in GoldMarket(data="a" * 16).without_effect()
    assert "tone_response" not in GoldMarket().without_effect()
    settings = GoldMarket(tone_response=0.3, years=2)
    assert settings.compute().sizes["channel"] == 9
    assert not settings.compute()["price"].equals(settings.changed(tone_response=0.0).compute()["price"])
