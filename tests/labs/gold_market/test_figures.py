"""The figures of *Gold market* from a small market made by hand."""

from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
import xarray as xr

from goldviz.data.markets.alignment import Alignment
from goldviz.data.markets.market import Market
from goldviz.data.markets.simulated import simulated_market
from goldviz.figures import market as market_words
from goldviz.figures.market import unit_of_changes
from goldviz.figures.theme import INKS, Theme
from goldviz.labs.gold_market.compute import market_view
from goldviz.labs.gold_market.figures import FIGURES, picture
from goldviz.labs.gold_market.figures.leak import answer_sentence, fit_sentence, overall_sentence
from goldviz.labs.gold_market.figures.observed import early_sentence, facts_table, hidden_sentence
from goldviz.labs.gold_market.figures.returns import extremes, memory_sentence, tail_sentence, worst_sentence
from goldviz.labs.gold_market.settings import GoldMarket
from tests.data.markets.small_market import small_market, with_values
from tests.figures.test_theme import contrast

ALWAYS = {name: spec for name, spec in FIGURES.items() if name != "answer"}
"""The figures that any market has; the other one needs documents."""
HOSTILE = "<img src=x onerror=alert(1)>%{x} and so on and so on"


def _view(
    market: Market | None = None, number: int = 1, by: Alignment = "release", pattern: str = "none"
) -> xr.Dataset:
    market = market or small_market()
    return market_view(market, GoldMarket(channel=number, alignment=by, missing=pattern, window=30))


def _draw(name: str, ds: xr.Dataset, theme: Theme = "light") -> go.Figure:
    return FIGURES[name](ds, theme=theme)


def _trace(figure: go.Figure, start: str) -> Any:
    return next(trace for trace in figure.data if (trace.name or "").startswith(start))


def _notes(figure: go.Figure) -> str:
    return str(figure.layout.title.subtitle.text).replace("<br>", " ")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("by", "pattern"), [("release", "none"), ("date", "blocks"), ("release", "channel")])
def test_every_figure_asks_its_question_and_names_its_source(theme: Theme, by: Alignment, pattern: str) -> None:
    ds = _view(by=by, pattern=pattern)
    for name in ALWAYS:
        figure = _draw(name, ds, theme)
        assert figure.layout.title.text.endswith("?")
        assert "Data: by hand, until 2024-05-17." in _notes(figure)
        assert figure.data


def test_simulated_data_are_called_simulated_in_every_figure() -> None:
    ds = market_view(simulated_market(0), GoldMarket(years=2, window=30))
    for name in ALWAYS:
        assert "Simulated market, until 2024-12-31." in _notes(_draw(name, ds))


def test_figures_of_twenty_years_stay_light() -> None:
    ds = market_view(simulated_market(0), GoldMarket(alignment="date", missing="random", window=90))
    sizes = {name: len(_draw(name, ds).to_json()) for name in FIGURES}
    assert max(sizes.values()) < 160_000, sizes


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colours_stand_out_from_the_page(theme: Theme) -> None:
    for colour in (market_words.KNOWN, market_words.JOINED, market_words.HIDDEN):
        assert contrast(colour, INKS[theme].background) >= 3


def test_the_strip_shows_values_per_weekday_and_what_is_hidden() -> None:
    ds = _view(pattern="random")
    figure = _draw("strip", ds)
    gold, *_ = figure.data
    np.testing.assert_allclose(gold.z[0], np.minimum(ds["seen"].values[:, 0] / ds["weekdays"].values, 1), rtol=1e-6)
    assert len(figure.data) == 6
    assert hidden_sentence(ds) in _notes(figure)
    assert "hidden on purpose" in hidden_sentence(ds)
    assert hidden_sentence(_view()) == ""
    assert len(_draw("strip", _view()).data) == 3


