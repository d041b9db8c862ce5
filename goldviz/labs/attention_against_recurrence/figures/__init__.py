"""The figures of the laboratory *Attention against recurrence*, in the order in which a page shows them."""

from __future__ import annotations

from goldviz.arrays.labelled import Run
from goldviz.figures.by_kind import offered
from goldviz.figures.thumbnail import networks_svg
from goldviz.labs.attention_against_recurrence.figures.by_distance import by_distance, gradient_by_distance
from goldviz.labs.attention_against_recurrence.figures.cost import multiplications, steps_in_a_row
from goldviz.labs.attention_against_recurrence.figures.quantities import KINDS, figure, shared_limits

__all__ = ["FIGURES", "picture", "shared_limits"]

FIGURES = offered(figure, KINDS, by_distance, gradient_by_distance, steps_in_a_row, multiplications, "accuracy", "loss")


def picture(ds: Run) -> str:
    """The home page's picture: right answers by distance at the last look."""
    label = "Right answers by distance: the Transformer finds all, the RNN guesses."
    return networks_svg(
        ds["accuracy_by_distance"].isel(look=-1).median("seed"), label=label, axes=("distance", "share right")
    )
