"""The future is edited: honest tokens of earlier days stay as they are, and those that look ahead light up."""

import numpy as np
import pytest
import xarray as xr

from goldviz.figures.theme import INKS
from goldviz.labs.price_tokens.edited import AFTER, BEFORE, MOST_PUSH, edited, push_to
from goldviz.labs.price_tokens.figures import FIGURES
from goldviz.labs.price_tokens.figures.future import future
from goldviz.labs.price_tokens.measures import gained_by_looking_ahead, pair_of
from goldviz.labs.price_tokens.queries import answer_about_run
from goldviz.labs.price_tokens.settings import PriceTokens
from goldviz.runs.examples import example

START, END, EDIT = 200, 320, 260
SETTINGS = PriceTokens(tokens=4)


def days(logarithms: bool = True) -> xr.Dataset:
    """A market made up of independent moves, with the block that is forecast first."""
    moves = 0.01 * np.random.default_rng(3).standard_normal(400)
    price = 100 * np.exp(np.cumsum(moves)) if logarithms else 100 + np.cumsum(moves)
    spots = {"start": START, "end": END, "edit": EDIT, "spread": float(moves[:START].std())}
    dates = np.datetime_as_string(np.datetime64("2020-01-01") + np.arange(400))
    variables = {"move": ("day", moves), "price": ("day", price)}
    return xr.Dataset(variables, {"day": dates}, {**spots, "logarithms": int(logarithms)})


def strip(push: float, **changes: object) -> xr.Dataset:
    return edited(lambda *told: None, SETTINGS.changed(**changes).model_dump_json(), days(), push)


@pytest.mark.parametrize("tokeniser", ["basis_points", "quantile", "hmm"])
@pytest.mark.parametrize("push", [-2.0, 1.5])
def test_no_honest_token_knows_what_came_later(tokeniser: str, push: float) -> None:
    seen = strip(push, tokeniser=tokeniser, tokens=3)
    assert seen["changes"].values[0] == 0
    np.testing.assert_array_equal(*(seen[name].values[0] for name in ("token", "edited_token")))


def test_tokens_of_the_blocks_own_bins_are_those_of_its_edited_quantiles() -> None:
    market, push = days(), 0.5
    moves = market["move"].values
    other = moves + np.where(np.arange(len(moves)) >= EDIT, push * market.attrs["spread"], 0)
    earlier = slice(EDIT - BEFORE, EDIT)
    before, after = (
        np.searchsorted(np.quantile(one[START:END], [0.25, 0.5, 0.75]), one[earlier], side="right")
        for one in (moves, other)
    )
    seen = strip(push)
    np.testing.assert_array_equal(seen["token"].values[1], before)
    np.testing.assert_array_equal(seen["edited_token"].values[1], after)
    assert seen["changes"].values[1] == (before != after).sum() > 0


def test_nothing_changes_where_nothing_is_edited() -> None:
    seen = strip(0.0)
    assert not seen["changes"].values.any()
    np.testing.assert_allclose(seen["edited_price"], seen["price"])


@pytest.mark.parametrize("logarithms", [True, False])
def test_a_price_that_is_dragged_is_where_the_edited_strip_ends(logarithms: bool) -> None:
    market = days(logarithms)
    for push in (-1.25, 0.4):
        end = edited(lambda *told: None, SETTINGS.model_dump_json(), market, push)["edited_price"].values[-1]
        assert push_to(market, float(end)) == push
    assert push_to(market, 1e9) == MOST_PUSH
    assert push_to(market, -1e9) == -MOST_PUSH


def test_a_lamp_is_lit_over_each_token_that_is_another_and_the_handle_is_the_only_shape() -> None:
    seen = strip(1.5)
    figure = future(seen)
    gold = INKS["light"].accent
    lit = [trace for trace in figure.data if trace.type == "scatter" and trace.marker.color == gold]
    for row, lamps in enumerate(lit):
        differs = seen["token"].values[row] != seen["edited_token"].values[row]
        np.testing.assert_array_equal(np.isfinite(np.asarray(lamps.y, float)), differs)
    [handle] = figure.layout.shapes
    assert (handle.xanchor, handle.yanchor) == (AFTER - 1, pytest.approx(float(seen["edited_price"][-1])))
    honest, ahead = seen["changes"].values
    assert f"{honest} of {BEFORE} honest ones, {ahead} of {BEFORE} that look ahead" in " ".join(
        figure.layout.title.subtitle.text.replace("<br>", " ").split()
    )


def test_a_question_without_a_price_is_refused() -> None:
    for moved in (None, [], [[0, 1]], [[0, 1, "far"]], [[0, 1, True]], [[0, 1, float("nan")]]):
        with pytest.raises(ValueError, match="names no price"):
            answer_about_run(None, {"moved": moved}, "light")  # type: ignore[arg-type]


@pytest.mark.parametrize("slug", ["as-in-the-document", "look-ahead-smoother"])
def test_a_run_and_its_twin_are_drawn_from_one_zero_and_the_gap_between_them_is_named(slug: str) -> None:
    run = example(PriceTokens, slug)
    pair = pair_of(run)
    assert pair is not None
    honest, ahead = (one["nats"].values[-1].astype(float).mean() for one in pair)
    zero = pair.honest["baseline_nats"].sel(baseline="frequency").values.astype(float).mean()
    figure = FIGURES["gains"](run)
    ends = {trace.name.rpartition(", ")[2]: float(np.asarray(trace.y)[-1]) for trace in figure.data}
    assert ends["honest"] == pytest.approx(zero - honest, abs=1e-5)
    assert ends["looking ahead"] == pytest.approx(zero - ahead, abs=1e-5)
    assert gained_by_looking_ahead(*pair) == pytest.approx(honest - ahead, abs=1e-5)
    assert f"gains {honest - ahead:+.3f} nats a day" in figure.layout.title.subtitle.text.replace("<br>", " ")


def test_a_run_without_a_recorded_twin_is_drawn_alone() -> None:
    run = example(PriceTokens, "gpt")
    assert pair_of(run) is None
    names = [trace.name for trace in FIGURES["gains"](run).data]
    assert not any("honest" in name or "ahead" in name for name in names)
