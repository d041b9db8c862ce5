"""The figures of the laboratory *Character GPT*, in the order in which a page shows them."""

from __future__ import annotations

import xarray as xr

from goldviz.figures.layers import layer_figures
from goldviz.figures.spec import by_name
from goldviz.figures.theme import style_of
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.char_gpt.figures.inside import attention, position_loss, positions, stream
from goldviz.labs.char_gpt.figures.network import network
from goldviz.labs.char_gpt.figures.quantities import figure, shared_limits
from goldviz.labs.char_gpt.figures.samples import samples
from goldviz.labs.char_gpt.figures.training import bits, certainty, generalisation, gradient, loss

__all__ = ["FIGURES", "picture", "shared_limits"]

FIGURES = (
    by_name(loss, samples, bits, attention, position_loss, positions, stream, generalisation, certainty, gradient)
    | layer_figures(figure) | by_name(network)
)  # fmt: skip


def picture(ds: xr.Dataset) -> str:
    """The home page's picture: dev loss over training, beside that of counted pairs."""
    label = "Dev loss falling over training, below the line of counted pairs."
    style = style_of(str(ds["network"].values[0]))
    dev = ds["dev_loss"].isel(network=0).median("seed").values
    pairs = [float(ds["bigram_loss"])] * len(dev)
    return polyline_svg(
        [Curve(style.label, dev, style.colour), Curve("pairs", pairs, style_of("bigram").colour, "dot")], label=label
    )
