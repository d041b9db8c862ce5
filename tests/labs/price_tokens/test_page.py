"""The page of *Price tokens*: the verdict stands first, and every trap is named in it."""

import pytest

from goldviz.labs.price_tokens.settings import PriceTokens
from tests.pages.visit import Visitor

pytestmark = pytest.mark.usefixtures("on_pages")
PAGE = "pages/price_tokens.py"


@pytest.fixture(autouse=True)
def data_folder(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDVIZ_DATA", f"{tmp_path}/markets")


def heading(visitor: Visitor) -> str:
    [line] = [line for line in visitor.markdown if line.startswith("### ")]
    return line


PRESETS = [
    pytest.param(preset.slug, marks=[pytest.mark.slow] if number else [], id=preset.slug)
    for number, preset in enumerate(PriceTokens.presets)
]
OPENS_ON = {preset.slug: preset.figure for preset in PriceTokens.presets}


@pytest.mark.parametrize("slug", PRESETS)
def test_every_preset_opens_with_its_verdict_and_figures(slug: str) -> None:
    visitor = Visitor(PAGE, {"runs": f"example:{slug}"})
    assert not visitor.errors
    assert visitor.figures(OPENS_ON[slug] or "gains")[0]["data"]
    assert visitor.figures("scoreboard")[0]["data"]
    assert heading(visitor)
    if PriceTokens.preset(slug).fitted_on == "past":
        assert any("days before 20" in line.help for line in visitor.at.markdown if line.value == heading(visitor))


def test_a_link_with_a_presets_former_name_opens_the_smoother_which_is_called_a_look_into_the_future() -> None:
    visitor = Visitor(PAGE, {"runs": "example:break-it-smoother"})
    assert "Tokens know the future" in heading(visitor)
    assert visitor.runs == ["example:look-ahead-smoother"]
    assert PriceTokens.preset("break-it-smoother") == PriceTokens.preset("look-ahead-smoother")


def test_a_future_that_a_link_edits_is_drawn_with_the_tokens_that_light_up() -> None:
    visitor = Visitor(PAGE, {"shown": "future", "push": "1.5"})
    assert not visitor.errors
    [strip] = visitor.figures("future")
    told = strip["layout"]["meta"]["notes"][0]
    assert "0 of 48 honest ones" in told
    assert "0 of 48 that look ahead" not in told
