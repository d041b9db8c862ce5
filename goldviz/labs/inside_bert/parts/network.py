"""The whole encoder on *Inside BERT*: which head is in view, and where else to look."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from goldviz.labs.inside_bert.figures.network import network
from goldviz.labs.inside_bert.parts.state import Look, put
from goldviz.ui.panels.live_figure import live_diagram
from goldviz.ui.serving import services
from goldviz.ui.theme import theme_now


def network_part(look: Look, ahead: str) -> None:
    """The diagram of the encoder, with the head in view; choosing another one moves the page there.

    A head that the browser fetched ``ahead`` is in view before the page's script hears of it.
    """
    theme, subject = theme_now(), str(look.read.key)
    text = services.figure_json(
        ("inside-bert", "network", theme, *look.read.key), lambda: network.draw(look.overview, theme=theme)
    )
    layer, head, _ = look.place()
    live_diagram(
        text,
        key="network-inside-bert",
        subject=subject,
        description=network.caption,
        choice={"layer": layer, "head": head},
        on_chosen=lambda place: _choose(place, look.overview.attrs),
        ahead=ahead,
    )


def _choose(place: Mapping[str, Any], most: Mapping[str, Any]) -> None:
    """Take over a head that the model has; anything else that a browser may say is left alone."""
    choice = {name: place.get(name) for name in ("layer", "head")}
    if all(type(at) is int and 1 <= at <= most[f"{name}s"] for name, at in choice.items()):
        put(choice)
