"""The figures of *Backward by hand*: the graph, one tensor at a time, the softmax's push and pull, paths."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure, make_subplots
from goldviz.figures.elements import add_heading
from goldviz.figures.maps import SIGNED, cells, colour_bar, symmetric
from goldviz.figures.notes import as_label
from goldviz.figures.spec import by_name, drawn
from goldviz.figures.theme import Theme
from goldviz.figures.thumbnail import picture_svg
from goldviz.labs.backward_by_hand.graph import GRADIENT, VALUE, graph, shape_of
from goldviz.labs.backward_by_hand.places import place

WRITTEN_UP_TO = 8
"""Columns up to which every cell shows its number."""
WAYS = {"direct": "directly", "mean": "by the mean", "variance": "by the variance"}
FLAT = {"row": "", "column": ""}


@drawn(
    "Which numbers come out of this step?",
    at="number",
    shows="What is computed here, entry by entry, and its distance from autograd's.",
)
def tensor(ds: Run, *, number: int, theme: Theme = "light") -> Figure:
    """The heat map of what is computed at this place."""
    at = place(ds.attrs["divisor"], number)
    difference = f"Largest difference to autograd: {ds.attrs['difference'][at.node.name]:.1e}." if at.backward else ""
    notes = [f"{at.name} = {at.formula}", difference or "Computed on the way forward, and kept for the way back."]
    title = f"{at.name}, {shape_of(ds, at.node)}"
    figure = _map(ds, ds[at.name], title, notes, theme)
    return figure.update_layout(height=540)


def _map(ds: Run, array: Array, title: str, notes: Sequence[str], theme: Theme) -> Figure:
    """Any tensor as a matrix: what has three axes with the last two side by side, what has one or none as a line."""
    values = np.asarray(array.values, dtype=float)
    dims = [str(dim) for dim in array.dims]
    matrix = values.reshape(values.shape[0] if values.ndim else 1, -1)
    rows = labels(ds, dims[0]) if dims else [""]
    columns = _labels_of_columns(ds, dims)
    with_numbers = matrix.shape[1] <= WRITTEN_UP_TO
    x, y = list(range(matrix.shape[1])), list(range(matrix.shape[0]))
    names = np.array([[f"{row}, {column}".strip(", ") for column in columns] for row in rows])
    figure = Figure(
        cells(
            matrix,
            x=x,
            y=y,
            customdata=names,
            hover="%{customdata}<br>%{z:.5~g}",
            xgap=1,
            ygap=1,
            texttemplate="%{z:.2~g}" if with_numbers else "",
            textfont={"size": 12},
        )
    )
    look.apply(figure, theme, title=title, notes=notes, legend=False, height=450, hover="closest")
    _place_axis(figure, "x", columns, _axis_words(dims[1:]))
    _place_axis(figure, "y", rows, _axis_words(dims[:1]))
    figure.update_yaxes(autorange="reversed")
    return colour_bar(figure, symmetric(matrix), SIGNED, "Value", nticks=5)


def plain_labels(ds: Run, dim: str) -> list[str]:
    """What stands at the places of an axis: samples by their context and target, symbols, or numbers."""
    if dim == "sample":
        pairs = zip(ds.attrs["contexts"], ds.attrs["targets"], strict=True)
        return [f"{context}→{target}" for context, target in pairs]
    return [""] if dim in FLAT else [str(value) for value in ds[dim].values.tolist()]


def labels(ds: Run, dim: str) -> list[str]:
    """The same, escaped for a figure."""
    return [as_label(name) for name in plain_labels(ds, dim)]


def _labels_of_columns(ds: Run, dims: Sequence[str]) -> list[str]:
    if len(dims) == 3:
        return [f"{first}:{second}" for first in labels(ds, dims[1]) for second in labels(ds, dims[2])]
    return labels(ds, dims[1]) if len(dims) == 2 else [""]


def _place_axis(figure: Figure, letter: str, names: Sequence[str], words: str) -> None:
    every = -(-len(names) // 24)
    ticks = list(range(0, len(names), every))
    update = figure.update_xaxes if letter == "x" else figure.update_yaxes
    update(
        tickvals=ticks,
        ticktext=[names[tick] for tick in ticks],
        ticklen=0,
        tickfont_size=12,
        showgrid=False,
        title_text=words,
        type="linear",
    )
    figure.update_xaxes(tickangle=0)


def _axis_words(dims: Sequence[str]) -> str:
    words = {
        "sample": "Sample",
        "symbol": "Character",
        "hidden": "Hidden unit",
        "feature": "Feature",
        "place": "Place",
        "context_feature": "Place and feature",
    }
    return " and ".join(words[dim] for dim in dims if dim in words)


@drawn(
    "Who is pushed down, who is pulled up?",
    shows="dlogits = (P − Y)/n: what each logit's change does to the loss.",
)
def push_and_pull(ds: Run, *, theme: Theme = "light") -> Figure:
    """(P - Y) / n with a ring at each sample's target."""
    gradient = ds["dlogits"].values
    largest = float(np.abs(gradient.sum(1)).max())
    notes = [
        "Red: a step pushes it down. Blue: it is pulled up. A ring marks what followed.",
        f"Every row adds up to 0: the largest sum is {largest:.0e}.",
    ]
    figure = _map(ds, ds["dlogits"], "Who is pushed, who is pulled?", notes, theme)
    symbols = ds["symbol"].values.tolist()
    at = [symbols.index(target) for target in ds.attrs["targets"]]
    for size, colour, width in ((12, "#ffffff", 2.5), (15, "#1e1e1c", 1)):
        marker = {"symbol": "circle-open", "size": size, "color": colour, "line_width": width}
        figure.scatter(x=at, y=list(range(len(at))), mode="markers", hoverinfo="skip", marker=marker)
    return figure.update_layout(height=520)


