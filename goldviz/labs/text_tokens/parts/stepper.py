"""The text under both tokenisers, merge by merge; the browser draws it and steps by itself."""

from __future__ import annotations

from dataclasses import asdict

import xarray as xr

from goldviz.figures.theme import INKS
from goldviz.labs.text_tokens.exchange import tokens_data
from goldviz.labs.text_tokens.settings import TextTokens
from goldviz.ui.components import assets, component, stepped
from goldviz.ui.theme import theme_now

KEY = "tokens-stepper"
SCRIPTS = ("tokens_reading.js", "tokens.js")


_component = component(
    "tokens",
    isolated=True,
    css=assets("controls.css", "tokens.css"),
    js=assets(*SCRIPTS),
    html=stepped("tokens.html", first="Before the first merge", last="After the last merge", place="Merge"),
)


def stepper(settings: TextTokens, ds: xr.Dataset) -> None:
    """Show the text in tokens, after the last merge at first."""
    inks = {name: asdict(ink) for name, ink in INKS.items()}
    _component(data={**tokens_data(settings, ds), "theme": theme_now(), "inks": inks}, key=KEY)
