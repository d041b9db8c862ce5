"""The figures of the laboratory *Pre-training and fine-tuning*, in the order in which a page shows them.

Each draws a dataset as :class:`goldviz.labs.bert_pretraining.settings.BertPretraining` declares it. The argument
``epoch`` is the scrubber's step; what is measured at looks is shown as of the last look before it. A run that has just
begun, or lacks a variable, gets a figure that says so.
"""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures.by_kind import offered
from goldviz.figures.reading import absence, finite
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.bert_pretraining.figures.heads import attention, heads
from goldviz.labs.bert_pretraining.figures.learning import learning
from goldviz.labs.bert_pretraining.figures.network import network
from goldviz.labs.bert_pretraining.figures.objectives import next_sentence, order
from goldviz.labs.bert_pretraining.figures.probe import masked_place
from goldviz.labs.bert_pretraining.figures.quantities import KINDS, UNSEEN, WORDS, figure, shared_limits, steps_of
from goldviz.labs.bert_pretraining.figures.tone import by_kind, confusion
from goldviz.labs.bert_pretraining.figures.training import gradients, schedule, update_to_data

__all__ = ["FIGURES", "picture", "shared_limits"]

FIGURES = offered(
    figure,
    KINDS,
    learning,
    attention,
    next_sentence,
    order,
    by_kind,
    masked_place,
    heads,
    gradients,
    update_to_data,
    "gradient_to_data",
    schedule,
    confusion,
    network,
    # Its own figures of these part the two phases, whose losses and norms do not compare.
    without=("loss", "clipping", "learning_rate", "gradient_by_layer"),
)

PICTURE_POINTS = 160


def picture(ds: Run) -> str:
    """The home page's picture: the loss on masked pieces falls below what word frequencies can do."""
    label = "The loss on masked words over training: it falls below the line of word frequencies."
    steps = steps_of(ds, WORDS)
    if not steps.size or absence(ds, "unseen_masked_loss"):
        return polyline_svg([], label=label)
    losses = finite(ds["unseen_masked_loss"]).median("seed")
    inside = losses.isel(look=np.flatnonzero(losses["look"].values <= steps[-1]))
    if not inside.size:
        return polyline_svg([], label=label)
    places = np.linspace(inside["look"].values[0], inside["look"].values[-1], PICTURE_POINTS)
    curves = [Curve("BERT", np.interp(places, inside["look"].values, inside.values), UNSEEN.colour)]
    if not absence(ds, "unigram_loss"):
        curves.insert(0, Curve("words", np.full(PICTURE_POINTS, float(ds["unigram_loss"])), "#76808c", "dot"))
    return polyline_svg(curves, label=label, axes=("training step", "loss"))
