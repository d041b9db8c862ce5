"""The page of the forecast lab."""

import pandas as pd
import pytest

from goldviz.data.markets.kept_markets import keep
from goldviz.data.markets.simulated import simulated_market
from goldviz.labs.gold_forecast.settings import GoldForecast
from goldviz.runs.examples import example
from goldviz.ui.panels import controls, lanes
from tests.pages.visit import Visitor
from tests.thinned import thinned

pytestmark = pytest.mark.usefixtures("on_pages")

PAGE = "pages/gold_forecast.py"


@pytest.fixture(autouse=True)
def data_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("GOLDVIZ_DATA", str(tmp_path / "markets"))


def heading(visitor: Visitor) -> str:
    [line] = [line for line in visitor.markdown if line.startswith("### ")]
    return line


@pytest.mark.parametrize("theme", thinned(["light", "dark"]))
@pytest.mark.parametrize("preset", thinned(GoldForecast.presets, 2), ids=lambda preset: preset.slug)
def test_every_preset_opens_with_its_verdict_and_figures(preset, theme):
    visitor = Visitor(PAGE, {"runs": f"example:{preset.slug}"}, theme=theme)
    assert not visitor.errors
    assert visitor.figures(preset.figure or "skill")[0]["data"]
    assert visitor.figures("scoreboard")[0]["data"]
    assert heading(visitor)


def test_the_leak_is_called_a_leak_and_the_level_worthless():
    assert "no honest forecast" in heading(Visitor(PAGE, {"runs": "example:break-it-leak"}))
    assert "nothing was learned" in heading(Visitor(PAGE, {"runs": "example:break-it-levels"}))


def test_a_kept_run_with_a_final_block_says_that_it_is_left_out(monkeypatch):
    kept = example(GoldForecast, "as-in-the-document").assign_attrs(final_from="2024-06-03")
    monkeypatch.setattr(lanes, "example", lambda experiment, slug: kept)
    visitor = Visitor(PAGE, {"runs": "example:as-in-the-document", "shown": "why"})
    assert any("what came from 2024-06-03 on is left out" in line for line in visitor.markdown)
    monkeypatch.undo()
    visitor = Visitor(PAGE, {"runs": "example:as-in-the-document", "shown": "why"})
    assert any(line.endswith("by 6 refits.") for line in visitor.markdown)


def test_a_preset_leaves_the_visitor_s_market_alone():
    name = keep(simulated_market(3, years=12))
    visitor = Visitor(PAGE, {"data": name})
    visitor.at.selectbox(key="preset-gold-forecast").set_value("volatility")
    visitor.look()
    assert visitor.at.query_params["data"] in (name, [name])
    assert visitor.at.session_state[controls.key_of(GoldForecast, "target")] == "volatility"


@pytest.mark.untrusted
def test_text_of_the_data_is_shown_as_it_is_written():
    market = simulated_market(1, years=12)
    hostile = type(market)(market.channels, "file", "<b>[x](y)", pd.Timestamp("2024-12-31", tz="UTC"), market.notes)
    visitor = Visitor(PAGE, {"data": keep(hostile)})
    assert any(r"\<b\>\[x\]\(y\)" in line for line in visitor.markdown)
