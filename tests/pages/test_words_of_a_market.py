"""A market that goes below zero is seen in changes: no text of page, report or table calls them anything else."""

import io
import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from goldviz.data.markets.kept_markets import keep
from goldviz.data.markets.market import Channel, Market, Release
from goldviz.declare.registry import laboratories
from goldviz.diagnostics.forecasts.moves import Moves
from goldviz.export.report import report_of_run, report_of_view
from goldviz.export.table import curves_csv
from goldviz.labs.gold_market.settings import GoldMarket
from goldviz.ui.serving import services
from tests.export.report_parts import figure_texts
from tests.pages.instant import InstantVisitor
from tests.pages.visit import Visitor

pytestmark = pytest.mark.usefixtures("on_pages")

UNIT = "USD/barrel"
WRONG = re.compile(r"\breturns?\b|log return|\bbp\b", re.I)
"""What no text about such a market may say."""

FORECAST = {
    "train_years": "2",
    "test_years": "0.25",
    "refits": "1",
    "window": "4",
    "hidden": "3",
    "epochs": "2",
    "network": "rnn",
}
TOKENS = {"train_years": "2", "test_years": "1", "refits": "1", "network": "bigram", "tokens": "4"}


@pytest.fixture
def crude(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a kept market of crude oil that closed below zero once."""
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path / "markets"))
    days = pd.bdate_range("2016-01-04", periods=800)
    prices = 45 + np.cumsum(np.random.default_rng(3).standard_normal(len(days)))
    prices[700] = -37.63
    oil = Channel("Close", "Close", pd.Series(prices, days), "difference", Release("14:30", "America/New_York"), UNIT)
    rate = Channel("Rate", "Rate", pd.Series(2 + np.sin(np.arange(800) / 90), days), "difference", unit="percent")
    return keep(Market((oil, rate), "file", "oil.csv", pd.Timestamp("2026-11-20", tz="UTC")))


def texts_in(part: Any) -> Iterator[str]:
    """Every text in what JSON holds, but for names of colours and fonts."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, dict):
        for value in part.values():
            yield from texts_in(value)
    elif isinstance(part, list):
        for value in part:
            yield from texts_in(value)


def words_on(visitor: Visitor) -> list[str]:
    """Every text that a page shows: its sentences, its controls, its tables, its figures."""
    at = visitor.at
    found = [*visitor.markdown, *visitor.captions, *(one.value for one in at.latex), *visitor.buttons]
    for kind in (at.selectbox, at.slider, at.number_input, at.select_slider, at.toggle, at.radio):
        for control in kind:
            found += [control.label, control.help or "", *map(str, getattr(control, "options", []))]
    for table in at.dataframe:
        found += [*map(str, table.value.columns), *table.value.astype(str).to_numpy().ravel().tolist()]
    return [text.replace("\\", "") for text in found]


QUOTED = re.compile(r"\*\*C\d+\*\*")
"""A document's claim, in the document's words."""
NAMES = re.compile(r"Allowed: one of .*|Settings to change: .*|^returns?$", re.I)
"""The names of settings and of their values, which links and shells are written with."""


def assert_said(texts: list[str], *, told: str) -> None:
    ours = [NAMES.sub("", text) for text in texts if not QUOTED.search(text)]
    wrong = [text[max(0, found.start() - 80) : found.end() + 40] for text in ours if (found := WRONG.search(text))]
    assert wrong == []
    assert any(told in text for text in texts)


def visible(report: str) -> list[str]:
    """The texts of a report: those between tags, and those of its figures."""
    bare = re.sub(r"<(script|style)\b.*?</\1>", " ", report, flags=re.S)
    return [*re.sub(r"<[^>]+>", "\n", bare).split("\n"), *figure_texts(report)]


def trained(page: str, declared: str, market: str, settings: dict[str, str]) -> tuple[Visitor, xr.Dataset, Any]:
    visitor = Visitor(page, {**settings, "data": market})
    visitor.press("Train").wait_for("Finished")
    [run] = visitor.runs
    dataset = services.store().load(run)
    settings_of = laboratories()[declared].declared.from_store(
        int(dataset.attrs["settings_version"]), dataset.attrs["settings"]
    )
    return visitor, dataset, settings_of


@pytest.mark.parametrize(
    ("name", "settings", "in_moves"),
    [
        ("gold-forecast", FORECAST, ("target", "mean", "scale", "baseline_mean", "quantile")),
        pytest.param("price-tokens", TOKENS, ("came", "quantile", "token_mean"), marks=pytest.mark.slow),
        pytest.param("gold-forecast", {**FORECAST, "target": "level"}, ("target", "mean"), marks=pytest.mark.slow),
        pytest.param("gold-forecast", {**FORECAST, "target": "volatility"}, ("target",), marks=pytest.mark.slow),
    ],
)
def test_page_report_and_table_of_a_run_call_changes_changes(
    name: str, settings: dict[str, str], in_moves: tuple[str, ...], crude: str
) -> None:
    visitor, dataset, run = trained(f"pages/{name.replace('-', '_')}.py", name, crude, settings)
    assert_said(words_on(visitor), told="oil.csv")
    figures = laboratories()[name].figures().FIGURES
    drawn = [json.loads(spec(dataset, theme="light").to_json()) for spec in figures.values()]
    assert_said([text for figure in drawn for text in texts_in(figure)], told=f"({UNIT})")
    assert_said(visible(report_of_run(run, dataset, figures)), told=UNIT)
    table = pd.read_csv(io.StringIO(curves_csv(dataset)), low_memory=False)
    units = table.groupby("variable")["units"].first()
    assert set(units[[*in_moves, "price"]]) == {UNIT}
    assert_said([*table.columns, *units, *(str(one.attrs["long_name"]) for one in dataset.values())], told=UNIT)


def test_a_market_s_own_page_calls_changes_changes(crude: str) -> None:
    visitor = InstantVisitor(GoldMarket, {"data": crude})
    texts = [*words_on(visitor), *(text for figure in visitor.all_drawn().values() for text in texts_in(figure))]
    assert_said(texts, told=f"Change ({UNIT})")
    settings = GoldMarket(data=crude)
    report = report_of_view(settings, settings.compute(), laboratories()["gold-market"].figures().FIGURES)
    assert_said(visible(report), told=UNIT)


@pytest.mark.parametrize("transformation", ["log_return", "difference", "level"])
def test_a_run_s_words_follow_from_its_transformation(transformation: str) -> None:
    ds = xr.Dataset(attrs={"target_transformation": transformation, "target_unit": "USD"})
    assert Moves.of_run(ds) == Moves.of(transformation, "USD")
    assert Moves.of_run(ds).unit == ("%" if transformation == "log_return" else "USD")
    assert Moves.of_run(ds, "level").next == "Next level (USD)"
