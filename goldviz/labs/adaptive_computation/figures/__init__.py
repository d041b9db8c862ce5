"""The figures of the laboratory *Adaptive computation time*, in the order in which a page shows them."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures.by_kind import offered
from goldviz.figures.thumbnail import picture_svg
from goldviz.labs.adaptive_computation.figures.prices_paid import bought, by_difficulty, distribution
from goldviz.labs.adaptive_computation.figures.quantities import KINDS, figure, shared_limits
from goldviz.labs.adaptive_computation.figures.thoughts import FOLLOWED, REMAINDER, pushes, thoughts
from goldviz.labs.adaptive_computation.prices import STYLES

__all__ = ["FIGURES", "picture", "shared_limits"]

FIGURES = offered(figure, KINDS, thoughts, by_difficulty, bought, distribution, pushes)


def picture(ds: Run) -> str:
    """The home page's picture: the weights of each step for the first inputs, as rows of bars."""
    last = ds.isel(look=-1).sel(network=FOLLOWED)
    rows, steps = ds.sizes["puzzle"], ds.sizes["ponder_step"]
    wide, high = 290 / steps, 136 / rows
    parts = []
    for name, colour in (("weight", STYLES[FOLLOWED].colour), ("remainder", REMAINDER)):
        values = last[name].values
        for row, step in np.argwhere(values > 0.01):
            tall = float(values[row, step]) * high * 0.8
            x, y = 16 + step * wide, 12 + (row + 1) * high - tall
            parts.append(
                f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide * 0.8:.1f}" height="{tall:.1f}" fill="{colour}"/>'
            )
    return picture_svg(
        parts,
        label="Bars step by step: the longer the input, the later the last step of thought.",
        axes=("step of thought", "input"),
    )
