"""Data are called as they were brought, wherever a run is listed, shown or exported; never by their key."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from goldviz.data.labels import GONE, label_of
from goldviz.data.markets.files import market_from_file
from goldviz.data.markets.kept_markets import keep
from goldviz.data.tables.kept_files import market_folder
from goldviz.data.texts.kept_texts import keep_text
from goldviz.declare.data_labels import ATTRIBUTE, labelled, labels_of
from goldviz.export.report import report_of_run
from goldviz.labs.char_gpt.settings import CharGpt
from goldviz.labs.gold_forecast.settings import GoldForecast
from goldviz.labs.inside_bert.settings import InsideBert
from goldviz.runs.store.run_store import Store
from goldviz.ui import keys
from goldviz.ui.panels import lanes
from goldviz.ui.runs.table import beside_preset, differing
from goldviz.ui.runs.table import label_of as label_of_run

NOW = pd.Timestamp("2026-11-20", tz="UTC")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path / "kept"))
    return tmp_path


@pytest.fixture
def store(folder: Path) -> Store:
    return Store(f"sqlite:///{folder / 'runs.sqlite'}")


def kept_file(name: str = "gold_gsr.csv", seed: int = 0) -> str:
    days = pd.bdate_range("2020-01-01", periods=90)
    prices = 1900 + np.random.default_rng(seed).standard_normal(len(days)).cumsum()
    content = pd.DataFrame({"Date": days, "Gold": prices}).to_csv(index=False).encode()
    return keep(market_from_file(content, name, retrieved=NOW))


def test_a_run_is_listed_by_the_name_of_its_file(store: Store) -> None:
    first, second = kept_file(), kept_file("silver.csv", 1)
    runs = [store.run(store.create(GoldForecast(data=key, clip=2))) for key in (first, second)]
    with keys.held(frozenset({first, second})):
        titles = [label_of_run(run) for run in runs]
        assert titles == ["gold_gsr.csv · clip 2", "silver.csv · clip 2"]
        said = [*titles, *(beside_preset(run) for run in runs), *differing(runs)["Data"]]
        assert differing(runs) == {"Data": ["gold_gsr.csv", "silver.csv"]}
    others = [*map(label_of_run, runs), *map(beside_preset, runs), *differing(runs)["Data"]]
    assert not [words for words in others if ".csv" in words]
    assert not [words for words in said if first in words or second in words]
    preset = GoldForecast.preset("volatility").changed(data=first)
    assert lanes.difference(preset) == "Volatility · gold_gsr.csv"


def test_a_preset_stays_itself_on_a_text_of_one_s_own() -> None:
    own = keep_text(b"To be or not to be. " * 40, "hamlet.txt").name
    settings = CharGpt.preset("pieces-of-bytes").changed(corpus=own)
    assert settings.like_preset() == next(one for one in CharGpt.presets if one.slug == "pieces-of-bytes")
    assert lanes.difference(settings).endswith(" · hamlet.txt")
    assert CharGpt.preset("pieces-of-bytes").changed(corpus="cities").like_preset() is None


def test_a_run_keeps_its_label_when_its_data_are_gone(store: Store) -> None:
    key = kept_file()
    run = store.run(store.create(GoldForecast(data=key)))
    (market_folder() / f"{key}.parquet").unlink()
    assert label_of("market", key) == GONE
    with keys.held(frozenset({key})):
        assert label_of_run(run) == "As in the document · gold_gsr.csv"
    assert lanes.difference(GoldForecast(data=key)) == f"As in the document · {GONE}"


def test_a_report_names_the_file_and_not_its_key(store: Store) -> None:
    settings = GoldForecast(data=kept_file())
    dataset = store.load(store.create(settings))
    assert json.loads(dataset.attrs[ATTRIBUTE]) == {"data": "gold_gsr.csv"}
    report = report_of_run(settings, dataset, {})
    assert "gold_gsr.csv" in report
    assert settings.data not in report


def test_a_text_is_called_by_its_file() -> None:
    text = keep_text(b"To be or not to be. " * 40, "hamlet.txt")
    assert labels_of(CharGpt(corpus=text.name)) == {"corpus": "hamlet.txt"}
    assert labelled(CharGpt(corpus=text.name))["corpus"] == "hamlet.txt"
    assert labels_of(CharGpt()) == labels_of(InsideBert(text="a" * 16)) == {}


def test_labels_are_one_line_and_not_long() -> None:
    kept = keep_text(b"gold and silver", "a\n\x1b[31m" + "b" * 500)
    label = label_of("corpus", kept.name)
    assert label.isprintable()
    assert len(label) <= 80
