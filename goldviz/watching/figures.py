"""Figures of watched runs: losses, one map of layers and steps, and lines of a few layers."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.declare.kinds import Understood, understood
from goldviz.diagnostics.findings import networks
from goldviz.figures import theme as look
from goldviz.figures.by_kind import figures_of_any_run
from goldviz.figures.draft import Figure, Heatmap, Scatter, make_subplots
from goldviz.figures.elements import colour_bar_below, log_axis, power_ticks, worded
from goldviz.figures.notes import as_label
from goldviz.figures.overlay import crosses, overlay, scalars
from goldviz.figures.spec import FigureSpec
from goldviz.figures.theme import SEQUENTIAL, Theme
from goldviz.watching.measures import layers_of

MOST_COLUMNS = 240
"""Columns of a map; of more steps, each column has the largest of several."""
MOST_LINES = 8
NAME_LENGTH = 28
MOST_NAMES = 30
"""Layers up to which a map writes every name."""
OF_PARAMETERS = ("gradient_by_layer", "update_to_data", "gradient_before", "update_before", "weight_norm")
SHARES = ("saturation", "dead_units")
BY_HEAD = ("attention_entropy", "largest_logit")
SELDOM = (*BY_HEAD, "gradient_before", "update_before")
"""Quantities that are offered where they were recorded."""
PLAIN = ("activation_mean", *BY_HEAD, *SHARES)
"""Quantities on a plain scale; all others are magnitudes, on one of powers of ten."""
LABELS = {
    "gradient_by_layer": "Gradient norm",
    "update_to_data": "Update to data",
    "gradient_before": "Gradient norm up to the first bad value",
    "update_before": "Update to data up to the first bad value",
    "attention_entropy": "Entropy of attention in bits",
    "largest_logit": "Largest logit",
    "weight_norm": "Weight norm",
    "activation_mean": "Output mean",
    "activation_std": "Output spread",
    "largest_activation": "Largest output",
    "output_gradient": "Output's gradient",
    "saturation": "Saturated share",
    "dead_units": "Dead share",
}
"""The map's quantities, by what a query calls them."""


class Query(NamedTuple):
    """Which layers and which quantities a line asks for; ``complaint`` says what it does not know."""

    layers: list[int]
    quantities: list[str]
    complaint: str = ""


def query(line: str, names: Sequence[str], quantity: str) -> Query:
    """Read "blocks.*.attn : entropy, largest logit": a pattern of names, and beginnings of quantities' words.

    A layer's whole name asks for that layer; else a pattern without stars is looked for within names. Nothing asks for
    all layers, and nothing behind a colon for the quantity in view.

    >>> query("b* : weight, largest l", ["a.w", "b.w"], "update_to_data")
    Query(layers=[1], quantities=['weight_norm', 'largest_logit'], complaint='')
    """
    pattern, _, words = (part.strip() for part in line.partition(":"))
    wanted = []
    for word in filter(None, (part.strip() for part in words.split(","))):
        asked = [name for name, label in LABELS.items() if label.casefold().startswith(word.casefold())]
        if not asked:
            return Query([], [quantity], f"There is no {word[:40]!r}; there are {', '.join(LABELS.values()).lower()}.")
        wanted.append(asked[0])
    form = pattern if any(sign in pattern for sign in "*?[") else f"*{pattern}*"
    rows = [row for row, name in enumerate(names) if name == pattern]
    rows = rows or [row for row, name in enumerate(names) if fnmatch.fnmatchcase(name, form)]
    complaint = "" if rows else f"No layer is called {pattern[:40]!r}."
    return Query(rows, wanted or [quantity], complaint)


def losses(runs: Sequence[tuple[str, Run]], theme: Theme) -> Figure:
    """The loss of each run, with a cross where it was no finite number."""
    figure = overlay(runs, theme)
    for title, run in runs:
        if "loss" in run:
            values = np.asarray(run["loss"].values, dtype=np.float64)
            bad = run["loss"]["step"].values[~np.isfinite(values)]
            finite = values[np.isfinite(values)]
            if bad.size:
                top = float(finite.max()) if finite.size else 1.0
                figure.add_trace(crosses(bad.tolist(), [top] * bad.size, f"{as_label(title)}: no finite number"))
    return figure.update_layout(title_text="Loss", height=320, meta=None)


