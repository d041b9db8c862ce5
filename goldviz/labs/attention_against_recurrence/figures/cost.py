"""What an answer costs by the length of the sequence: multiplications, steps in a row, and seconds here."""

from __future__ import annotations

from typing import Any

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure, Scatter
from goldviz.figures.elements import link, log_axis
from goldviz.figures.limits import decades
from goldviz.figures.maps import legend_below
from goldviz.figures.plot import Plot
from goldviz.figures.spec import drawn
from goldviz.figures.theme import Theme, style_of
from goldviz.labs.attention_against_recurrence.figures.quantities import figure


def _curve(network: str, lengths: np.ndarray, values: np.ndarray, hover: str) -> Any:
    style = style_of(network)
    return Scatter(
        x=lengths,
        y=values,
        mode="lines+markers",
        name=style.label,
        line={"color": style.colour, "dash": style.dash, "width": 2.5},
        marker={"symbol": style.symbol, "size": 8},
        hovertemplate=hover,
    )


def _length_axis(figure: Figure, lengths: np.ndarray) -> None:
    """Lengths on a logarithmic axis, every second one named."""
    ticks = [int(length) for length in lengths]
    figure.update_xaxes(
        type="log",
        title_text="Length of the sequence",
        tickvals=ticks,
        ticktext=[f"{tick:,}" if place % 2 else "" for place, tick in enumerate(ticks)],
        showgrid=False,
    )
    link(figure, "x", "series_length")


def _by_length(plot: Plot, name: str, title: str, hover: str, note: str) -> Figure:
    lengths = plot.ds["series_length"].values
    for network in plot.networks:
        plot.add(_curve(network, lengths, plot.ds[name].sel(network=network).values, hover))
    plot.log_axis(name, title)
    _length_axis(plot.figure, lengths)
    return plot.finish(note)


@figure(
    "What does an answer cost?",
    needs=("multiplications",),
    shows="Multiplications of matrix products for one answer.",
    cannot_show="The time that it takes.",
)
def multiplications(plot: Plot) -> Figure:
    """Multiplications by length; both axes are logarithmic."""
    return _by_length(plot, "multiplications", "Multiplications", "%{y:.3s}", "By formula.")


@figure(
    "How many steps wait for one another?",
    needs=("steps_in_a_row",),
    shows="Steps that have to be done one after another.",
    title="How many steps in a row?",
)
def steps_in_a_row(plot: Plot) -> Figure:
    """Steps in a row by length: n of a recurrent network, as many as there are layers of the Transformer."""
    note = "Recurrent networks share a line."
    return _by_length(plot, "steps_in_a_row", "Steps in a row", "%{y:,}", note)


@drawn(
    "How long does a step of training take here?",
    name="time",
    needs=("seconds",),
    shows="Seconds for four sequences, both ways, on one thread.",
    cannot_show="Seconds on a GPU.",
)
def measured_time(ds: Run, *, theme: Theme = "light") -> Figure:
    """Seconds by length, measured on this machine."""
    figure, lengths = Figure(), ds["series_length"].values
    look.apply(figure, theme, title="How long does it take here?", notes=["Untrained networks."], height=430)
    for network in ds["network"].values:
        figure.add_trace(_curve(str(network), lengths, ds["seconds"].sel(network=network).values, "%{y:.3s}s"))
    _length_axis(figure, lengths)
    legend_below(figure)
    seconds = np.log10(ds["seconds"].values)
    return figure.update_yaxes(title_text="Seconds", **log_axis(decades(float(seconds.min()), float(seconds.max()))))