def test_the_last_days_mark_each_value_once() -> None:
    ds = _view(by="date", pattern="random")
    figure = _draw("last_days", ds)
    assert sum(len(trace.x) for trace in figure.data) == int(np.isfinite(ds["dated"]).sum())
    assert {trace.name for trace in figure.data} == {
        "known at the forecast",
        "not out yet: a leak",
        "hidden on purpose",
    }
    assert len({next(iter(trace.y)) for trace in figure.data}) == 3
    leaks = _trace(figure, "not out yet")
    assert all(said[2].endswith("after the forecast") for said in leaks.customdata)
    assert [trace.name for trace in _draw("last_days", _view()).data] == ["known at the forecast"]


def test_days_without_a_forecast_are_shaded() -> None:
    ds = _view()
    shades = _draw("last_days", ds).layout.shapes
    assert len(shades) == int((ds["forecast"] == 0).sum()) > 0
    rows = ds["row"].values[ds["forecast"].values == 0]
    for shade, row in zip(shades, rows, strict=True):
        assert row - np.datetime64(shade.x0) == np.datetime64(shade.x1) - row > np.timedelta64(0)


def test_how_many_values_stand_too_early_is_told() -> None:
    assert early_sentence(_view()).startswith("Joined by release: none of ")
    assert early_sentence(_view(by="date")).startswith("Joined by date: all ")
    assert early_sentence(_view(small_market().only(["gold"]))) == ""


def test_prices_share_an_index_and_yields_get_a_panel_of_their_own() -> None:
    together = _draw("prices", _view(number=2))
    assert together.layout.yaxis.type == "log"
    # The coin begins on a Saturday; on the Monday after both are there, and both are 100.
    assert together.data[1].x[0] == "2024-02-10"
    for trace in together.data:
        assert trace.y[list(trace.x).index("2024-02-12")] == 100
    apart = _draw("prices", _view(number=1))
    assert apart.layout.yaxis.title.text == "USD, log axis"
    assert apart.layout.yaxis2.title.text == "percent"
    assert apart.layout.yaxis2.type != "log"


def test_a_covariate_without_values_is_named() -> None:
    market = with_values(small_market(), "coin", lambda values: values * np.nan)
    figure = _draw("prices", _view(market, number=2))
    assert "Coin has no value in these years." in _notes(figure)
    assert len(figure.data) == 1
    assert _draw("correlation", _view(market, number=2)).data
    assert "same-day correlation no number" in overall_sentence(_view(market, number=2))


def test_the_lowest_and_highest_of_each_span_are_kept() -> None:
    values = np.random.default_rng(0).standard_normal(1000)
    kept, span = extremes(values, 90)
    assert span == 12
    assert {int(values.argmin()), int(values.argmax())} <= set(kept.tolist())
    for start in range(0, 1000, span):
        part = values[start : start + span]
        drawn = values[[index for index in kept if start <= index < start + span]]
        assert (drawn.min(), drawn.max()) == (part.min(), part.max())


def test_the_largest_moves_are_named() -> None:
    ds = _view()
    marks = _trace(_draw("returns", ds), "8 largest")
    sizes = np.sort(np.abs(100 * ds["change"].values))
    assert sorted(np.abs(marks.y)) == pytest.approx(sizes[-8:])
    assert all("volatility" in said for said in marks.customdata)


def test_differences_are_drawn_in_their_own_unit() -> None:
    market = small_market()
    gold = replace(market.target, transformation="difference", unit="USD")
    ds = _view(replace(market, channels=(gold, *market.channels[1:])))
    assert unit_of_changes(ds).title == "Change (USD)"
    assert _draw("distribution", ds).layout.xaxis.title.text == "Change (USD)"
    assert "USD" in worst_sentence(ds)
    assert "%" not in worst_sentence(ds)


def test_the_sentences_carry_the_numbers() -> None:
    ds = _view()
    worst = ds["change"].values.argmin()
    assert f"({str(ds['change_day'].values[worst])[:10]})" in worst_sentence(ds)
    assert f"{ds.attrs['excess_kurtosis']:.1f}" in tail_sentence(ds)
    out = int((np.abs(ds["of_squares"].values) > ds.attrs["noise"]).sum())
    assert f"{out} of {ds.sizes['lag']} lags of the squares" in memory_sentence(ds)
    assert f"{ds['joined_overall'].values[1]:+.2f}".replace("-", "−") in overall_sentence(ds)