def columns(values: np.ndarray, steps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """At most 240 columns of (step, layer) values: of several steps the largest, so that nothing extreme is lost."""
    apart = -(-len(steps) // MOST_COLUMNS)
    starts = np.arange(0, len(steps), apart)
    with np.errstate(invalid="ignore"):
        return np.fmax.reduceat(values, starts, axis=0), steps[starts]


def block_of(name: str) -> str:
    """The block that a layer stands in: the innermost numbered module around it, else all but its own name.

    >>> block_of("encoder.layer.3.attention.self.query"), block_of("layers.0"), block_of("fc")
    ('encoder.layer.3', 'layers', '')
    """
    parts = name.split(".")
    numbers = [at for at, part in enumerate(parts[:-1]) if part.isdigit()]
    return ".".join(parts[: numbers[-1] + 1] if numbers else parts[:-1])


def short(name: str) -> str:
    """A long name, of which the innermost block and the last two parts are left: they tell where it is.

    >>> short("bert.encoder.layer.11.attention.output.dense"), short("net.features.first_convolution.weights")
    ('layer.11…output.dense', 'net…first_convolution.weights')
    """
    if len(name) <= NAME_LENGTH:
        return name
    block, parts = block_of(name), name.split(".")
    first = ".".join(block.split(".")[-2:]) if block[-1:].isdigit() else parts[0]
    told = f"{first}…{'.'.join(parts[-2:])}"
    half = NAME_LENGTH // 2
    return told if len(told) <= NAME_LENGTH + 2 else f"{name[:half]}…{name[-half:]}"


def layer_map(runs: Sequence[tuple[str, Run]], quantity: str, line: str, theme: Theme) -> Figure:
    """One quantity of all layers that a line asks for over the steps, runs side by side on one scale.

    A cross marks what was no finite number; a gap, what was not measured; the lowest colour, also what was 0. Layers
    without parameters have no row where the quantity is one of parameters.
    """
    asked = [(title, run, _in_view(run, quantity, line)) for title, run in runs if quantity in run]
    there = [one for one in asked if one[2].names]
    title = f"{LABELS[quantity]} by layer and step"
    if not there:
        return worded("Nothing of this was recorded yet.", title=title, theme=theme)
    alike = len({tuple(view.names) for _, _, view in there}) == 1
    figure = make_subplots(
        rows=1, cols=len(there), shared_yaxes=alike, horizontal_spacing=0.03 if alike else 0.5 / (len(there) + 1)
    )
    of_powers, drawn = quantity not in PLAIN, []
    for _, run, view in there:
        values, steps = columns(view.values, run[quantity][run[quantity].dims[0]].values)
        scaled = np.log10(np.where(values > 0, values, np.nan)) if of_powers else values
        drawn.append((values, steps, np.where(np.isfinite(scaled), scaled, np.nan)))
    known = np.concatenate([finite[np.isfinite(finite)] for _, _, finite in drawn])
    low, high = (float(known.min()), float(known.max())) if known.size else (-1.0, 0.0)
    low, high = (0.0, 1.0) if quantity in SHARES else (low, high if high > low else low + 1)
    some_are_zero = of_powers and any((values == 0).any() for values, _, _ in drawn)
    for place, ((run_title, _, view), (values, steps, finite)) in enumerate(zip(there, drawn, strict=True), start=1):
        labels = [as_label(short(name)) for name in view.names]
        places = [*range(len(labels))]
        cells: dict[str, Any] = {"x": steps, "y": places, "coloraxis": "coloraxis", "hoverongaps": False}
        number = "10^%{z:.2f}" if of_powers else "%{z:.2f}"
        hover = f"step %{{x}}, %{{y}}: {number}<extra></extra>"
        figure.add_trace(Heatmap(z=finite.T.astype(np.float32), hovertemplate=hover, **cells), row=1, col=place)
        if of_powers and (values == 0).any():
            lowest = np.where(values == 0, low, np.nan).T.astype(np.float32)
            hover = "step %{x}, %{y}: exactly 0<extra></extra>"
            figure.add_trace(Heatmap(z=lowest, hovertemplate=hover, **cells), row=1, col=place)
        bad_steps, bad_layers = np.nonzero(np.isinf(values))
        if bad_steps.size:
            cross = crosses(steps[bad_steps].tolist(), bad_layers.tolist(), "no finite number")
            figure.add_trace(cross, row=1, col=place)
        apart = -(-len(labels) // MOST_NAMES)
        ticks = {"tickvals": places[::apart], "ticktext": labels[::apart]}
        figure.update_yaxes(autorange="reversed", showgrid=False, row=1, col=place, **ticks)
        step = f"Step of {as_label(run_title)}" if len(there) > 1 else "Step"
        figure.update_xaxes(title_text=step, showgrid=False, row=1, col=place)
    height = 250 + min(620, 19 * max(len(view.names) for _, _, view in there))
    look.apply(figure, theme, title=title, legend=False, hover="closest", height=height)
    bar = power_ticks(low, high) if of_powers else {}
    of_zero = ", the lowest colour also of 0" if some_are_zero else ""
    return colour_bar_below(figure, (low, high), SEQUENTIAL, f"{LABELS[quantity]}{of_zero}", **bar)


class _View(NamedTuple):
    """The rows of a map: their names, and (step, row) values."""

    names: list[str]
    values: np.ndarray


def _in_view(run: Run, quantity: str, line: str) -> _View:
    """A row for each layer that a line asks for, or for each of its heads."""
    rows = _rows(run, quantity, line)
    values = np.asarray(run[quantity].values, np.float64)[:, rows] if rows else np.zeros((0, 0))
    names = [str(name) for name in run["layer"].values[rows]]
    if values.ndim == 3:
        steps, _, heads = values.shape
        names = [f"{name} · {head + 1}" for name in names for head in range(heads)]
        values = values.reshape(steps, -1)
        measured = np.flatnonzero(~np.isnan(values).all(0))
        names, values = [names[row] for row in measured], values[:, measured]
    return _View(names, values)


def _rows(run: Run, quantity: str, line: str) -> list[int]:
    """The layers of this run that a line asks for, but for those that the quantity never is of."""
    layers = layers_of(run)
    asked = query(line, [str(name) for name in run["layer"].values], quantity).layers if run[quantity].size else []
    of_parameters = quantity in OF_PARAMETERS and len(layers) == run.sizes.get("layer")
    return [row for row in asked if not of_parameters or layers[row][2]]


def through_time(run: Run, theme: Theme) -> Figure:
    """What each time step of a recurrent module is told, and still means to the last: at the newest close look.

    Where the module has gates that keep a state, what they alone leave of it stands beside.
    """
    long = int((~np.isnan(np.asarray(run["state_gradient"].values)[-1])).sum())
    names = {
        "state_gradient": "Gradient of h(t)",
        "state_to_last": "Largest singular value of dh(T)/dh(t)",
        "gate_product": "What the gates alone leave",
    }
    curves = [
        (name, np.asarray(run[quantity].values, np.float64)[-1, :long])
        for quantity, name in names.items()
        if quantity in run and len(run[quantity])
    ]
    if not any((np.isfinite(row) & (row > 0)).any() for _, row in curves):
        return worded("Every value of the last close look is 0 or no finite number.", title="By time step", theme=theme)
    figure = _lines(np.asarray(run["time"].values)[:long], curves, theme, mode="lines+markers")
    figure.update_xaxes(title_text="Time step, of the last 64 at most")
    return look.apply(figure, theme, title="By time step", hover="closest", height=360)


def layer_lines(run: Run, quantity: str, layers: Sequence[int], theme: Theme) -> Figure:
    """The same quantity of a few layers as lines."""
    dim = run[quantity].dims[0]
    values, steps = columns(np.asarray(run[quantity].values, np.float64)[:, layers], run[quantity][dim].values)
    names = [as_label(short(str(run["layer"].values[row]))) for row in layers]
    figure = _lines(steps, [*zip(names, values.T, strict=True)], theme, plain=quantity in PLAIN)
    figure.update_xaxes(title_text="Step")
    figure.update_yaxes(title_text=LABELS[quantity])
    return look.apply(figure, theme, title=f"{LABELS[quantity]} of these layers", hover="closest", height=380)


def _lines(
    x: np.ndarray, curves: Sequence[tuple[str, np.ndarray]], theme: Theme, *, mode: str = "lines", plain: bool = False
) -> Figure:
    """Curves on a scale of powers of ten, or a ``plain`` one; crosses at the top are what was no finite number.

    Triangles at the bottom are the zeros that were measured: powers of ten have no place for them.
    """
    figure = Figure()
    drawn = [np.where(np.isfinite(values) & (plain | (values > 0)), values, np.nan) for _, values in curves]
    known = np.concatenate([values[~np.isnan(values)] for values in drawn])
    floor, top = (float(known.min()), float(known.max())) if known.size else (1.0, 1.0)
    for (name, values), finite, colour in zip(curves, drawn, look.depth_colours(len(curves), theme), strict=True):
        figure.add_trace(Scatter(x=x, y=finite, name=name, mode=mode, line={"color": colour, "width": 2}))
        zeros, bad = x[values == 0], x[np.isinf(values)]
        if zeros.size and not plain:
            marker = {"symbol": "triangle-down-open", "size": 8, "color": colour}
            hover = f"{name}: exactly 0<extra></extra>"
            own = {"mode": "markers", "marker": marker, "showlegend": False, "hovertemplate": hover}
            figure.add_trace(Scatter(x=zeros, y=[floor] * zeros.size, name=name, **own))
        if bad.size:
            figure.add_trace(crosses(bad.tolist(), [top] * bad.size, name, showlegend=False))
    if known.size and not plain:
        figure.update_yaxes(**log_axis((float(np.log10(floor)) - 0.1, float(np.log10(top)) + 0.1)))
    return figure


def understood_watched(dataset: Any) -> Understood:
    """A watched run by its kinds, with the script's own numbers, which are of none."""
    own = understood(dataset)
    return own._replace(dataset=own.dataset.assign(scalars=dataset["scalars"])) if "scalars" in dataset else own


def figures_of_watched(own: Understood) -> dict[str, FigureSpec]:
    """The figures of a watched run, by name: those of its kinds, and of its script's own numbers."""

    def draw(ds: Run, *, epoch: int | None = None, limits: Any = None, theme: Theme = "light") -> Figure:
        return scalars([("", ds)], theme, np.inf if epoch is None else epoch)

    shows = "What the script gave to record.step and record.log, each on a scale of its own."
    spec = FigureSpec(draw, "What did the script tell of itself?", shows, name="scalars", needs=("scalars",))
    shared = figures_of_any_run(own.kinds, networks(own.dataset))
    return {**shared, **({"scalars": spec} if "scalars" in own.dataset else {})}
