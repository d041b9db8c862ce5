"""What is forecast, and how wrong it is: by rows ahead, over training, and in series longer than any learned."""

from __future__ import annotations

from typing import Any

import numpy as np

from goldviz.figures import theme as look
from goldviz.figures.draft import Figure, Scatter
from goldviz.figures.frames import AtStep
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite, positive
from goldviz.labs.series_attention.figures.quantities import figure, legend_below
from goldviz.labs.series_attention.simple_forecasts import SIMPLE_FORECASTS


def _simple_lines(plot: Plot, name: str) -> None:
    """The simple forecasts' errors by rows ahead, thinner than a network's."""
    if plot.lacks(name):
        return
    for simple, entry in SIMPLE_FORECASTS.items():
        errors = positive(plot.ds[name].sel(simple=simple))
        plot.curve(errors, simple, style=entry.style, hover="%{y:.3~g}", width=1.5)


def _floor(plot: Plot) -> None:
    """The line that no forecast can pass, where it is known; a log axis has no place for 0."""
    floor = 0.0 if plot.lacks("floor") else float(plot.ds["floor"])
    if floor > 0:
        plot.reference(floor, "noise alone", x=1)


@figure(
    "Who forecasts best?",
    needs=("horizon_error",),
    shows="The error on other series, by rows ahead. Thin: simple rules.",
    cannot_show="What other sizes or more steps would give.",
)
def horizon(plot: Plot) -> Figure:
    """Mean squared error by rows ahead, each forecast rolled on from its own answers; 1 is the error of the mean."""
    errors = positive(plot.now["horizon_error"])
    plot.curves(errors, hover="%{y:.3~g}")
    _simple_lines(plot, "simple_error")
    plot.number_axis("ahead", "Rows ahead", "%{x} ahead")
    plot.log_axis("horizon_error", "Mean squared error")
    _floor(plot)
    figure = plot.finish(plot.drawn(plot.step_in_words("look")), height=470)
    return legend_below(figure, 4)


@figure(
    "What does it expect?",
    needs=("forecast", "fan", "probe"),
    shows="One series, what followed, and what is expected. Shaded: half and nine tenths of the draws.",
)
def fan(plot: Plot) -> Figure:
    """The probe with its forecasts, rolled on from their own answers, and a fan of drawn courses."""
    context, values = int(plot.ds.attrs["context"]), plot.ds["probe"].values.astype(np.float64)
    ahead = plot.ds["ahead"].values + context
    first = plot.networks[0]
    for low, high, alpha in ((0, 4, 0.18), (1, 3, 0.28)):
        _band(plot, first, ahead, low, high, alpha)
    plot.add(_line(np.arange(1, context + 1), values[:context], "past", plot.ink.text, "solid"))
    plot.add(_line(np.arange(context, len(values) + 1), values[context - 1 :], "what came", plot.ink.text, "dot"))
    for network in plot.networks:
        style, forecast = plot.look_of(network), finite(plot.now["forecast"].sel(network=network))
        plot.add(_line(ahead, plot.at_step(forecast), style.label, style.colour, style.dash))
    plot.number_axis("place", "Row", "row %{x}")
    plot.linear_axis("value", "Value")
    plot.figure.add_vline(x=context + 0.5, line={"color": plot.ink.muted, "width": 1, "dash": "dash"})
    figure = plot.finish(plot.step_in_words("look", one_seed=True), height=470)
    return legend_below(figure, 3)


def _line(x: np.ndarray, y: np.ndarray | AtStep, name: str, colour: str, dash: str) -> Any:
    return Scatter(
        x=x, y=y, name=name, mode="lines", line={"color": colour, "width": 2, "dash": dash}, hovertemplate="%{y:.3f}"
    )


def _band(plot: Plot, network: str, ahead: np.ndarray, low: int, high: int, alpha: float) -> None:
    """Between two quantiles of the drawn courses."""
    courses = finite(plot.now["fan"].sel(network=network))
    style = plot.look_of(network)
    for place, fill in ((low, None), (high, "tonexty")):
        plot.add(
            Scatter(
                x=ahead,
                y=plot.at_step(courses.isel(share=place)),
                mode="lines",
                line={"width": 0, "color": style.colour},
                fill=fill,
                fillcolor=look.with_alpha(style.colour, alpha),
                showlegend=False,
                hoverinfo="skip",
                name="band",
            )
        )


@figure(
    "Does it hold in longer series?",
    needs=("row_error", "probe"),
    shows="The error row by row, in series longer than any learned from.",
    instead=lambda ds: (
        "No series is longer than those that are learned from: set Longest, with a pattern that comes again."
        if "loss" in ds and not ds.sizes.get("row")
        else ""
    ),
)
def longer(plot: Plot) -> Figure:
    """Error by row; learned positions end with training, and later rows take the last one."""
    plot.curves(positive(plot.now["row_error"]), hover="%{y:.3~g}")
    plot.number_axis("row", "Row", "row %{x}")
    plot.log_axis("row_error", "Mean squared error")
    _floor(plot)
    trained_rows = plot.ds.sizes["place"]
    plot.figure.add_vline(x=trained_rows + 0.5, line={"color": plot.ink.muted, "width": 1, "dash": "dash"})
    return plot.finish("Dashed: the longest series learned.", plot.drawn(plot.step_in_words("look")))


@figure(
    "Does training improve the forecast?",
    needs=("weighted_error",),
    shows="R_0.5 over training, beside simple rules.",
)
def training(plot: Plot) -> Figure:
    """R_0.5 at every look; lines are simple forecasts on the same series."""
    plot.curves(positive(plot.ds["weighted_error"]), hover="%{y:.3~g}")
    plot.step_grid()
    plot.log_axis("weighted_error", "Error as a share of the values")
    if not plot.lacks("simple_weighted"):
        best = float(finite(plot.ds["simple_weighted"]).median("seed").min("simple"))
        if best > 0:
            plot.reference(best, "best simple rule", x=0)
    return plot.finish(plot.drawn())
