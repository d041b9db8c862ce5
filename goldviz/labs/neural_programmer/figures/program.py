"""A program as it is written: weights of operations and columns step by step, and the rows that they select."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Run
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure, Heatmap
from goldviz.figures.elements import colour_bar_below
from goldviz.figures.frames import AtStep
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite, single
from goldviz.labs.neural_programmer.figures.quantities import figure
from goldviz.labs.neural_programmer.measures import program_text

NUMBERED = 0.1
"""Weights from here on stand as numbers in the map."""


def choices(ds: Run, question: int) -> NDArray[np.float64]:
    """Weights of one question, (look, choice, iteration): operations, a gap, and columns."""
    operations = finite(ds["operation_weight"]).isel(question=question).transpose("look", "operation", "iteration")
    columns = finite(ds["column_weight"]).isel(question=question).transpose("look", "column", "iteration")
    gap = np.full((operations.sizes["look"], 1, operations.sizes["iteration"]), np.nan)
    return np.concatenate([operations.values, gap, columns.values], axis=1).astype(np.float64)


def names_of(ds: Run) -> list[str]:
    """What stands beside each row of :func:`choices`."""
    return [*map(str, ds["operation"].values), "", *(f"column {name}" for name in ds["column"].values)]


def upwards(plot: Plot, row: int | None = None, **more: Any) -> None:
    """The axis of operations and columns, the first on top."""
    names = names_of(plot.ds)
    plot.figure.update_yaxes(
        tickmode="array",
        tickvals=[*range(len(names))],
        ticktext=names,
        range=plot.limit("choice")[::-1],
        showgrid=False,
        zeroline=False,
        ticks="",
        row=row,
        **more,
    )


def _numbers(weights: NDArray[Any]) -> list[list[str]]:
    """Large weights as a person writes them in a small cell: .62."""
    return [[f"{weight:.2f}".removeprefix("0") if weight >= NUMBERED else "" for weight in row] for row in weights]


def _said(question: str, operations: NDArray[Any], columns: NDArray[Any]) -> str:
    return f"“{as_label(question)}” becomes: {', then '.join(program_text(operations, columns))}."


@figure(
    "Which operation does it choose at each step?",
    needs=("operation_weight", "column_weight"),
    shows="A column is a step; its weights of operations, and of columns, add up to 1.",
    title="What does it choose at each step?",
    cannot_show="Which choices matter.",
)
def controller(plot: Plot, *, question: int = 0) -> Figure:
    """The document's picture: the controller step after step, with weights over operations, and over columns."""
    now = plot.now.ds.isel(look=plot.places["look"])
    values = single(choices(now, question))
    steps = plot.ds["iteration"].values
    plot.add(
        Heatmap(
            x=steps,
            z=AtStep("look", values),
            text=AtStep("look", [_numbers(one) for one in values]),
            texttemplate="%{text}",
            textfont={"size": 13},
            coloraxis="coloraxis",
            xgap=4,
            hoverongaps=False,
            hovertemplate="step %{x}: %{z:.3f}<extra></extra>",
        )
    )
    plot.figure.update_xaxes(
        tickvals=steps, ticktext=[f"step {step}" for step in steps], title_text="Step of the program", showgrid=False
    )
    upwards(plot)
    words = str(plot.ds["question"].values[question])
    sentence = AtStep(
        "look",
        [
            _said(words, operations[question], columns[question])
            for operations, columns in zip(now["operation_weight"].values, now["column_weight"].values, strict=True)
        ],
    )
    height = 250 + 26 * len(names_of(plot.ds))
    plot.finish(plot.step_in_words("look", one_seed=True), sentence, height=height, legend=False, hover="closest")
    return colour_bar_below(plot.figure, (0.0, 1.0), look.SEQUENTIAL, "Weight")


@figure(
    "Which rows does each step select?",
    needs=("selection", "cell"),
    shows="A line is a row of the table. Bright rows are selected.",
)
def selection(plot: Plot, *, question: int = 0) -> Figure:
    """Rows of the table lit by the selection, before the first step and after each."""
    values = single(finite(plot.now["selection"]).isel(question=question).transpose("look", "row", "stage").values)
    stages = [int(stage) for stage in plot.ds["stage"].values]
    cells = ["  ".join(f"{cell:.2f}" for cell in row) for row in plot.ds["cell"].values]
    plot.add(
        Heatmap(
            x=stages,
            z=AtStep("look", values),
            coloraxis="coloraxis",
            xgap=4,
            ygap=3,
            hovertemplate="selected: %{z:.3f}<extra></extra>",
        )
    )
    plot.figure.update_xaxes(
        tickvals=stages,
        ticktext=["all" if stage == 0 else f"after {stage}" for stage in stages],
        title_text="Rows selected",
        showgrid=False,
    )
    plot.figure.update_yaxes(
        tickmode="array",
        tickvals=[*range(len(cells))],
        ticktext=cells,
        range=[len(cells) - 0.5, -0.5],
        title_text=f"Cells of {', '.join(map(str, plot.ds['column'].values))}",
        showgrid=False,
        zeroline=False,
        ticks="",
    )
    words = f"“{as_label(str(plot.ds['question'].values[question]))}”"
    height = 260 + 24 * len(cells)
    plot.finish(plot.step_in_words("look", one_seed=True), words, height=height, legend=False, hover="closest")
    return colour_bar_below(plot.figure, (0.0, 1.0), look.SEQUENTIAL, "Selected")


@figure(
    "How does a program form?",
    needs=("operation_weight", "column_weight"),
    shows="Weights of operations and columns over training, step by step.",
)
def forming(plot: Plot) -> Figure:
    """Operation by training step, and column by training step, for the first question that is followed."""
    values, looks = single(choices(plot.ds, 0)), plot.ds["look"].values
    steps = plot.ds["iteration"].values
    plot.panels([f"Step {step} of the program" for step in steps])
    for row, step in enumerate(steps, start=1):
        plot.add(
            Heatmap(
                x=looks,
                z=values[:, :, row - 1].T,
                coloraxis="coloraxis",
                hoverongaps=False,
                hovertemplate=f"step %{{x}} of training: %{{z:.3f}}<extra>step {step}</extra>",
            ),
            row=row,
        )
        upwards(plot, row)
    plot.step_axis()
    seed = ", first seed" if plot.ds.sizes.get("seed", 1) > 1 else ""
    words = f"“{as_label(str(plot.ds['question'].values[0]))}”{seed}"
    height = 190 + (60 + 22 * len(names_of(plot.ds))) * len(steps)
    plot.finish(words, height=height, legend=False, hover="closest")
    return colour_bar_below(plot.figure, (0.0, 1.0), look.SEQUENTIAL, "Weight")
