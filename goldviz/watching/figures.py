"""Figures of watched runs: the loss, one map of layers and steps, the layers at one step, and lines of a few."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Run
from goldviz.declare.kinds import Understood, by_kind, understood
from goldviz.diagnostics.findings import networks
from goldviz.figures import by_kind as shared
from goldviz.figures.draft import Figure, Heatmap, Scatter, make_subplots
from goldviz.figures.elements import colour_bar_below, log_axis, power_ticks, title_below
from goldviz.figures.frames import AtStep
from goldviz.figures.limits import Quantity, log_of, values_of
from goldviz.figures.notes import as_label
from goldviz.figures.overlay import COLOURS, FEW, crosses
from goldviz.figures.plot import Plot, figure
from goldviz.figures.reading import single, thinned
from goldviz.figures.spec import FigureSpec
from goldviz.figures.theme import SEQUENTIAL
from goldviz.watching.declared import CLOSE, VARIABLES
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


KINDS = by_kind(VARIABLES)
"""The variables of every watched run by their kind."""


def _quantity(name: str) -> Quantity:
    """The ends of a quantity over a run, as runs side by side share them."""
    if name in SHARES:
        return Quantity(lambda ds: np.array([0.0, 1.0]))
    return Quantity(values_of(name) if name in PLAIN else log_of(name))


QUANTITIES = {**shared.quantities_by_kind(KINDS), **{f"map {name}": _quantity(name) for name in LABELS}}
"""What figures of watched runs have limits for."""
of_run = partial(figure, QUANTITIES)
"""Makes a figure of a watched run of a function that draws it."""


def layer_map(quantity: str, line: str = "") -> FigureSpec:
    """One quantity of all layers that a line asks for over the steps.

    A cross marks what was no finite number; a gap, what was not measured where others were; the lowest colour, also
    what was 0. Layers without parameters have no row where the quantity is one of parameters.
    """

    def draw(plot: Plot) -> Figure:
        view = _in_view(plot.ds, quantity, line)
        if not view.names:
            return plot.instead("Nothing of this was recorded yet.")
        of_powers = quantity not in PLAIN
        low, high = plot.limit(f"map {quantity}")
        values, steps = columns(view.values, view.steps)
        scaled = np.log10(np.where(values > 0, values, np.nan)) if of_powers else values
        finite = np.where(np.isfinite(scaled), scaled, np.nan)
        cells: dict[str, Any] = {"x": steps, "y": [*range(len(view.names))], "coloraxis": "coloraxis"}
        cells["hoverongaps"] = False
        number = "10^%{z:.2f}" if of_powers else "%{z:.2f}"
        plot.add(Heatmap(z=single(finite.T), hovertemplate=f"step %{{x}}, %{{y}}: {number}<extra></extra>", **cells))
        some_are_zero = of_powers and bool((values == 0).any())
        if some_are_zero:
            lowest = single(np.where(values == 0, low, np.nan).T)
            plot.add(Heatmap(z=lowest, hovertemplate="step %{x}, %{y}: exactly 0<extra></extra>", **cells))
        bad_steps, bad_layers = np.nonzero(np.isinf(values))
        if bad_steps.size:
            plot.add(crosses(steps[bad_steps].tolist(), bad_layers.tolist(), "no finite number"))
        plot.step_axis()
        plot.figure.update_yaxes(showgrid=False, **_of_layers(view.names))
        picture = plot.finish(height=_height(view.names), legend=False, hover="closest")
        bar = power_ticks(low, high) if of_powers else {}
        of_zero = ", the lowest colour also of 0" if some_are_zero else ""
        return colour_bar_below(picture, (low, high), SEQUENTIAL, f"{LABELS[quantity]}{of_zero}", **bar)

    words = f"{LABELS[quantity]} by layer and step"
    behind = " Behind an attention's name stands the number of its head." if quantity in BY_HEAD else ""
    shows = f"Between two measured steps a colour reaches halfway. A cross is no finite number.{behind}"
    return replace(
        of_run(words, shows=f"Of several steps a column shows the largest. {shows}", needs=(quantity,))(draw),
        name=f"map-{quantity}",
    )


def layer_profile(quantity: str, line: str = "") -> FigureSpec:
    """The same quantity of these layers at the step in view, from the first layer down, as the map's rows stand."""

    def draw(plot: Plot) -> Figure:
        view = _in_view(plot.ds, quantity, line)
        if not view.names:
            return plot.instead("Nothing of this was recorded yet.")
        dim, plain = str(plot.ds[quantity].dims[0]), quantity in PLAIN
        if dim not in plot.places:
            return plot.instead("These are steps of before alone.")
        low, high = plot.limit(f"map {quantity}")
        floor, top = (low, high) if plain else (10**low, 10**high)
        last = np.searchsorted(view.steps, plot.ds[dim].values[plot.places[dim]], side="right") - 1
        now, rows = view.values[np.maximum(last, 0)], [*range(len(view.names))]
        said = AtStep(dim, [f"At step {step}." for step in view.steps[np.maximum(last, 0)]])

        def marked(values: NDArray[Any], **how: Any) -> None:
            plot.figure.scatter(x=AtStep(dim, single(values)), y=rows, showlegend=False, **how)

        hover = "%{y}: %{x:.3~g}<extra></extra>"
        line_of = {"color": plot.ink.accent, "width": 2}
        drawn = np.where(np.isfinite(now) & (plain | (now > 0)), now, np.nan)
        marked(drawn, mode="lines+markers", line=line_of, marker={"size": 6}, hovertemplate=hover)
        if not plain and (view.values == 0).any():
            hover = "%{y}: exactly 0<extra></extra>"
            marked(
                np.where(now == 0, floor, np.nan), mode="markers", marker=_zeros(plot.ink.accent), hovertemplate=hover
            )
        if np.isinf(view.values).any():
            cross = crosses([], rows, "no finite number", showlegend=False)
            plot.add(cross | {"x": AtStep(dim, single(np.where(np.isinf(now), top, np.nan)))})
        pad = 0.03 * (high - low)
        scale = {"range": [low - pad, high + pad]} if plain else log_axis((low - pad, high + pad))
        plot.figure.update_xaxes(title_text=LABELS[quantity], **scale)
        plot.figure.update_yaxes(**_of_layers(view.names))
        return plot.finish(said, height=_height(view.names), legend=False, hover="closest")

    words = f"{LABELS[quantity]} of each layer"
    shows = "At the step in view, or the last one before it that was looked at. Open triangle: exactly 0."
    return replace(of_run(words, shows=shows, needs=(quantity,))(draw), name=f"profile-{quantity}")


