"""What the figures of *Character GPT* have limits for, and what several of them read off a run."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.figures import limits, plot
from goldviz.figures.by_kind import quantities_by_kind
from goldviz.figures.diagram import Colour, colour_quantities, of_layers
from goldviz.figures.layers import LayerAxis
from goldviz.figures.limits import Quantity, Values, decades, ends_of, log_of, padded, places, values_of
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite
from goldviz.labs.char_gpt.settings import CharGpt

KINDS = CharGpt.variables_by_kind
SIMPLE = {name: KINDS.labels[name] for name in KINDS.every("baseline_loss")}
"""Losses of guesses that need no network."""


def in_bits(ds: Run, name: str) -> Array:
    """A loss in nats a token as bits a byte: times tokens a byte, over ln 2."""
    return finite(ds[name]) * (float(ds["tokens_per_byte"]) / math.log(2))


def _of_bits(ds: Run) -> Values:
    if "tokens_per_byte" not in ds:
        return np.array([])
    names = [name for name in ("dev_loss", *SIMPLE) if name in ds]
    values = np.concatenate([np.array([]), *(in_bits(ds, name).values.ravel() for name in names)])
    return np.append(values[np.isfinite(values)], float(ds["gzip_dev_bits"]) if "gzip_dev_bits" in ds else [])


COLOURS = (
    *of_layers("gradient_norm", "update_to_data", "gradient_to_data"),
    Colour("residual_variance", "Variance of the states"),
    *of_layers("activation_std"),
    Colour("attention_entropy", "Entropy of attention, share of an even one's", "share"),
    Colour("attention_peak", "Largest attention weight", "share"),
    *of_layers("dead_units"),
)
"""What may colour the network's diagram."""

QUANTITIES = {
    **quantities_by_kind(KINDS),
    "block_number": LayerAxis(ends_of("block_number"), title="Block", noun="block"),
    "loss": Quantity(values_of("loss", "dev_loss", "uniform_loss")),
    "bits": Quantity(_of_bits, padded),
    "position_loss": Quantity(values_of("position_loss", "bigram_position_loss"), padded),
    "logit_entropy": Quantity(values_of("logit_entropy", "dev_loss", "uniform_loss"), padded),
    "residual_variance": Quantity(log_of("residual_variance"), decades),
    **places("depth", "position", "step", "look", "close_look"),
    **colour_quantities(COLOURS),
}

figure = partial(plot.figure, QUANTITIES)
shared_limits = partial(limits.shared_limits, QUANTITIES)


def signs_of(ds: Run) -> list[str]:
    """The tokens as they are shown, ready for a label."""
    return [as_label(sign) for sign in map(str, ds["token"].values)]


def probe_of(plot: Plot) -> list[str]:
    """The probe's tokens, without their places."""
    return [str(place).partition(" ")[2] for place in plot.ds["query"].values]
