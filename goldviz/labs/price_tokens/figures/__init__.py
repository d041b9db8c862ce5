"""The figures of the laboratory *Price tokens*, in the order in which a page shows them."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures.by_kind import offered
from goldviz.figures.reading import thinned
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.price_tokens.figures.quantities import KINDS, figure, gained, shared_limits
from goldviz.labs.price_tokens.figures.skill import gains, look_of, scoreboard
from goldviz.labs.price_tokens.figures.text import as_text, fan
from goldviz.labs.price_tokens.figures.tokens import meaning, motifs, transitions
from goldviz.labs.price_tokens.figures.training import loss

__all__ = ["FIGURES", "picture", "shared_limits"]

FIGURES = offered(
    figure,
    KINDS,
    gains,
    scoreboard,
    as_text,
    fan,
    meaning,
    transitions,
    motifs,
    loss,
    # It is called loss here.
    without=("loss_by_fit",),
)
POINTS = 60


def picture(ds: Run) -> str:
    """The home page's picture: nats gained over token frequency, added up over time."""
    label = "What a network gains over saying how often each token comes; GARCH gains more."
    own = gained(ds, ds["nats"].isel(look=-1).mean("seed").values)
    garch = gained(ds, ds["baseline_nats"].sel(baseline="garch").values)
    rows, _ = thinned(len(own), most=POINTS, noun="forecast")
    curves = [
        Curve("frequency", np.zeros(len(rows)), look_of("frequency").colour, "dot"),
        Curve("GARCH", garch[rows], look_of("garch").colour, "longdash"),
        Curve("MLP", own[rows], look_of("mlp").colour),
    ]
    return polyline_svg(curves, label=label, axes=("time", "gain, added up"))