def layer_lines(quantity: str, line: str = "") -> FigureSpec:
    """The same quantity of a few layers as lines."""

    def draw(plot: Plot) -> Figure:
        view = _in_view(plot.ds, quantity, line)
        if not 0 < len(view.names) <= MOST_LINES:
            return plot.instead(f"Lines are drawn of up to {MOST_LINES} layers.")
        values, steps = columns(view.values, view.steps)
        names = [as_label(short(name)) for name in view.names]
        _curves(plot, steps, [*zip(names, values.T, values.T, strict=True)], plain=quantity in PLAIN)
        plot.figure.update_yaxes(title_text=LABELS[quantity])
        plot.step_axis()
        return plot.finish(height=380, hover="closest")

    words = f"{LABELS[quantity]} of these layers"
    return replace(
        of_run(words, shows="Of several steps a line shows the largest.", needs=(quantity,))(draw),
        name=f"lines-{quantity}",
    )


@of_run(
    "What did the script tell of itself?",
    shows="What the script gave to record.step and record.log, each on a scale of its own.",
    title="Numbers of your own",
    needs=("scalars",),
)
def scalars(plot: Plot) -> Figure:
    """The numbers that a script told of itself, each on a scale of its own; a cross was no finite number."""
    told, steps = np.asarray(plot.ds["scalars"].values, np.float64), plot.ds["scalars"]["step"].values
    names = {str(name): told[:, place] for place, name in enumerate(plot.ds["scalar"].values) if name}
    if not names:
        return plot.instead("Nothing of this was recorded yet.")
    plot.figure = make_subplots(rows=len(names), cols=1, shared_xaxes=True, vertical_spacing=0.06 / len(names))
    for row, (name, column) in enumerate(names.items(), start=1):
        there = ~np.isnan(column)
        own, at = column[there], steps[there]
        kept, _ = thinned(own.size)
        drawn, words = np.where(np.isfinite(own), own, np.nan), as_label(name)
        mode = "lines+markers" if own.size <= FEW else "lines"
        style = {"mode": mode, "line": {"color": COLOURS[0], "width": 2}, "hovertemplate": "%{y:.4~g}"}
        plot.add(Scatter(x=at[kept], y=drawn[kept], name=words, **style), row)
        bad = np.isinf(own)
        if bad.any():
            top = float(np.nanmax(drawn)) if not bad.all() else 1.0
            plot.add(crosses(at[bad].tolist(), [top] * int(bad.sum()), words), row)
        plot.figure.update_yaxes(title_text=words, row=row, col=1)
    plot.step_axis()
    return plot.finish(legend=False, height=140 + 150 * len(names))


@of_run(
    "By time step",
    shows="The gradient of each state of a recurrent module, and what it means to the last one.",
    needs=("state_gradient",),
)
def through_time(plot: Plot) -> Figure:
    """What each time step of a recurrent module is told, and still means to the last, at the close look in view.

    Where the module has gates that keep a state, what they alone leave of it stands beside.
    """
    words = {
        "state_gradient": "Gradient of h(t)",
        "state_to_last": "Largest singular value of dh(T)/dh(t)",
        "gate_product": "What the gates alone leave",
    }
    there = {name: np.asarray(plot.ds[name].values, np.float64) for name in words if name in plot.ds}
    long = int((~np.isnan(there["state_gradient"])).sum(1).max())
    if not any((np.isfinite(rows) & (rows > 0)).any() for rows in there.values()):
        return plot.instead("Every value of the close looks is 0 or no finite number.")
    now = plot.places[CLOSE]
    curves = [(words[name], rows[:, :long], rows[now, :long]) for name, rows in there.items()]
    _curves(plot, plot.ds["time"].values[:long], curves, dim=CLOSE, mode="lines+markers")
    title_below(plot.figure, "Time step, of the last 64 at most")
    return plot.finish(plot.when("At step {}.", CLOSE), height=360, hover="closest")


