"""The figures of the laboratory *Character language models*, in the order in which a page shows them."""

from __future__ import annotations

import xarray as xr

from goldviz.figures.layers import layer_figures
from goldviz.figures.spec import by_name
from goldviz.figures.theme import style_of
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.char_language_model.figures.depth import spread_by_depth
from goldviz.labs.char_language_model.figures.network import network
from goldviz.labs.char_language_model.figures.quantities import figure, shared_limits
from goldviz.labs.char_language_model.figures.symbols import embedding, samples, table
from goldviz.labs.char_language_model.figures.training import divergence, generalisation, loss, running_statistics

__all__ = ["FIGURES", "picture", "shared_limits"]

FIGURES = (
    by_name(loss, samples, generalisation)
    | layer_figures(figure)
    | by_name(spread_by_depth, embedding, table, divergence, running_statistics, network)
)


def picture(ds: xr.Dataset) -> str:
    """The home page's picture: dev loss over training, beside that of counted pairs."""
    label = "Dev loss falling over training, below the line of counted pairs."
    name = str(ds["network"].values[0])
    style = style_of(name)
    dev = ds["dev_loss"].isel(network=0).median("seed").values
    pairs = [float(ds["bigram_loss"].median())] * len(dev)
    return polyline_svg(
        [Curve(style.label, dev, style.colour), Curve("pairs", pairs, style_of("bigram").colour, "dot")], label=label
    )
