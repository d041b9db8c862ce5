"""The figures of the laboratory *Hopfield network*."""

from __future__ import annotations

from goldviz.arrays.labelled import Run
from goldviz.figures.chart import curves, figure, offered, rule
from goldviz.figures.thumbnail import Curve, polyline_svg
from tests.by_recipe.memories.hopfield.settings import STYLES, Hopfield

FIGURES, shared_limits = offered(
    Hopfield,
    figure("overlap", "How many patterns fit?", curves("overlap"), rule(y=0.9, words="nearly all")),
    figure("by_age", "Which patterns are lost?", curves("by_age")),
    look_of=STYLES.__getitem__,
)


def picture(ds: Run) -> str:
    """Overlaps of the first seed, small."""
    overlaps = ds["overlap"].isel(seed=0)
    lines = [Curve(name, overlaps.sel(network=name).values, one.colour, one.dash) for name, one in STYLES.items()]
    return polyline_svg(lines, label="Recall by stored patterns", axes=("patterns", "overlap"))
