"""The figures of *Neural programmer*."""

from __future__ import annotations

from goldviz.arrays.labelled import Run
from goldviz.figures.by_kind import offered
from goldviz.figures.theme import sequential_stops
from goldviz.figures.thumbnail import picture_svg
from goldviz.labs.neural_programmer.figures.answers import by_sort, gap, right
from goldviz.labs.neural_programmer.figures.program import controller, forming, selection
from goldviz.labs.neural_programmer.figures.quantities import KINDS, figure, shared_limits

__all__ = ["FIGURES", "picture", "shared_limits"]

FIGURES = offered(figure, KINDS, controller, selection, right, forming, gap, by_sort, "loss")


def picture(ds: Run) -> str:
    """The home page's picture: the operations' weights of three questions, step by step."""
    weights = ds["operation_weight"].isel(look=-1).values
    colours = [str(colour) for _, colour in sequential_stops()]
    questions = min(len(weights), 3)
    _, steps, operations = weights.shape
    width, height = 240 / (questions * (steps + 1)), 140 / operations
    parts = [
        f'<rect x="{44 + (question * (steps + 1) + step) * width:.1f}" y="{10 + operation * height:.1f}" '
        f'width="{width - 2:.1f}" height="{height - 2:.1f}" '
        f'fill="{colours[round(float(weights[question, step, operation]) * (len(colours) - 1))]}"/>'
        for question in range(questions)
        for step in range(steps)
        for operation in range(operations)
    ]
    return picture_svg(
        parts,
        label="Weights over operations: each step of a program lights one of them.",
        axes=("step of three programs", "operation"),
    )
