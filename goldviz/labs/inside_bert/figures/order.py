"""What the encoder knows of order and of sentence A and B (document 001, section 4.2.1)."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure
from goldviz.figures.elements import log_axis, reference_line
from goldviz.figures.maps import SIGNED, cells, colour_bar
from goldviz.figures.spec import drawn
from goldviz.figures.theme import SEQUENTIAL, Theme
from goldviz.labs.inside_bert import measures
from goldviz.labs.inside_bert.figures.evidence import head_axes

WITH, WITHOUT = "#d55e00", "#0e7ac0"
UNIT_ROUNDOFF = 2.0**-24
"""By how much of its size rounding to single precision may change a number, at most (IEEE 754)."""


@drawn(
    "Which places are alike to the model?",
    shows="How alike the embeddings of two places are.",
    name="positions",
)
def positions(ds: Run, *, theme: Theme = "light") -> Figure:
    """The cosine of every two position embeddings."""
    places = ds["position"].values
    figure = Figure(
        cells(ds["position_cosine"].values, x=places, y=places, hover="positions %{y} and %{x}: cosine %{z:.2f}")
    )
    look.apply(
        figure,
        theme,
        title="Which places are alike to the model?",
        notes=[near_and_far(ds)],
        legend=False,
        height=520,
        hover="closest",
    )
    figure.update_xaxes(title_text="Position", showgrid=False, ticks="")
    figure.update_yaxes(title_text="Position", showgrid=False, ticks="", autorange="reversed")
    return colour_bar(figure, (-1, 1), SIGNED, "Cosine of the two embeddings")


def near_and_far(ds: Run) -> str:
    """The mean cosine of neighbours among the text's places, and of places far apart."""
    if ds["distance_cosine"].size < 3:
        return ""
    *cosines, half = measures.cosines_near_and_far(ds)
    near, far = (f"{cosine:+.2f}".replace("-", "−") for cosine in cosines)
    return f"In this text's places neighbours have a cosine of {near} on average, places {half} or more apart {far}."


@drawn(
    "What does another order change?",
    shows="How far a piece's state moves when the text is read backwards.",
    name="order",
)
def order(ds: Run, *, theme: Theme = "light") -> Figure:
    """How far states move with position embeddings, and without them."""
    figure, states = Figure(), ds["state"].values
    drawn_as = {
        "with": (WITH, "solid", "circle", "with positions"),
        "without": (WITHOUT, "dash", "square", "without positions"),
    }
    for positions, (colour, dash, symbol, words) in drawn_as.items():
        distances = ds["moved"].sel(positions=positions).median("piece").values
        figure.scatter(
            x=states,
            y=np.where(distances > 0, distances, np.nan),
            mode="lines+markers",
            name=words,
            line={"color": colour, "dash": dash, "width": 2.5},
            marker={"symbol": symbol, "size": 8},
            hovertemplate="state %{x}: %{y:.2g} of its length",
        )
    title = "What does another order change?"
    note = "Without positions a piece keeps its state to rounding: only its place in the list changes."
    look.apply(figure, theme, title=title, notes=[note], height=400)
    figure.update_xaxes(
        title_text="State: 0 is what goes in, then the layers",
        dtick=1 if len(states) < 14 else 2,
        range=(-0.3, float(states[-1]) + 0.3),
    )
    figure.update_yaxes(title_text="Distance over its length", **log_axis((-8.5, 0.8)))
    reference_line(figure, UNIT_ROUNDOFF, "rounding in single precision", theme)
    return figure


@drawn(
    "Do the two sentences look at each other?",
    shows="How much each head looks at the other sentence.",
    name="across",
    needs=("across",),
)
def across(ds: Run, *, theme: Theme = "light") -> Figure:
    """The attention that passes between sentence A and B, head by head."""
    shares = ds["across"]
    figure = Figure(
        cells(
            shares.values,
            x=shares["head"].values,
            y=shares["layer"].values,
            xgap=1,
            ygap=1,
            hover="layer %{y}, head %{x}<br>across: %{z:.1%}",
        )
    )
    height = 230 + 26 * max(5, shares.sizes["layer"])
    title = "Do the two sentences look at each other?"
    look.apply(figure, theme, title=title, notes=[_if_even(ds)], legend=False, height=height, hover="closest")
    head_axes(figure)
    most = float(shares.max()) or 1.0
    return colour_bar(figure, (0.0, most), SEQUENTIAL, "Attention on the other sentence", tickformat=".0%")


def _if_even(ds: Run) -> str:
    """What attention that is spread evenly over all pieces would give."""
    return f"Even attention would give {100 * measures.across_if_even(ds):.0f} %."
