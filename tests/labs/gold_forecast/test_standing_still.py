"""A market whose price stands still for a year and a half: no score explodes, and cards and tables say it."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import goldviz
from goldviz.labs.gold_forecast import verdict as of_forecast
from goldviz.labs.price_tokens import verdict as of_tokens

DAYS = pd.bdate_range("2015-01-01", periods=1300)
STILL = slice(850, 1150)
SETTINGS: dict[str, Any] = {"epochs": 1, "refits": 2, "train_years": 2, "test_years": 2.5}
SMALL: dict[str, Any] = {**SETTINGS, "network": "gru", "hidden": 4, "window": 5}


def market(folder: Path, unit: float, still: slice | None) -> str:
    returns = 0.01 * np.random.default_rng(5).standard_normal(len(DAYS))
    if still is not None:
        returns[still] = 0.0
    price = (1900 * np.exp(np.cumsum(returns))).round(2) * unit
    pd.DataFrame({"Date": DAYS.strftime("%Y-%m-%d"), "Bullion": price}).to_csv(folder / "mine.csv", index=False)
    name: str = goldviz.market(folder / "mine.csv", columns=["Bullion"])
    return name


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path / "kept"))
    return tmp_path


def runs(folder: Path, unit: float = 1.0, still: slice | None = None) -> tuple[xr.Dataset, xr.Dataset]:
    data = market(folder, unit, still)
    forecast = goldviz.run("gold-forecast", data=data, target="volatility", progress=False, **SMALL)
    return forecast, goldviz.run("price-tokens", data=data, network="bigram", progress=False, **SETTINGS)


def test_no_score_explodes_and_it_is_said(folder: Path) -> None:
    forecast, tokens = runs(folder, still=STILL)
    assert of_forecast.standing_still(forecast) == (
        "Bullion does not move for 300 days on end. QLIKE rewards whatever narrows on such days, so its gains say "
        "little of the others. The simple forecasts stop at a hundredth of the past's width."
    )
    assert of_tokens.standing_still(tokens) == (
        "Bullion does not move for 300 days on end. Whatever narrows on such days gains nats by them, so gains say "
        "little of the others."
    )
    assert np.abs(forecast["volatility_score"].sel(volatility_metric=["qlike", "qlike_gain"])).max() < 100
    assert np.abs(tokens["score"].sel(metric=["nats", "gain"])).max() < 100


def test_other_markets_and_prices_in_other_units_say_nothing_and_score_alike(folder: Path) -> None:
    dollars, tokens = runs(folder)
    cents, tokens_of_cents = runs(folder, unit=100.0)
    assert of_forecast.standing_still(dollars) == of_tokens.standing_still(tokens) == ""
    for name in ("baseline_scale", "volatility_score", "scale"):
        np.testing.assert_allclose(cents[name], dollars[name], rtol=1e-6, atol=1e-9)
    for name in ("baseline_nats", "score", "nats"):
        np.testing.assert_allclose(tokens_of_cents[name], tokens[name], rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("target", ["return", "level"])
def test_forecasts_of_the_move_itself_say_it_too(folder: Path, target: str) -> None:
    run = goldviz.run("gold-forecast", data=market(folder, 1.0, STILL), target=target, progress=False, **SMALL)
    said = "Bullion does not move for 300 days on end. Such days lie inside every interval."
    assert of_forecast.standing_still(run) == said
