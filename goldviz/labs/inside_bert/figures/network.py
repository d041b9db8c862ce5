"""The encoder in view as a diagram: the heads of every layer, and how long the states are that it puts out."""

from __future__ import annotations

from functools import partial

from goldviz.arrays.labelled import Run
from goldviz.figures import plot
from goldviz.figures.diagram import Colour, Part, Reading, colour_quantities, diagram
from goldviz.figures.encoder_diagram import HEADS, encoder

COLOURS = (
    *HEADS,
    Colour(
        "state_norm",
        "Length of the states",
        "linear",
        readings=(Reading("state_norm", lambda lengths: lengths.mean("piece")),),
    ),
)
"""What may colour the encoder."""


def parts_of(ds: Run) -> list[Part]:
    """The encoder that read the text."""
    return [encoder(int(ds["layer"].max()), int(ds["head"].max()), heading=str(ds.attrs.get("model", "Encoder")))]


network = diagram(
    partial(plot.figure, colour_quantities(COLOURS)),
    parts_of,
    COLOURS,
    noun="head",
    question="Where in the encoder?",
    shows="Every layer's heads, by what they do with this text. Choose one to look into it.",
    cannot_show="What a head looks at.",
)
