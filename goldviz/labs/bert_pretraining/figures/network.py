"""The encoder that is trained, as a diagram: heads, feed-forward networks, and what reads the last layer."""

from __future__ import annotations

from goldviz.arrays.labelled import Run
from goldviz.figures.diagram import Part, diagram
from goldviz.figures.encoder_diagram import encoder, read_outs
from goldviz.labs.bert_pretraining.figures.quantities import COLOURS, figure

READ_OUTS = {
    "masked-word head": "words",
    "next-sentence head": "next",
    "query stream": "query",
    "tone head": "tone",
}
"""What an encoder's parts beyond its layers are called in their boxes."""


def parts_of(ds: Run) -> list[Part]:
    """The encoder of a run with its heads of output."""
    layers, heads = int(ds["layer"].max()), int(ds["head"].max())
    parts = [str(part) for part in ds["part"].values]
    ends = [(READ_OUTS[part], part) for part in parts if part in READ_OUTS]
    return [encoder(layers, heads, read_outs(layers, heads, ends))]


network = diagram(
    figure,
    parts_of,
    COLOURS,
    noun="head or layer",
    question="Where in the encoder?",
    shows="Every layer's heads over its feed-forward network. Choose one: others mark it.",
)
