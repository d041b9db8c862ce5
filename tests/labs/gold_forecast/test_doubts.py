"""What does not fit is told before a run on a visitor's own market, and nothing of what fits."""

from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import goldviz
from goldviz.data.markets.kept_markets import keep
from goldviz.data.markets.market import Channel, Market, MarketError
from goldviz.data.markets.text_channels import axes_note
from goldviz.labs.gold_forecast.doubts import doubts, problem_doubts
from goldviz.labs.gold_forecast.settings import GoldForecast
from goldviz.labs.gold_forecast.verdict import verdict
from goldviz.ui.serving import services
from goldviz.ui.words import plain
from tests.pages.visit import Visitor

SMALL: dict[str, Any] = {"train_years": 1, "test_years": 2, "refits": 2, "window": 5}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path / "kept"))
    # The same numbers with other notes have the same name.
    problem_doubts.cache_clear()


def own(first: str = "2019-01-01", last: str = "2023-12-29", note: str = "", days: int = 1300) -> str:
    """A market of gold from 2019 to 2023, with silver from ``first`` to ``last``."""
    dates = pd.bdate_range("2019-01-01", "2023-12-29")[-days:]
    drawn = np.exp(np.cumsum(0.01 * np.random.default_rng(3).standard_normal((2, len(dates))), axis=1))
    gold = Channel("gold", "Gold", pd.Series(1900 * drawn[0], dates), "log_return")
    silver = Channel("silver", "Silver", pd.Series(20 * drawn[1], dates)[first:last], "log_return")
    notes = {"silver": note} if note else {}
    return keep(Market((gold, silver), "file", "gold.csv", pd.Timestamp("2026-11-20", tz="UTC"), notes))


def told(**changes: Any) -> tuple[str, ...]:
    return doubts(GoldForecast(**{**SMALL, **changes}))


def test_what_fits_is_not_doubted() -> None:
    assert told(data=own()) == ()
    assert told() == ()


@pytest.mark.parametrize(
    ("first", "last", "words"),
    [
        ("2019-01-01", "2020-06-30", "Silver ends on 2020-06-30, before the first forecast on 2021-12"),
        ("2019-01-01", "2022-12-30", "forecasts go on until 2023-12-28 without news of it. Bring later values."),
        ("2021-12-20", "2023-12-29", "begins on 2021-12-20, too late for 1 of 2 refits"),
        ("2023-06-01", "2023-12-29", "No refit learns from Silver"),
    ],
)
def test_channels_that_do_not_overlap_are_named(first: str, last: str, words: str) -> None:
    [sentence] = told(data=own(first, last))
    assert words in sentence


def test_forecasts_from_before_the_axes_were_fitted_are_named() -> None:
    [sentence] = told(data=own(note=axes_note(date(2022, 6, 1))))
    assert "fitted on documents until 2022-06-01, and forecasts begin on 2021-12" in sentence
    assert told(data=own(note=axes_note(date(2021, 6, 1)), days=1299)) == ()


def with_tomorrow(target: str = "return") -> str:
    """Gold with silver, and a column that holds tomorrow's gold, two thirds noise."""
    dates = pd.bdate_range("2019-01-01", "2023-12-29")
    generator = np.random.default_rng(5)
    gold = 1900 * np.exp(np.cumsum(0.01 * generator.standard_normal(len(dates))))
    model = np.append(gold[1:], gold[-1]) * np.exp(0.01 * generator.standard_normal(len(dates)))
    channels = [
        Channel(name, words, pd.Series(values, dates), "log_return")
        for name, words, values in (
            ("gold", "Gold", gold),
            ("silver", "Silver", 20 * np.exp(np.cumsum(0.01 * generator.standard_normal(len(dates))))),
            ("model", "Model High", model),
        )
    ]
    return keep(Market(tuple(channels), "file", "gold.csv", pd.Timestamp("2026-11-20", tz="UTC")))


@pytest.mark.parametrize("target", ["return", "level", "volatility"])
def test_a_column_that_knows_tomorrow_is_named_before_training(target: str) -> None:
    [sentence] = told(data=with_tomorrow(), target=target)
    assert sentence.startswith("Model High tells the next move: correlation +0.")
    assert told(data=with_tomorrow(), target=target, inputs="own") == ()
    assert told(data=with_tomorrow(), target=target, shuffle_targets=False, alignment="date")[0].startswith("Model")


def test_after_training_any_model_counts_and_the_card_names_the_column(capsys: pytest.CaptureFixture[str]) -> None:
    settings = GoldForecast(**SMALL, data=with_tomorrow(), network="mlp", hidden=2, epochs=1)
    run = goldviz.run(settings)
    # Notebook and shell say before training what the page says by Train.
    [sentence] = goldviz.doubts("gold-forecast", **settings.model_dump())
    assert f"gold-forecast: {sentence}" in capsys.readouterr().err
    card = next(one for one in goldviz.findings(run) if one.kind == "leak_suspected")
    assert "by ridge" in card.number
    assert "Model High (+0." in card.explanation
    assert "Look for the leak in Model High" in verdict(run, "return")


@pytest.mark.usefixtures("on_pages")
def test_the_page_names_the_column_by_train() -> None:
    visitor = Visitor("pages/gold_forecast.py", {"data": with_tomorrow(), "train_years": "1", "test_years": "2"})
    assert any("Model High tells the next move" in line for line in visitor.captions)


@pytest.mark.usefixtures("on_pages")
def test_what_must_fail_cannot_be_started(capsys: pytest.CaptureFixture[str]) -> None:
    data = own(days=400)
    visitor = Visitor("pages/gold_forecast.py", {"data": data})
    # By Train, and above the figures, where a narrow screen has Train out of the panel's sight.
    assert [plain("Training on 8 years and testing on 6") in sentence for sentence in visitor.errors] == [True, True]
    assert {button.label for button in visitor.at.button if button.disabled} >= {"Train", "Train beside"}
    visitor.click("train-on-example:as-in-the-document")
    assert services.store().list() == ([], 0)
    with pytest.raises(MarketError, match="Training on 8 years and testing on 6"):
        goldviz.run("gold-forecast", data=data, progress=True)
    assert capsys.readouterr().err == ""
    fits = Visitor("pages/gold_forecast.py", {"data": own(), "train_years": "1", "test_years": "2"})
    assert not fits.errors
    assert not any(button.disabled for button in fits.at.button if button.label == "Train")
