"""The figures of *Backward by hand*: the graph, one tensor at a time, the softmax's push and pull, paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures.chart import axis, bound, colours, figure
from goldviz.figures.draft import Figure, make_subplots
from goldviz.figures.elements import add_heading
from goldviz.figures.maps import SIGNED, cells, colour_bar, symmetric, written
from goldviz.figures.marks import Canvas
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.thumbnail import picture_svg
from goldviz.labs.backward_by_hand.graph import GRADIENT, VALUE, graph, shape_of
from goldviz.labs.backward_by_hand.network import Place, place
from goldviz.labs.backward_by_hand.settings import BackwardByHand

WAYS = {"direct": "directly", "mean": "by the mean", "variance": "by the variance"}
FLAT = {"row": "", "column": ""}


def plain_labels(ds: Run, dim: str) -> list[str]:
    """What stands at the places of an axis: samples by their context and target, symbols, or numbers."""
    if dim == "sample":
        pairs = zip(ds.attrs["contexts"], ds.attrs["targets"], strict=True)
        return [f"{context}→{target}" for context, target in pairs]
    return [""] if dim in FLAT else [str(value) for value in ds[dim].values.tolist()]


def labels(ds: Run, dim: str) -> list[str]:
    """The same, escaped for a figure."""
    return [as_label(name) for name in plain_labels(ds, dim)]


@dataclass(frozen=True)
class Matrix:
    """Any tensor: what has three axes with the last two side by side, what has one or none as a line.

    Its sums may stand behind a gap, as one more column.
    """

    name: str
    sums: str = ""

    def draw(self, canvas: Canvas) -> None:
        """Draw it, with a name at every row and column, and its numbers where they fit."""
        ds, figure = canvas.plot.ds, canvas.plot.figure
        dims = [str(dim) for dim in ds[self.name].dims] or ["row"]
        rows, *others = (labels(ds, dim) for dim in dims)
        columns, values = [":".join(names) for names in product(*others)], ds[self.name].values.reshape(len(rows), -1)
        if self.sums:
            gap = np.full((len(rows), 1), np.nan)
            columns, values = [*columns, "", "Σ"], np.concatenate([values, gap, ds[self.sums].values], axis=1)
        named = np.array([[f"{row}, {column}".strip(", ") for column in columns] for row in rows])
        y, x = (list(range(count)) for count in values.shape)
        hover = "%{customdata}<br>%{z:.5~g}"
        how = written(len(columns), "%{z:.2~g}")
        figure.add_trace(cells(values, x=x, y=y, hover=hover, customdata=named, **how))
        figure.update_xaxes(tickangle=0, **_names(columns, dims[1:]))
        figure.update_yaxes(autorange="reversed", **_names(rows, dims[:1]))


def _names(names: Sequence[str], dims: Sequence[str]) -> dict[str, Any]:
    some = slice(None, None, -(-len(names) // 24))
    words = " and ".join(BackwardByHand.coordinates[dim].label for dim in dims if dim not in FLAT)
    ticks = {"tickvals": list(range(len(names)))[some], "ticktext": [*names][some], "ticklen": 0, "tickfont_size": 13}
    return {"title_text": words, "type": "linear", "showgrid": False, **ticks}


def _at(plot: Plot, number: int) -> Place:
    return place(plot.ds.attrs["divisor"], number)


def _off_autograd(plot: Plot, number: int) -> str:
    if not (here := _at(plot, number)).backward:
        return "Computed on the way forward, and kept for the way back."
    return f"Largest difference to autograd: {plot.ds.attrs['difference'][here.node.name]:.1e}."


class Rings:
    """A ring at each sample's target, to be seen on any colour."""

    def draw(self, canvas: Canvas) -> None:
        """Draw them."""
        symbols, targets = canvas.plot.ds["symbol"].values.tolist(), canvas.plot.ds.attrs["targets"]
        x, y = [symbols.index(target) for target in targets], list(range(len(targets)))
        for size, colour, width in ((12, "#ffffff", 2.5), (15, "#1e1e1c", 1)):
            marker = {"symbol": "circle-open", "size": size, "color": colour, "line_width": width}
            canvas.plot.figure.scatter(x=x, y=y, mode="markers", hoverinfo="skip", marker=marker)


def _row_sums(plot: Plot) -> str:
    return f"Every row adds up to 0: the largest sum is {np.abs(plot.ds['dlogits'].values.sum(1)).max():.0e}."


