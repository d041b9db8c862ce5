"""The figures of the laboratory *Character language models*, in the order in which a page shows them."""

from __future__ import annotations

from goldviz.figures.language_model import picture
from goldviz.figures.layers import layer_figures
from goldviz.figures.spec import by_name
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
