"""The figures of *Neural programmer*."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.arrays.light import LightArray
from goldviz.figures.chart import (
    Channel,
    Panel,
    at,
    axis,
    bars,
    changed,
    colours,
    curves,
    figure,
    heat,
    mean,
    offered,
    panel,
)
from goldviz.figures.frames import AtStep
from goldviz.figures.limits import Quantity
from goldviz.figures.marks import Heat
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite
from goldviz.figures.thumbnail import picture_svg, squares
from goldviz.figures.word_map import numbers_in_cells
from goldviz.labs.neural_programmer.measures import program_text
from goldviz.labs.neural_programmer.settings import NeuralProgrammer
from goldviz.models.style import NetworkStyle

SHARES = {
    "right": NetworkStyle("right answer", "#0e7ac0", "solid", "circle"),
    "as_asked": NetworkStyle("the question's own program", "#009e73", "dash", "square"),
    "lucky": NetworkStyle("right here, wrong elsewhere", "#d55e00", "dot", "triangle-up"),
}
PLAIN = {"tickmode": "array", "zeroline": False, "ticks": ""}


def choices(run: Any, question: int) -> Array:
    """Weights of one question, (look, choice, iteration): operations, a gap, and columns."""
    operations, columns = (
        finite(run[f"{name}_weight"]).isel(question=question).transpose("look", name, "iteration")
        for name in ("operation", "column")
    )
    gap = np.full((operations.sizes["look"], 1, operations.sizes["iteration"]), np.nan)
    weights = np.concatenate([operations.values, gap, columns.values], axis=1)
    labels = {name: operations[name].values for name in ("look", "iteration")}
    return LightArray(weights, ("look", "choice", "iteration"), labels | {"choice": np.arange(weights.shape[1])})


def _shown(weights: Array) -> Channel:
    """Weights of :func:`choices`, read as those of operations are: of the first seed."""
    return Channel("operation_weight", lambda plot: weights, lambda plot: weights)


def names_of(ds: Run) -> list[str]:
    """What stands beside each row of :func:`choices`."""
    return [*map(str, ds["operation"].values), "", *(f"column {name}" for name in ds["column"].values)]


def _downwards(plot: Plot) -> dict[str, Any]:
    """Operations and columns, the first on top."""
    names = names_of(plot.ds)
    return {"tickvals": [*range(len(names))], "ticktext": names, "range": plot.limit("choice")[::-1], **PLAIN}


def _rows(plot: Plot) -> dict[str, Any]:
    rows = [int(row) for row in plot.ds["row"].values]
    cells = ["  ".join(f"{cell:.2f}" for cell in row) for row in plot.ds["cell"].values]
    columns = f"Cells of {', '.join(map(str, plot.ds['column'].values))}"
    return {"title_text": columns, "tickvals": rows, "ticktext": cells, "range": plot.limit("row")[::-1], **PLAIN}


def _each(dim: str, words: str, first: str = "") -> Any:
    """Every place along a dimension in words; ``first`` is what 0 is called."""

    def ticks(plot: Plot) -> dict[str, Any]:
        places = [int(place) for place in plot.ds[dim].values]
        return {"tickvals": places, "ticktext": [words.format(one) if one or not first else first for one in places]}

    return ticks


def _on_two_lines(shares: Array) -> Array:
    """Sorts of questions: what is asked for, and of which rows."""
    rows = {"0": "all rows", "1": "1 condition"}
    parts = [str(name).partition(", ") for name in shares["sort"].values]
    names = [f"{asked}\n{rows.get(count, f'{count} conditions')}" for asked, _, count in parts]
    return shares.assign_coords(sort=np.array(names, dtype=object))


def _chosen(plot: Plot, question: int) -> Sequence[Heat]:
    weights = choices(plot.now, question)
    text = AtStep("look", [numbers_in_cells(one, 0.1) for one in weights.values])
    more = {"text": text, "texttemplate": "%{text}", "textfont": {"size": 13}, "xgap": 4, "hoverongaps": False}
    return [heat(_shown(weights), "iteration", "choice", hover="step %{x}: %{z:.3f}", more=more)]


def _selected(plot: Plot, question: int) -> Sequence[Heat]:
    rows = at("selection", question=plot.ds["question"].values[question])
    return [heat(rows, "stage", "row", hover="selected: %{z:.3f}", more={"xgap": 4, "ygap": 3})]


def _lit_table(plot: Plot, question: int) -> Sequence[Panel]:
    """The table after each step of the program: rows are lit as they are selected, and a mark is at the column."""
    labels = {name: plot.ds[name].values for name in ("row", "column")}
    cells, rows = plot.ds["cell"].transpose("row", "column").values, plot.now["selection"].isel(question=question)
    choices = plot.now["column_weight"].isel(question=question).transpose("look", "iteration", "column").values
    how = {"texttemplate": "%{text}", "textfont": {"size": 16}, "xgap": 3, "ygap": 3}
    panels = []
    for place, step in enumerate(plot.ds["iteration"].values):
        selected = finite(rows.isel(stage=place + 1)).transpose("look", "row")
        lit = np.repeat(selected.values[..., None], cells.shape[1], axis=-1)
        values = LightArray(lit, ("look", "row", "column"), labels | {"look": selected["look"].values})
        texts = [_marked(cells, one[place]) for one in choices]

        def read(plot: Plot, lit: LightArray = values) -> LightArray:
            return lit

        one = Channel("selection", read, read)
        more = {**how, "text": AtStep("look", texts)}
        cell = heat(one, "column", "row", hover="row %{y}, column %{x}: selected %{z:.3f}", more=more)
        panels.append(panel(cell, heading=f"After step {step}", y=axis("", told=_downwards_in_rows)))
    return panels


def _downwards_in_rows(plot: Plot) -> dict[str, Any]:
    return {"range": plot.limit("row")[::-1], "showticklabels": False, **PLAIN}


def _marked(cells: np.ndarray, weights: np.ndarray) -> list[list[str]]:
    """The cells in words; those of the column that is chosen have a mark."""
    chosen = int(np.argmax(np.nan_to_num(weights)))
    return [[f"{'▸ ' if place == chosen else ''}{cell:.2f}" for place, cell in enumerate(row)] for row in cells]


def _forming(plot: Plot) -> Sequence[Panel]:
    weights, names, gaps = choices(plot.ds, 0), axis("", told=_downwards), {"hoverongaps": False}
    hover = "step %{x} of training: %{z:.3f}"
    return [
        panel(
            heat(at(_shown(weights), iteration=step), "look", "choice", hover=hover, more=gaps),
            heading=f"Step {step} of the program",
            y=names,
        )
        for step in plot.ds["iteration"].values
    ]


def _quoted(plot: Plot, question: int = 0) -> str:
    return f"“{as_label(str(plot.ds['question'].values[question]))}”"


def _becomes(plot: Plot, question: int) -> AtStep:
    """The question's program at each look."""
    operations, columns = (
        plot.now[f"{name}_weight"].isel(question=question).values for name in ("operation", "column")
    )
    programs = [", then ".join(program_text(*one)) for one in zip(operations, columns, strict=True)]
    return AtStep("look", [f"{_quoted(plot, question)} becomes: {program}." for program in programs])