@drawn(
    "Does the subtracted maximum learn anything?",
    shows="dnorm_logits, and the sum of each row with a minus: dlogit_maxes.",
    cannot_show="Why the maximum is subtracted.",
)
def column_of_zeros(ds: Run, *, theme: Theme = "light") -> Figure:
    """dnorm_logits with dlogit_maxes as one more column, behind a gap."""
    matrix, column = ds["dnorm_logits"].values, ds["dlogit_maxes"].values
    beside = np.concatenate([matrix, np.full_like(column, np.nan), column], axis=1)
    rows, names = labels(ds, "sample"), [*labels(ds, "symbol"), "", "Σ"]
    figure = Figure(
        cells(beside, x=list(range(len(names))), y=list(range(len(rows))), hover="%{z:.3~g}", xgap=1, ygap=1)
    )
    notes = [
        f"Largest entry of dlogit_maxes: {np.abs(column).max():.0e}. With the document's sign dlogits changes by "
        f"{ds.attrs['sign_in_gradient']:.0e}."
    ]
    look.apply(figure, theme, title="A column of zeros", notes=notes, legend=False, height=520, hover="closest")
    _place_axis(figure, "x", names, "Character, and −Σ: dlogit_maxes")
    _place_axis(figure, "y", rows, "Sample")
    figure.update_yaxes(autorange="reversed")
    return colour_bar(figure, symmetric(matrix), SIGNED, "dnorm_logits, dlogit_maxes", nticks=5)


@drawn(
    "By which ways does batch norm hand a gradient on?",
    shows="The three paths of dL/dx through batch norm, and their sum (document 002, 1.4.5).",
)
def paths(ds: Run, *, theme: Theme = "light") -> Figure:
    """Four maps in one colour scale: directly, by the mean, by the variance, and all together."""
    panels = [(f"<b>{words}</b>", ds["path"].sel(way=way).values) for way, words in WAYS.items()]
    panels.append(("<b>all together: dh_prebn</b>", ds["dh_prebn"].values))
    figure = make_subplots(rows=2, cols=2, horizontal_spacing=0.1, vertical_spacing=0.16)
    units, samples = ds["hidden"].values, ds["sample"].values
    for panel, (words, values) in enumerate(panels, start=1):
        row, column = divmod(panel - 1, 2)
        figure.add_trace(
            cells(values, x=units, y=samples, hover="sample %{y}, unit %{x}<br>%{z:.4~g}"), row=row + 1, col=column + 1
        )
        add_heading(figure, panel, words, font_size=14)
    notes = [
        f"Through variance and then mean: {ds.attrs['mean_through_variance']:.0e}. Deviations from a mean add up to 0."
    ]
    look.apply(
        figure, theme, title="Three paths through batch norm", notes=notes, legend=False, height=560, hover="closest"
    )
    figure.update_layout(margin_t=figure.layout.margin.t + 18)
    figure.update_xaxes(showgrid=False, nticks=6).update_yaxes(showgrid=False, nticks=5, autorange="reversed")
    figure.update_xaxes(title_text="Hidden unit", row=2).update_yaxes(title_text="Sample", col=1)
    return colour_bar(figure, symmetric(*(values for _, values in panels)), SIGNED, "Gradient", nticks=5)


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


FIGURES = by_name(graph, tensor, push_and_pull, column_of_zeros, paths)
