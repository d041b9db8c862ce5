"""The text under both tokenisers, merge by merge; the browser draws it and steps by itself: no step asks the server."""

from __future__ import annotations

from dataclasses import asdict

from goldviz.arrays.labelled import Run
from goldviz.figures.theme import INKS
from goldviz.labs.text_tokens import LAB
from goldviz.labs.text_tokens.exchange import tokens_data
from goldviz.labs.text_tokens.settings import TextTokens
from goldviz.ui.components import component
from goldviz.ui.theme import theme_now

KEY = "tokens-stepper"

_component = component("tokens", LAB.package, isolated=True)


def stepper(settings: TextTokens, ds: Run) -> None:
    """Show the text in tokens, after the last merge at first."""
    inks = {name: asdict(ink) for name, ink in INKS.items()}
    _component(data={**tokens_data(settings, ds), "theme": theme_now(), "inks": inks}, key=KEY)