def test_the_curve_that_the_network_would_see_is_the_thick_one() -> None:
    for by, thick in (("release", "known"), ("date", "joined")):
        figure = _draw("correlation", _view(by=by))  # type: ignore[arg-type]
        widths = {name: _trace(figure, name).line.width for name in ("known", "joined")}
        assert max(widths, key=lambda name: widths[name]) == thick


def test_without_covariates_the_figures_say_so() -> None:
    ds = _view(small_market().only(["gold"]))
    for name in ("correlation", "leak"):
        assert "no covariate" in _draw(name, ds).layout.annotations[0].text.replace("<br>", " ")
    assert fit_sentence(ds) == ""
    for name in FIGURES:
        assert _draw(name, ds).to_json()


@pytest.mark.untrusted
def test_text_from_a_file_is_shown_as_it_is() -> None:
    market = small_market()
    channels = tuple(
        replace(channel, name=f"{number}{HOSTILE}", words=f"{HOSTILE} {number}", unit="<i>%{x}</i>")
        for number, channel in enumerate(market.channels)
    )
    for number in (1, 2):
        ds = _view(replace(market, channels=channels, origin=HOSTILE), number, "date", "random")
        for name in FIGURES:
            text = _draw(name, ds).to_json()
            assert "<img" not in text.encode().decode("unicode_escape", errors="ignore")
            assert "<i>" not in text


def test_the_table_has_a_row_for_every_channel() -> None:
    ds = _view()
    table = facts_table(ds)
    assert table["Channel"].tolist() == ["Gold", "Rate", "Coin"]
    assert table["Values"].tolist() == ds["observed"].astype(int).values.tolist()
    assert table["Out at"].tolist() == ["12:00 UTC", "18:00 UTC", "23:59 UTC"]
    empty = facts_table(_view(with_values(small_market(), "coin", lambda values: values * np.nan)))
    assert empty["Longest gap (days)"].isna().tolist() == [False, False, True]


def test_the_picture_names_its_curves() -> None:
    svg = picture(_view())
    assert all(f">{name}</text>" in svg for name in ("by date", "known"))


@pytest.fixture(scope="module")
def answering() -> xr.Dataset:
    return GoldMarket(tone_response=0.3, years=10).compute()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_answer_to_documents_is_drawn_with_its_line(answering: xr.Dataset, theme: Theme) -> None:
    figure = _draw("answer", answering, theme)
    points, line = figure.data
    assert len(points.x) == answering.sizes["document"] == 80
    slope = (line.y[1] - line.y[0]) / (line.x[1] - line.x[0])
    expected = unit_of_changes(answering).factor * answering.attrs["answer_slope"] * answering.attrs["sd"]
    assert slope == pytest.approx(expected, rel=1e-6)
    assert "Simulated market, until 2024-12-31." in _notes(figure)
    assert answer_sentence(answering) in _notes(figure)
    assert answer_sentence(answering).endswith("sd of a move (95 %): more than chance; planted: 0.3.")


def test_a_market_without_a_tone_says_where_one_comes_from() -> None:
    figure = _draw("answer", _view())
    assert not figure.data
    assert "add one on the page Policy documents" in str(figure.layout.annotations[0].text).replace("<br>", " ")


def test_few_documents_have_no_line(answering: xr.Dataset) -> None:
    few = answering.isel(document=slice(3)).assign_attrs(answering.attrs | {"answer_slope": np.nan})
    assert len(_draw("answer", few).data) == 1
    assert "There are too few documents for a line." in _notes(_draw("answer", few))


def test_a_log_axis_over_six_times_its_lower_end_counts_by_one_two_and_five() -> None:
    assert market_words.counting_log_axis(10, 60)["ticktext"] == ["10", "20", "50"]
    assert market_words.counting_log_axis(10, 59)["ticktext"] == ["10", "12", "15", "20", "25", "30", "40", "50"]
