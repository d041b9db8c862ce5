"""The encoder that is trained, as a diagram: heads, feed-forward networks, and what reads the last layer."""

from __future__ import annotations

from goldviz.arrays.labelled import Run
from goldviz.figures.diagram import Part, diagram
from goldviz.figures.encoder_diagram import encoder, read_outs
from goldviz.labs.bert_pretraining.figures.quantities import COLOURS, figure

READ_OUTS = (("words", "masked-word head"), ("tone", "tone head"))


def parts_of(ds: Run) -> list[Part]:
    """The encoder of a run with its two heads of output."""
    layers, heads = int(ds["layer"].max()), int(ds["head"].max())
    return [encoder(layers, heads, read_outs(layers, heads, READ_OUTS))]


network = diagram(
    figure,
    parts_of,
    COLOURS,
    noun="head or layer",
    question="Where in the encoder?",
    shows="The heads of every layer over its feed-forward network, coloured by the quantity of your choice. Choose "
    "one, and the other figures mark it.",
    cannot_show="The paths around attention and feed-forward network, and what a head looks at: numbers are means over "
    "unseen texts. Sizes of updates are of a whole layer.",
)
