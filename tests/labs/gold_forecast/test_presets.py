"""What the presets' words say of ten simulated markets, trained anew: two refits and five epochs each."""

import numpy as np
import pytest

import goldviz
from goldviz.labs.gold_forecast.measures import Reading
from goldviz.labs.gold_forecast.settings import GoldForecast

MARKETS = range(10)


@pytest.fixture(scope="module")
def ten():
    found = {}

    def runs(preset):
        if preset not in found:
            settings = GoldForecast.preset(preset).changed(refits=2, epochs=5)
            found[preset] = [
                Reading.of(goldviz.run(settings.changed(market_seed=k, seeds=(k,)), progress=False)) for k in MARKETS
            ]
        return found[preset]

    return runs


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["as-in-the-document", "fix-it-shuffled-targets"])
def test_nothing_is_proved_better_than_zero(preset, ten):
    assert sum(one.own.better for one in ten(preset)) == 0


@pytest.mark.slow
def test_the_variance_can_be_forecast_and_garch_is_higher_on_three(ten):
    assert all(one.own.better for one in ten("volatility"))
    assert sum(one.garch.value > one.own.value for one in ten("volatility")) == 3


@pytest.mark.slow
def test_a_leak_brings_half_of_the_variance(ten):
    scores = [one.own.value for one in ten("break-it-leak")]
    assert (round(100 * min(scores)), round(100 * max(scores))) == (39, 52)


@pytest.mark.slow
def test_levels_score_above_99_percent_with_nothing_learned(ten):
    assert np.min([one.r2_against_mean for one in ten("break-it-levels")]) > 0.99
    assert not any(one.own.better for one in ten("break-it-levels"))
