"""The figures of *The unrolled network*: a text, one step's vectors, and the five matrices."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.figures.chart import Axis, axis, bound, colours, dots, figure, heat, here, lines
from goldviz.figures.draft import Figure, make_subplots
from goldviz.figures.elements import add_heading
from goldviz.figures.frames import AtStep, each
from goldviz.figures.limits import log10
from goldviz.figures.maps import SIGNED, cells, colour_bar, symmetric, written
from goldviz.figures.marks import Canvas, ChannelLike, Mark
from goldviz.figures.plot import Plot
from goldviz.figures.theme import NETWORKS
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.backpropagation_by_hand.measures import PARTS
from goldviz.labs.backpropagation_by_hand.settings import BackpropagationByHand
from goldviz.labs.backpropagation_by_hand.unrolled import place, shown, unrolled

NAMES = {
    "W_ax": "W<sub>ax</sub>",
    "W_aa": "W<sub>aa</sub>",
    "b_a": "b<sub>a</sub>",
    "W_ya": "W<sub>ya</sub>",
    "b_y": "b<sub>y</sub>",
}
FORWARD = {
    "x": "x<sub>t</sub>, the character read",
    "h_previous": "h<sub>t−1</sub>, what is remembered",
    "u": "u<sub>t</sub> = W<sub>aa</sub> h<sub>t−1</sub> + W<sub>ax</sub> x<sub>t</sub> + b<sub>a</sub>",
    "h": "h<sub>t</sub> = tanh(u<sub>t</sub>)",
    "o": "o<sub>t</sub> = W<sub>ya</sub> h<sub>t</sub> + b<sub>y</sub>",
    "y_hat": "ŷ<sub>t</sub> = softmax(o<sub>t</sub>)",
    "y": "y<sub>t</sub>, the character that follows",
}
BACKWARD = {
    "delta_y": "δ<sup>y</sup><sub>t</sub> = ŷ<sub>t</sub> − y<sub>t</sub>",
    "from_output": "W<sub>ya</sub><sup>T</sup> δ<sup>y</sup><sub>t</sub>, from this step's answer",
    "from_later": "W<sub>aa</sub><sup>T</sup> δ<sup>u</sup><sub>t+1</sub>, from the step after",
    "delta_h": "δ<sup>h</sup><sub>t</sub>, the sum of the two",
    "delta_u": "δ<sup>u</sup><sub>t</sub> = (1 − h<sub>t</sub>²) ⊙ δ<sup>h</sup><sub>t</sub>",
}
GAPS = {"xgap": 1, "ygap": 1}
MARKED: Any = {"mode": "lines+markers", "width": 2.5}

of_place = partial(figure, looks_at={"number": 1}, position="number")
"""A figure of the place in view."""


def _step(plot: Plot, number: int | AtStep, aside: float = 0) -> Any:
    return each(number, lambda one: place(plot.ds, one).step + aside)


@dataclass(frozen=True)
class Frame:
    """A gold frame round what is looked at."""

    box: Mapping[str, Any]

    def draw(self, canvas: Canvas) -> None:
        """Draw it."""
        line = {"color": canvas.plot.ink.accent, "width": 3}
        canvas.plot.figure.add_shape(type="rect", line=line, layer="above", **self.box)


def _labels(ds: Run, dim: str) -> list[str]:
    """What stands at the places along a dimension: at a step, the character that it reads."""
    return [shown(str(one)) for one in (ds.attrs["text"][:-1] if "step" in dim else ds[dim].values)]


def _named(dim: str, *, down: bool = False) -> Callable[[Plot], dict[str, Any]]:
    """An axis with a name at every place, the first on top where it runs down."""

    def told(plot: Plot) -> dict[str, Any]:
        places, names = plot.ds[dim].values, _labels(plot.ds, dim)
        if dim == "symbol":
            places = np.arange(len(names))
        ends = [places[0] - 0.5, places[-1] + 0.5]
        return {"ticktext": names, "tickvals": places, "tickangle": 0, "range": ends[::-1] if down else ends}

    return told


def _expected(plot: Plot, number: int | AtStep) -> Sequence[Mark]:
    """Probabilities with a ring round what came, to be seen on any colour, and a frame where the recursion is."""
    ds = plot.ds
    box = {"x0": _step(plot, number, -0.5), "x1": _step(plot, number, 0.5), "y0": 0, "y1": 1, "yref": "paper"}
    names = np.array([_labels(ds, "symbol")] * ds.sizes["step"]).T
    ring = partial(dots, lambda plot: ds["loss"].copy(data=ds["y"].values.argmax(1)), symbol="circle-open")
    told = "step %{x}: what follows, loss %{customdata:.3f}<extra></extra>"
    return [
        heat(_numbered, "step", "symbol", hover="step %{x}: %{customdata} with %{z:.1%}", more={"customdata": names}),
        ring(
            name="what follows",
            colour="#ffffff",
            size=12,
            marker={"line_width": 2.5},
            hover=told,
            more={"customdata": ds["loss"].values},
        ),
        ring(colour="#1e1e1c", size=15, marker={"line_width": 1}, more={"hoverinfo": "skip"}),
        Frame(box),
    ]


def _numbered(plot: Plot) -> Array:
    """The chances of characters by their numbers: digits of a text are no places on an axis."""
    return plot.ds["y_hat"].assign_coords(symbol=range(plot.ds.sizes["symbol"]))


def _going(plot: Plot, number: int | AtStep) -> Any:
    words = "You are at step {0.step} of {1}, going {0.arrow}. A ring marks the character that follows."
    return each(number, lambda one: words.format(place(plot.ds, one), plot.ds.sizes["step"]))


Strip = tuple[str, np.ndarray, Sequence[str], Sequence[str] | None]
"""A matrix under its name, with names of its columns and rows."""


def _stack(plot: Plot, strips: Sequence[Strip], row_height: int) -> Figure:
    """Matrices one below the other in one colour scale, each with its name above and its numbers where they fit."""
    heights = [max(24, row_height * len(values)) if len(values) > 1 else 26 for _, values, _, _ in strips]
    gap = 46
    inner = sum(heights) + gap * (len(strips) - 1)
    plot.figure = make_subplots(rows=len(strips), cols=1, vertical_spacing=gap / inner, row_heights=heights)
    plain = {"ticklen": 0, "tickfont_size": 13, "showgrid": False}
    for row, (words, values, columns, rows) in enumerate(strips, start=1):
        y, x = (list(range(count)) for count in values.shape)
        plot.add(cells(values, x=x, y=y, hover="%{z:.4~g}", **written(len(x), "%{z:.2~g}")), row=row)
        add_heading(plot.figure, row, words, font_size=13)
        plot.figure.update_xaxes(tickvals=x, ticktext=list(columns), tickangle=0, row=row, **plain)
        named = {"tickvals": y, "ticktext": rows, "autorange": "reversed", **plain}
        plot.figure.update_yaxes(row=row, **({"visible": False} if rows is None else named))
    figure = plot.finish(legend=False, hover="closest")
    colour_bar(figure, symmetric(*(values for _, values, _, _ in strips)), SIGNED, "Value", nticks=5)
    top = figure.layout.margin.t + 18
    return figure.update_layout(margin_t=top, height=inner + top + figure.layout.margin.b)


def step_vectors(plot: Plot, number: int) -> Figure:
    """Every vector that this step computes, going forward or back."""
    at, ds = place(plot.ds, number), plot.ds.sel(step=place(plot.ds, number).step)
    letter = html.unescape(shown(plot.ds.attrs["text"][at.step - 1]))
    plot.title = f"Step {at.step}, “{letter}”, {'backward' if at.backward else 'forward'}"
    rows = BACKWARD if at.backward else FORWARD
    of_rows = [(words, ds[name]) for name, words in rows.items()]
    strips = [(words, now.values[None, :], _labels(ds, str(now.dims[0])), None) for words, now in of_rows]
    return _stack(plot, strips, 54)


def _five(of: Callable[[Run, str, int], Array], title: str) -> Callable[..., Figure]:
    """Something of each of the five parts, which may be of the step in view."""

    def draw(plot: Plot, number: int = 1) -> Figure:
        """Matrices of different sizes, one below the other, each as high as its rows are many."""
        ds, step = plot.ds, place(plot.ds, number).step
        plot.title = title.format(step=step, steps=ds.sizes["step"])
        strips = []
        for part in PARTS:
            array = of(ds, part, step)
            *row_dim, column_dim = (str(dim) for dim in array.dims)
            words = " by ".join([*row_dim, column_dim.removeprefix("earlier_")])
            rows = _labels(ds, row_dim[0]) if row_dim else None
            strips.append((f"{NAMES[part]}: {words}", np.atleast_2d(array.values), _labels(ds, column_dim), rows))
        return _stack(plot, strips, 22)

    return draw


def _stage(stage: str, title: str) -> Callable[..., Figure]:
    return _five(lambda ds, part, step: ds[part + stage], title)


def _terms(plot: Plot, number: int | AtStep) -> Sequence[Mark] | str:
    """Norms of all terms (t, k), with the row of the step in view framed: one loss on its way back."""
    norms = plot.ds["pair"].values
    if not (norms > 0).any():
        return "Every term is exactly zero: the first step starts from h = 0."
    above, below = _step(plot, number, -0.5), _step(plot, number, 0.5)
    hover = "loss of step %{y}, weights of step %{x}: %{customdata:.3~g}"
    more = {"customdata": norms, **written(len(norms), "%{customdata:.2~g}")}
    powers = heat(lambda plot: log10(plot.ds["pair"]), "step", "loss_step", hover=hover, more=more)
    return [powers, Frame({"x0": 0.5, "x1": below, "y0": above, "y1": below})]


def _powers(plot: Plot) -> tuple[float, float]:
    values = log10(plot.ds["pair"]).values
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    return (low - 0.5, high + 0.5) if high - low < 1 else (low, high)


def _framed(plot: Plot, number: int | AtStep) -> Any:
    words = "Framed: the loss of step {}. White: a later use, or exactly zero."
    return each(_step(plot, number), words.format)


def _one_loss(plot: Plot, number: int) -> Sequence[Mark]:
    def of_loss(plot: Plot) -> Array:
        return plot.ds["delta_of_loss"].sel(loss_step=_step(plot, number))

    return [heat(of_loss, "step", "unit", hover="unit %{y}, step %{x}<br>%{z:.4~g}", more=GAPS)]


def _lengths(plot: Plot, number: int) -> str:
    at = _step(plot, number)
    deltas = plot.ds["delta_of_loss"].sel(loss_step=at)
    first, last = (float(np.linalg.norm(deltas.sel(step=step))) for step in (1, at))
    return f"Length at step {at}: {last:.3g}, at step 1: {first:.3g}."


def _length(name: str) -> ChannelLike:
    return lambda plot: plot.ds["loss"].copy(data=np.linalg.norm(plot.ds[name].values, axis=1))


def _steps(title: str) -> Axis:
    return axis(title, told=_named("step"))


FIGURES = bound(
    BackpropagationByHand,
    unrolled,
    of_place(
        "predictions",
        "Which character does it expect?",
        _expected,
        title="What does the network expect next?",
        x=_steps("Character read"),
        y=axis("Expected", told=_named("symbol", down=True)),
        colour=colours("Probability", ends=(0, 1), tickformat=".0%"),
        notes=(_going,),
        height=lambda plot: max(330, 230 + 15 * plot.ds.sizes["symbol"]),
        at_once=True,
    ),
    of_place(
        "vectors", "What does this step compute?", draw=step_vectors, shows="Every vector of this step, as heat maps."
    ),
    figure(
        "weights",
        "Which weights does it compute with?",
        draw=_stage("", "The weights it computes with"),
        shows="The five weight matrices, as heat maps.",
    ),
    of_place(
        "terms",
        "What does this step add?",
        draw=_five(lambda ds, part, step: ds[f"{part}_term"].sel(step=step), "What step {step} adds to the sums"),
        shows="What this step adds to each of the five sums.",
    ),
    of_place(
        "sums",
        "What has come together so far?",
        draw=_five(
            lambda ds, part, step: ds[f"{part}_term"].sel(step=slice(step, None)).sum("step"),
            "The sums from step {steps} back to {step}",
        ),
        shows="The five sums so far, as heat maps.",
    ),
    of_place(
        "triangle",
        "Which loss teaches which use of the weights?",
        _terms,
        title="Which loss teaches which use of W?",
        shows="What step t's loss owes to the weights at step k (document 001, eq. 6).",
        cannot_show="Which terms cancel each other.",
        x=_steps("Step k that uses the weights"),
        y=axis(told=_named("loss_step", down=True)),
        colour=colours("Norm of the term", ends=_powers, powers=True),
        notes=(_framed,),
        height=450,
        at_once=True,
    ),
    of_place(
        "one_loss",
        "How does one loss reach back?",
        _one_loss,
        title=lambda plot, number: f"How does loss {_step(plot, number)} reach back?",
        x=_steps("Step k"),
        y=axis(told=_named("unit", down=True)),
        colour=colours(
            "δᵘ of this loss alone", ends=lambda plot: symmetric(plot.figure.data[0].z), scale="signed", nticks=5
        ),
        notes=(_lengths,),
        height=450,
    ),
    of_place(
        "direct_and_total",
        "How much comes from the step's own answer?",
        lines(_length("delta_h"), name="total: dL/dh, over all paths", colour="rnn", dash="solid", **MARKED),
        lines(_length("from_output"), name="direct: through its own answer", colour="#d55e00", dash="dash", **MARKED),
        lambda plot, number: [here("step", lambda plot: _step(plot, number))],
        title="Direct or total?",
        over="step",
        x=_steps("Step t"),
        y=axis("Length", rangemode="tozero"),
        height=450,
        legend="below",
        at_once=True,
    ),
    figure(
        "gradient",
        "What does clipping leave?",
        draw=_stage("_clipped", "The gradient after clipping"),
        shows="The clipped gradient's five parts.",
    ),
    figure(
        "updated",
        "What are the weights then?",
        draw=_stage("_updated", "The weights after the step"),
        shows="The five weight matrices after one SGD step.",
    ),
)


def picture(ds: Run) -> str:
    """The home page's picture: how long what comes from later steps is beside what comes from each answer."""
    return polyline_svg(
        [
            Curve("answer", np.linalg.norm(ds["from_output"].values, axis=1), "#d55e00", "dash"),
            Curve("later", np.linalg.norm(ds["from_later"].values, axis=1), NETWORKS["lstm"].colour),
        ],
        label="The two parts of the hidden state's gradient at every step: from its own answer, and from later steps.",
        axes=("step", "length of the gradient"),
    )
