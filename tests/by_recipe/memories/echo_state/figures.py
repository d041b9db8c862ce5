"""The figures of the laboratory *Echo-state network*."""

from __future__ import annotations

from goldviz.arrays.labelled import Run
from goldviz.figures.chart import curves, figure, offered
from goldviz.figures.thumbnail import Curve, polyline_svg
from tests.by_recipe.memories.echo_state.settings import STYLES, EchoState

FIGURES, shared_limits = offered(
    EchoState,
    figure("memory", "How far back does it remember?", curves("memory")),
    "loss",
    look_of=STYLES.__getitem__,
)


def picture(ds: Run) -> str:
    """What is remembered at the last look, small."""
    shares = ds["memory"].isel(look=-1, seed=0)
    lines = [Curve(name, shares.sel(network=name).values, one.colour, one.dash) for name, one in STYLES.items()]
    return polyline_svg(lines, label="What is remembered, by steps back", axes=("steps back", "share"))
