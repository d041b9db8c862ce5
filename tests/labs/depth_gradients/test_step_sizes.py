"""C11 by a sweep: the rates of its runs are the best of four decades, and steps are small where runs are long."""

import numpy as np
import pytest

import goldviz.api
from goldviz.labs.depth_gradients.claims import BEST_RATES, SMALL
from goldviz.labs.depth_gradients.measures import Reading
from goldviz.labs.depth_gradients.settings import DepthGradients

HALF_DECADES = 10.0 ** np.arange(-4, 0.1, 0.5)
NEARLY = 1.05
"""Neighbouring rates may differ by less than seeds do."""


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("optimiser", "epochs"), BEST_RATES)
def test_the_rates_of_the_claim_are_the_best_of_four_decades(optimiser, epochs):
    losses, steps = {}, {}
    for rate in HALF_DECADES:
        settings = DepthGradients(**SMALL, optimiser=optimiser, epochs=epochs, learning_rate=float(rate))
        run = goldviz.api.run(settings, progress=False).isel(seed=0)
        losses[rate] = float(run["test_loss"].sel(network="plain")) if "test_loss" in run else np.inf
        steps[rate] = Reading.typical_step["plain"](run)
    chosen = min(HALF_DECADES, key=lambda rate: abs(np.log(rate / BEST_RATES[optimiser, epochs])))
    lowest = np.nanmin(list(losses.values()))
    assert losses[chosen] <= NEARLY * lowest
    assert (abs(np.log10(steps[chosen]) + 3) < 0.5) == (epochs == 600)