def _column(plot: Plot) -> str:
    largest, changed = np.abs(plot.ds["dlogit_maxes"].values).max(), plot.ds.attrs["sign_in_gradient"]
    return f"Largest entry of dlogit_maxes: {largest:.0e}. With the document's sign dlogits changes by {changed:.0e}."


def paths(plot: Plot) -> Figure:
    """Two maps beside two, so that each stays high enough for its samples, in one colour scale."""
    ds = plot.ds
    maps = {words: ds["path"].sel(way=way).values for way, words in WAYS.items()}
    maps["all together: dh_prebn"] = ds["dh_prebn"].values
    plot.figure = grid = make_subplots(rows=2, cols=2, horizontal_spacing=0.1, vertical_spacing=0.16)
    x, y, hover = ds["hidden"].values, ds["sample"].values, "sample %{y}, unit %{x}<br>%{z:.4~g}"
    for number, (words, values) in enumerate(maps.items()):
        row, column = divmod(number, 2)
        grid.add_trace(cells(values, x=x, y=y, hover=hover), row=row + 1, col=column + 1)
        add_heading(grid, number + 1, f"<b>{words}</b>", font_size=13)
    lost = f"Through variance and then mean: {ds.attrs['mean_through_variance']:.0e}."
    plot.finish(f"{lost} Deviations from a mean add up to 0.", height=560, legend=False, hover="closest")
    grid.update_layout(margin_t=grid.layout.margin.t + 18)
    grid.update_xaxes(showgrid=False, nticks=6).update_yaxes(showgrid=False, nticks=5, autorange="reversed")
    grid.update_xaxes(title_text="Hidden unit", row=2).update_yaxes(title_text="Sample", col=1)
    return colour_bar(grid, symmetric(*maps.values()), SIGNED, "Gradient", nticks=5)


FIGURES = bound(
    BackwardByHand,
    graph,
    figure(
        "tensor",
        "Which numbers come out of this step?",
        lambda plot, number: [Matrix(_at(plot, number).name)],
        title=lambda plot, number: f"{_at(plot, number).name}, {shape_of(plot.ds, _at(plot, number).node)}",
        shows="What is computed here, entry by entry, and its distance from autograd's.",
        colour=colours("Value", ends=lambda plot: symmetric(plot.figure.data[0].z), scale="signed", nticks=5),
        notes=(lambda plot, number: f"{_at(plot, number).name} = {_at(plot, number).formula}", _off_autograd),
        height=540,
        looks_at={"number": 1},
        position="number",
    ),
    figure(
        "push_and_pull",
        "Who is pushed down, who is pulled up?",
        Matrix("dlogits"),
        Rings(),
        title="Who is pushed, who is pulled?",
        shows="dlogits = (P − Y)/n: what each logit's change does to the loss.",
        colour=colours("Value", "dlogits", scale="signed", nticks=5),
        notes=("Red: a step pushes it down. Blue: it is pulled up. A ring marks what followed.", _row_sums),
        height=520,
    ),
    figure(
        "column_of_zeros",
        "Does the subtracted maximum learn anything?",
        Matrix("dnorm_logits", sums="dlogit_maxes"),
        title="A column of zeros",
        shows="dnorm_logits, and the sum of each row with a minus: dlogit_maxes.",
        cannot_show="Why the maximum is subtracted.",
        x=axis("Character, and −Σ: dlogit_maxes", scale="free"),
        colour=colours("dnorm_logits, dlogit_maxes", "dnorm_logits", scale="signed", nticks=5),
        notes=(_column,),
        height=520,
    ),
    figure(
        "paths",
        "By which ways does batch norm hand a gradient on?",
        title="Three paths through batch norm",
        shows="The three paths of dL/dx through batch norm, and their sum (document 002, 1.4.5).",
        draw=paths,
    ),
)


def picture(ds: Run) -> str:
    """The home page's picture: (P - Y) / n, the first samples and characters."""
    gradient = ds["dlogits"].values[:7, :14]
    most = float(np.abs(gradient).max()) or 1.0
    wide, high = 300 / gradient.shape[1], 140 / gradient.shape[0]
    parts = [
        f'<rect x="{10 + column * wide:.1f}" y="{10 + row * high:.1f}" width="{wide - 2:.1f}" height="{high - 2:.1f}"'
        f' fill="{GRADIENT if value > 0 else VALUE}" fill-opacity="{0.08 + 0.92 * abs(value) / most:.2f}"/>'
        for (row, column), value in np.ndenumerate(gradient)
    ]
    return picture_svg(
        parts,
        label="Gradients of the logits: wrong characters pushed down, the right one pulled up.",
        axes=("character", "sample"),
    )
