"""The figures of the laboratory *Pre-training and fine-tuning*, in the order in which a page shows them.

Each draws a dataset as :class:`goldviz.labs.bert_pretraining.settings.BertPretraining` declares it. The argument
``epoch`` is the scrubber's step; what is measured at looks is shown as of the last look before it. A run that has just
begun, or lacks a variable, gets a figure that says so.
"""

from __future__ import annotations

import numpy as np
import xarray as xr

from goldviz.figures.limits import Limits
from goldviz.figures.reading import absence, finite
from goldviz.figures.spec import FigureSpec
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.bert_pretraining.figures.heads import attention, heads
from goldviz.labs.bert_pretraining.figures.learning import learning
from goldviz.labs.bert_pretraining.figures.probe import masked_place
from goldviz.labs.bert_pretraining.figures.quantities import UNSEEN, WORDS, shared_limits, steps_of
from goldviz.labs.bert_pretraining.figures.tone import by_kind, confusion
from goldviz.labs.bert_pretraining.figures.training import gradients, schedule, update_to_data

__all__ = [
    "FIGURES",
    "Limits",
    "attention",
    "by_kind",
    "confusion",
    "gradients",
    "heads",
    "learning",
    "masked_place",
    "picture",
    "schedule",
    "shared_limits",
    "update_to_data",
]

FIGURES: dict[str, FigureSpec] = {
    "learning": FigureSpec(
        learning,
        "What does the network learn?",
        "The loss on masked pieces beside word frequencies, then the share of tones judged rightly beside counted "
        "words.",
        "What the network would make of real statements: all scores are on texts of the same generator.",
    ),
    "attention": FigureSpec(
        attention,
        "Where do the heads look?",
        "The attention of every head in one unseen sentence, at the step in view.",
        "What the network concludes from it: attention is not an explanation, and this is one sentence.",
    ),
    "by_kind": FigureSpec(
        by_kind,
        "Which kinds of text does it judge?",
        "The share of tones judged rightly for each kind of unseen text, beside a bag of words and the majority.",
        "Why a kind is hard; and with few texts of a kind, a few percent are chance.",
    ),
    "masked_place": FigureSpec(
        masked_place,
        "What would fill the gap?",
        "The probability of some words at the mask of one unseen sentence over training, and the hidden word's rank.",
        "Whether a guess that differs from the hidden word is wrong: several words may fit.",
    ),
    "heads": FigureSpec(
        heads,
        "When do the heads part?",
        "Entropy, distance and share on special pieces of every head's attention on unseen texts, over training.",
        "What a head is good for: switch it off to see, in Inside BERT.",
    ),
    "gradients": FigureSpec(
        gradients,
        "Does the gradient reach every part?",
        "The norm of the gradient of the embeddings, of every block and of both heads, before clipping.",
        "Parts of different size: a larger one has a longer gradient at the same size of each entry.",
    ),
    "update_to_data": FigureSpec(
        update_to_data,
        "Are the steps the right size?",
        "How large the steps are beside the weights that they change, part by part.",
        "The line at 10⁻³ is a rule of thumb: a good ratio does not prove that the steps go the right way.",
    ),
    "schedule": FigureSpec(
        schedule,
        "How large may the steps be?",
        "The learning rate of every step with its warm-up, and the norm of the whole gradient before clipping.",
        "The size of the steps themselves: Adam divides by the gradient's usual size.",
    ),
    "confusion": FigureSpec(
        confusion,
        "Which tones are mixed up?",
        "How the unseen texts of each tone are judged, for known patterns and for new ones.",
        "How sure the network is: a judgement by a hair counts as much as a clear one.",
    ),
}

PICTURE_POINTS = 160


def picture(ds: xr.Dataset) -> str:
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
    return polyline_svg(curves, label=label)
