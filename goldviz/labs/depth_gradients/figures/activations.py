"""Do the units respond: saturated activations, dead units, and mean and spread of what each layer puts out."""

from __future__ import annotations

from goldviz.figures.draft import Figure
from goldviz.figures.elements import add_range, legend_above_headings
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite
from goldviz.labs.depth_gradients.figures.quantities import figure


@figure("Do the units still respond?", needs=("activation_mean", "activation_std"),
        shows="The share of saturated activations and of dead units, and the mean and spread of each layer's output.",
        cannot_show="Shares are averages over units and samples: a few lost units can hide in a healthy "
        "layer.")  # fmt: skip
def activations(plot: Plot) -> Figure:
    """Saturated activations, dead units, and mean ± spread of the activations, by hidden layer at one epoch.

    A saturated or dead unit passes no gradient; a spread that runs to zero leaves the last layers nothing to tell
    samples apart by.
    """
    now = plot.now
    plot.panels(["Saturated activations", "Dead units", "Activations: mean ± spread"])
    missing = []
    for row, name in enumerate(("saturation", "dead_units"), start=1):
        if words := plot.lacks(name):
            missing.append(words)
        else:
            plot.curves(finite(now[name]), hover="%{y:.1%}", row=row)
    for network in plot.networks:
        _add_mean_and_spread(plot, network)
    for row in (1, 2):
        plot.figure.update_yaxes(title_text="Share", range=(-0.04, 1.04), tickformat=".0%", nticks=4, row=row)
    plot.linear_axis("activation_mean", "Value", row=3, nticks=5)
    plot.number_axis("hidden", "Hidden state h(l), from input to read-out", "hidden state %{x}")
    plot.link("x", "layer")
    return legend_above_headings(plot.finish(plot.drawn(plot.when("Epoch {}.")), *missing, height=640))


def _add_mean_and_spread(plot: Plot, network: str) -> None:
    mean, spread = (
        finite(plot.now[name].sel(network=network)).median("seed") for name in ("activation_mean", "activation_std")
    )
    low, high = plot.at_step(mean - spread), plot.at_step(mean + spread)
    add_range(plot.figure, network, mean["hidden"].values, low, high, row=3)
    plot.curve(mean.expand_dims("seed"), network, hover="mean %{y:.3g}", row=3)
