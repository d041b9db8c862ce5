"""The whole layer on *Inside BERT*: the way of the piece in view through attention, sums, norms and neurons."""

from __future__ import annotations

import streamlit as st

from goldviz.labs.inside_bert import tasks
from goldviz.labs.inside_bert.costs import layer_seconds
from goldviz.labs.inside_bert.encoder_layer import encoder_layer
from goldviz.labs.inside_bert.figures.layer import layer_diagram, layer_lengths, neurons
from goldviz.labs.inside_bert.parts.state import Look, awaited


def layer_part(look: Look) -> None:
    """The diagram of the layer in view with its numbers, and what it does to every piece."""
    layer, _, token = look.place()
    seconds = layer_seconds(look.read.model.encoder.shape, len(look.read.pieces))
    words = "Following the pieces through the layer"
    st.subheader("The whole layer", anchor=False)
    ds = awaited(look.read.task(tasks.of_reading, encoder_layer, layer, token, seconds=seconds, words=words))
    if ds is None:
        return
    way, pieces = st.columns(2)
    with way:
        words = "The layer as boxes from top to bottom, with the lengths of the piece in view."
        look.figure("layer", layer_diagram, ds, words, layer, token)
        look.figure("neurons", neurons, ds, "The neurons that add most to the piece in view.", layer, token)
    with pieces:
        look.figure("layer_lengths", layer_lengths, ds, "What both parts add to every piece.", layer, token)
    st.caption(
        "A cosine near 0: the part writes something new. Above 0 it makes the state longer, below 0 shorter; the "
        "LayerNorm after it sets the length again. A neuron fires where its input is above 0 (document 001, sections "
        "4.1.2 and 4.1.3). The same feed-forward network reads every piece by itself: only attention carries anything "
        "from one to another."
    )
