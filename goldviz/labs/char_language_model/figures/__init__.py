"""The figures of the laboratory *Character language models*, in the order in which a page shows them."""

from __future__ import annotations

from goldviz.figures.by_kind import offered
from goldviz.figures.language_model import picture
from goldviz.labs.char_language_model.figures.depth import spread_by_depth
from goldviz.labs.char_language_model.figures.network import network
from goldviz.labs.char_language_model.figures.quantities import KINDS, figure, shared_limits
from goldviz.labs.char_language_model.figures.sizes import parameters
from goldviz.labs.char_language_model.figures.symbols import embedding, samples, table
from goldviz.labs.char_language_model.figures.training import divergence, generalisation, loss, running_statistics

__all__ = ["FIGURES", "picture", "shared_limits"]

FIGURES = offered(
    figure,
    KINDS,
    loss,
    samples,
    generalisation,
    "gradient_by_layer",
    "activations",
    "activation_distribution",
    "hidden_gradient_distribution",
    "weight_gradient_distribution",
    "update_to_data",
    "gradient_to_data",
    spread_by_depth,
    embedding,
    table,
    divergence,
    running_statistics,
    parameters,
    network,
)
