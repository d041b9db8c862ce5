"""The figures of the laboratory *Neural Turing machine*, in the order in which a page shows them."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures.by_kind import offered
from goldviz.figures.reading import absence, finite
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.neural_turing_machine.figures.quantities import KINDS, figure, shared_limits
from goldviz.labs.neural_turing_machine.figures.sequence import answer, heads, memory, stages
from goldviz.labs.neural_turing_machine.figures.training import by_length, spread

__all__ = ["FIGURES", "picture", "shared_limits"]

FIGURES = offered(figure, KINDS, heads, answer, by_length, "loss", stages, memory, spread)


def picture(ds: Run) -> str:
    """The home page's picture: the cell that is written to most, and the one that is read from most, over time."""
    label = "The memory's cell that is written to, and the one that is read from, at each step of a sequence."
    if absence(ds, "address") or not np.isfinite(ds["address"].values).any():
        return polyline_svg([], label=label)
    weights = finite(ds["address"].isel(look=-1).sel(stage="sharpen"))
    places = {head: weights.sel(head=head).values.argmax(-1) for head in ("write", "read")}
    first = int(ds.attrs["first_answer"]) - 1
    is_input = np.arange(ds.sizes["time"]) < first
    return polyline_svg(
        [
            Curve("write", np.where(is_input, places["write"], np.nan), "#8a6a00"),
            Curve("read", np.where(is_input, np.nan, places["read"]), "#0e7ac0", "dash"),
        ],
        label=label,
        axes=("step", "cell of memory"),
    )
