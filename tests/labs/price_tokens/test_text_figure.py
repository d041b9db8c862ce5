"""The market as a text: each day's token in its colour, and below it the regime that was planted."""

import numpy as np
import pytest
import xarray as xr

from goldviz.labs.price_tokens.figures import FIGURES
from goldviz.labs.price_tokens.settings import PriceTokens
from goldviz.runs.examples import example


@pytest.fixture(scope="module")
def runs() -> dict[bool, xr.Dataset]:
    """A recorded run of a market with planted regimes, and one without."""
    recorded = [example(PriceTokens, preset.slug) for preset in PriceTokens.presets]
    return {planted: next(run for run in recorded if ("regime" in run) == planted) for planted in (True, False)}


@pytest.mark.parametrize("planted", [True, False])
def test_tokens_are_counted_from_one_and_share_one_scale(runs: dict[bool, xr.Dataset], planted: bool) -> None:
    run = runs[planted]
    figure = FIGURES["as_text"](run)
    price, tokens, *others = figure.data
    np.testing.assert_allclose(price.y, run["price"])
    np.testing.assert_array_equal(tokens.z[0], run["token"].values + 1)
    assert tokens.hovertemplate == "%{x}: token %{z}<extra></extra>"
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (1, run.sizes["token_name"])
    assert len(others) == planted


def test_planted_regimes_reach_from_the_first_colour_to_the_last(runs: dict[bool, xr.Dataset]) -> None:
    run = runs[True]
    regimes = FIGURES["as_text"](run).data[2]
    colours = dict(zip(run["regime"].values.tolist(), regimes.z[0].tolist(), strict=True))
    count = run.sizes["token_name"]
    assert colours == {regime: 1 + regime * (count - 1) / 2 for regime in colours}
    assert set(colours) == {0, 1, 2}
    assert list(regimes.text[0]) == [f"regime {regime + 1}" for regime in run["regime"].values]


def test_a_line_stands_where_the_next_fit_takes_over(runs: dict[bool, xr.Dataset]) -> None:
    run = runs[True]
    changes = np.flatnonzero(np.diff(run["block"].values)) + 1
    lines = FIGURES["as_text"](run).layout.shapes
    assert sorted({str(line.x0) for line in lines}) == [str(run["time"].values[at]) for at in changes]
    assert {line.xref for line in lines} == {"x", "x2", "x3"}