def _curves(
    plot: Plot,
    x: NDArray[Any],
    curves: Sequence[tuple[str, NDArray[Any], NDArray[Any]]],
    *,
    dim: str = "",
    mode: str = "lines",
    plain: bool = False,
) -> None:
    """Curves by name, with all their values and those that are drawn: of each step along ``dim``, where one is named.

    They stand on a scale of powers of ten, or a ``plain`` one; crosses at the top are what was no finite number, and
    triangles at the bottom the zeros that were measured: powers of ten have no place for them.
    """

    def row(values: NDArray[Any]) -> Any:
        return AtStep(dim, single(values)) if dim else single(values)

    known = np.concatenate([every[np.isfinite(every) & (plain | (every > 0))] for _, every, _ in curves])
    floor, top = (float(known.min()), float(known.max())) if known.size else (1.0, 1.0)
    for (name, every, now), colour in zip(curves, COLOURS, strict=False):
        drawn = np.where(np.isfinite(now) & (plain | (now > 0)), now, np.nan)
        plot.add(Scatter(x=x, y=row(drawn), name=name, mode=mode, line={"color": colour, "width": 2}))
        if (every == 0).any() and not plain:
            how = {"mode": "markers", "marker": _zeros(colour), "showlegend": False}
            zeros = row(np.where(now == 0, floor, np.nan))
            plot.add(Scatter(x=x, y=zeros, name=name, hovertemplate=f"{name}: exactly 0<extra></extra>", **how))
        if np.isinf(every).any():
            cross = crosses(x.tolist(), [], name, showlegend=False)
            plot.add(cross | {"y": row(np.where(np.isinf(now), top, np.nan))})
    if known.size and not plain:
        plot.figure.update_yaxes(**log_axis((float(np.log10(floor)) - 0.1, float(np.log10(top)) + 0.1)))


def _zeros(colour: str) -> dict[str, Any]:
    return {"symbol": "triangle-down-open", "size": 8, "color": colour}


def _of_layers(names: Sequence[str]) -> dict[str, Any]:
    """An axis on which layers stand from above; of many every so-manieth is named."""
    apart = -(-len(names) // MOST_NAMES)
    labels = [as_label(short(name)) for name in names]
    ticks = {"tickvals": [*range(len(names))][::apart], "ticktext": labels[::apart]}
    return {"range": [len(names) - 0.5, -0.5], **ticks}


def _height(names: Sequence[str]) -> int:
    return 250 + min(620, 19 * len(names))


class _View(NamedTuple):
    """The rows of a map: their names, and (step, row) values at the steps at which any was measured."""

    names: list[str]
    values: np.ndarray
    steps: np.ndarray


def _in_view(run: Run, quantity: str, line: str) -> _View:
    """A row for each layer that a line asks for, or for each of its heads."""
    rows = _rows(run, quantity, line)
    values = np.asarray(run[quantity].values, np.float64)[:, rows] if rows else np.zeros((run[quantity].shape[0], 0))
    names = [str(name) for name in run["layer"].values[rows]]
    if values.ndim == 3:
        steps, _, heads = values.shape
        names = [f"{name} · {head + 1}" for name in names for head in range(heads)]
        values = values.reshape(steps, -1)
        measured = np.flatnonzero(~np.isnan(values).all(0))
        names, values = [names[row] for row in measured], values[:, measured]
    steps, known = np.asarray(run[quantity][str(run[quantity].dims[0])].values), ~np.isnan(values).all(1)
    return _View(names if known.any() else [], values[known], steps[known])


def _rows(run: Run, quantity: str, line: str) -> list[int]:
    """The layers of this run that a line asks for, but for those that the quantity never is of."""
    layers = layers_of(run)
    asked = query(line, [str(name) for name in run["layer"].values], quantity).layers if run[quantity].size else []
    of_parameters = quantity in OF_PARAMETERS and len(layers) == run.sizes.get("layer")
    return [row for row in asked if not of_parameters or layers[row][2]]


def understood_watched(dataset: Any) -> Understood:
    """A watched run by its kinds, with the script's own numbers, which are of none."""
    own = understood(dataset)
    return own._replace(dataset=own.dataset.assign(scalars=dataset["scalars"])) if "scalars" in dataset else own


def figures_of_watched(own: Understood) -> dict[str, FigureSpec]:
    """The figures of a watched run, by name: those of its kinds, and of its script's own numbers."""
    of_kinds = shared.figures_of_any_run(own.kinds, networks(own.dataset))
    return {**of_kinds, **({"scalars": scalars} if "scalars" in own.dataset else {})}