weights = colours("Weight", ends=(0.0, 1.0), below=True)
of_choices = partial(
    figure,
    needs=("operation_weight", "column_weight"),
    colour=weights,
    limits={
        "choice": Quantity(lambda ds: np.array([-0.5, ds.sizes.get("operation", 0) + ds.sizes.get("column", 0) + 0.5]))
    },
)

FIGURES, shared_limits = offered(
    NeuralProgrammer,
    figure(
        "table",
        "Which rows of the table does each step light?",
        _lit_table,
        title=_quoted,
        needs=("selection", "cell", "column_weight", "operation_weight"),
        shows="The table after each step: filled rows are selected, ▸ marks the chosen column.",
        cannot_show="Whether the step's operation reads a column.",
        x=axis("Column", type="category"),
        colour=colours("Selected", ends=(0.0, 1.0), below=True),
        notes=(_becomes,),
        beside=True,
        height=lambda plot: 250 + 26 * plot.ds.sizes["row"],
        looks_at={"question": 0},
    ),
    # The document's picture: the controller step after step.
    of_choices(
        "controller",
        "Which operation does it choose at each step?",
        _chosen,
        title="What does it choose at each step?",
        shows="A column is a step; its weights of operations, and of columns, add up to 1.",
        cannot_show="Which choices matter.",
        x=axis(told=_each("iteration", "step {}")),
        y=axis("", told=_downwards),
        notes=(_becomes,),
        height=lambda plot: 250 + 26 * len(names_of(plot.ds)),
        looks_at={"question": 0},
    ),
    # Before the first step of a program, and after each.
    figure(
        "selection",
        "Which rows does each step select?",
        _selected,
        needs=("selection", "cell"),
        shows="A line is a row of the table. Filled rows are selected.",
        x=axis(told=_each("stage", "after {}", "all")),
        y=axis(told=_rows),
        colour=colours("Selected", ends=(0.0, 1.0), below=True),
        notes=(_quoted,),
        height=lambda plot: 260 + 24 * plot.ds.sizes["row"],
        looks_at={"question": 0},
    ),
    figure(
        "right",
        "Are right answers from right programs?",
        *(curves(at(name, network="programmer"), style=style, hover="%{y:.1%}") for name, style in SHARES.items()),
        title="Right answers, right programs?",
        y=axis("Unseen questions", scale="share"),
    ),
    # Of the first question that is followed.
    of_choices(
        "forming",
        "How does a program form?",
        _forming,
        shows="Weights of operations and columns over training, step by step.",
        lead=lambda plot: _quoted(plot) + (", first seed" if plot.ds.sizes.get("seed", 1) > 1 else ""),
        height=lambda plot: 190 + (60 + 22 * len(names_of(plot.ds))) * plot.ds.sizes["iteration"],
    ),
    figure(
        "gap",
        "How far are weights from a program?",
        curves("gap"),
    ),
    figure(
        "by_sort",
        "Which questions does it answer?",
        bars(
            changed(at(mean("right_by_sort"), network="programmer"), _on_two_lines),
            name="right",
            colour="programmer",
            legend=False,
        ),
        x=axis(""),
        legend="none",
    ),
    "loss",
)


def picture(ds: Run) -> str:
    """The home page's picture: the operations' weights of three questions, step by step."""
    weights = ds["operation_weight"].isel(look=-1).values[:3]
    questions, steps, _ = weights.shape
    wide = 240 / (questions * (steps + 1))
    parts = [
        square
        for question, one in enumerate(weights)
        for square in squares(one.T, 44 + question * (steps + 1) * wide, 10, steps * wide, 140, gap=2)
    ]
    return picture_svg(
        parts,
        label="Weights over operations: each step of a program lights one of them.",
        axes=("step of three programs", "operation"),
    )
