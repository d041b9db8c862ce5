"""What the figures of *Character language models* have limits for, and what several of them read off a run."""

from __future__ import annotations

from functools import partial

from goldviz.figures import limits, plot
from goldviz.figures.by_kind import quantities_by_kind
from goldviz.figures.diagram import Colour, colour_quantities, of_layers
from goldviz.figures.layers import LayerAxis
from goldviz.figures.limits import Quantity, ends_of, magnitudes, padded, places, values_of, with_zero
from goldviz.labs.char_language_model.settings import CharLanguageModel

IMPOSSIBLE = 1e-4
"""Probabilities below are drawn as this one."""


COLOURS = (
    *of_layers("gradient_norm"),
    Colour("hidden_gradient_norm", "Gradient norm of the layer's output"),
    *of_layers("activation_std", "update_to_data", "gradient_to_data", "saturation", "dead_units"),
)
"""What may colour the network's diagram."""

KINDS = CharLanguageModel.variables_by_kind

QUANTITIES = {
    **quantities_by_kind(KINDS),
    "hidden": LayerAxis(ends_of("hidden"), title="Hidden layer", noun="hidden layer"),
    "loss": Quantity(values_of("loss", "dev_loss", "uniform_loss")),
    "dev_loss": Quantity(values_of("train_loss", "dev_loss", "bigram_dev_loss"), padded),
    "batch_statistics_loss": Quantity(values_of("dev_loss", "batch_statistics_loss"), padded),
    **magnitudes("running_gap", "divergence"),
    "activation_std": Quantity(with_zero("activation_std", "expected_std"), padded),
    **places("step", "look", "close_look"),
    **colour_quantities(COLOURS),
}

figure = partial(plot.figure, QUANTITIES)
shared_limits = partial(limits.shared_limits, QUANTITIES)
