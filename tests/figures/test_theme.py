import tomllib
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest

from goldviz.figures import theme as look
from goldviz.figures.draft import Figure
from goldviz.figures.theme import INKS, NETWORKS


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_measured_as_wcag_says():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_network_stands_out_from_page_and_surface(theme):
    for name, style in NETWORKS.items():
        assert contrast(style.colour, INKS[theme].background) >= 3, name
        assert contrast(style.colour, INKS[theme].surface) >= 3, name


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_and_accent_are_readable(theme):
    ink = INKS[theme]
    assert contrast(ink.text, ink.background) >= 7
    assert contrast(ink.muted, ink.background) >= 4.5
    assert contrast(ink.accent, ink.background) >= 4.5


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_shares_go_from_paper_to_ink_and_a_whole_one_stands_out(theme):
    (none, paper), (whole, ink) = look.share_scale(theme)
    assert (none, whole) == (0, 1)
    assert contrast(paper, INKS[theme].background) < 1.2
    assert contrast(ink, INKS[theme].background) >= 7


def _streamlit_theme() -> dict[str, Any]:
    root = Path(__file__).parents[2]
    return tomllib.loads((root / ".streamlit/config.toml").read_text(encoding="utf-8"))["theme"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_controls_are_a_grey_that_can_be_read_and_holds_a_white_knob(theme):
    told = _streamlit_theme()[theme]
    grey = told["primaryColor"]
    channels = [int(grey[start : start + 2], 16) for start in (1, 3, 5)]
    assert max(channels) - min(channels) < 16
    assert contrast(grey, told["backgroundColor"]) >= 4.5
    assert contrast(grey, "#ffffff") >= 3


def test_headings_of_pages_have_two_sizes():
    assert set(_streamlit_theme()["headingFontSizes"]) == {"26px", f"{look.HEADING}px"}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_layer_colours_stand_out_from_the_page(theme):
    for colour in look.depth_colours(16, theme):
        red, green, blue = (round(float(part)) for part in colour[4:-1].split(","))
        assert contrast(f"#{red:02x}{green:02x}{blue:02x}", INKS[theme].background) >= 3


def test_no_two_networks_share_their_look():
    assert len({style.colour for style in NETWORKS.values()}) == len(NETWORKS)
    assert len({style.symbol for style in NETWORKS.values()}) == len(NETWORKS)
    assert NETWORKS["plain"].dash != NETWORKS["residual"].dash


def test_an_unknown_network_is_named():
    with pytest.raises(KeyError, match=r"perceptron.*plain, residual"):
        look.style_of("perceptron")


def test_heading_is_escaped_and_makes_room():
    plain = look.apply(go.Figure(), "light", title="A <b>title</b>")
    noted = look.apply(Figure(), "light", title="A", notes=["one", "", "<img src=x onerror=alert(1)>"]).checked()
    assert plain.layout.title.text == "A &lt;b&gt;title&lt;/b&gt;"
    assert noted.layout.title.subtitle.text == "one<br>&lt;img src=x onerror=alert(1)&gt;"
    assert noted.layout.margin.t == plain.layout.margin.t + 2 * 17


def test_applying_twice_keeps_the_template_of_the_last_theme():
    figure = look.apply(look.apply(go.Figure(), "light", title="A"), "dark", title="A")
    assert figure.layout.template.layout.font.color == INKS["dark"].text
    assert figure.layout.uirevision == "goldviz"
