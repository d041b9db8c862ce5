"""Do the units respond: saturated activations, dead units, and mean and spread of what each layer puts out."""

from __future__ import annotations

import plotly.graph_objects as go
import xarray as xr

from goldviz.figures import theme as look
from goldviz.figures.elements import add_curve, add_range, legend_above_headings, number_ticks, panels, whole, worded
from goldviz.figures.limits import Limits
from goldviz.figures.reading import Band, absence, finite, networks, recorded, run_label, seeds_in_words
from goldviz.figures.theme import Theme
from goldviz.labs.depth_gradients.figures.quantities import limit_of


def activations(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """Saturated activations, dead units, and mean ± spread of the activations, by hidden layer at one epoch.

    A saturated or dead unit passes no gradient; a spread that runs to zero leaves the last layers nothing to tell
    samples apart by.
    """
    title = "Do the units still respond?"
    if words := absence(ds, "activation_mean", "activation_std"):
        return worded(words, title=title, theme=theme)
    at = recorded(ds, epoch)
    figure = panels(["Saturated activations", "Dead units", "Activations: mean ± spread"], theme)
    missing = []
    for row, name in enumerate(("saturation", "dead_units"), start=1):
        if words := absence(ds, name):
            missing.append(words)
            continue
        for network in networks(ds):
            band = Band.of(finite(ds[name].sel(epoch=at, network=network)))
            add_curve(figure, network, ds["hidden"].values, band, hover="%{y:.1%}", row=row, legend=row == 1)
    for network in networks(ds):
        _add_mean_and_spread(figure, network, ds.sel(epoch=at, network=network))
    for row in (1, 2):
        figure.update_yaxes(title_text="Share", range=(-0.04, 1.04), tickformat=".0%", nticks=4, row=row, col=1)
    figure.update_yaxes(title_text="Value", range=limit_of("activation_mean", ds, limits), nticks=5, row=3, col=1)
    low, high = limit_of("hidden", ds, limits)
    figure.update_xaxes(
        range=(low, high), unifiedhovertitle_text="hidden state %{x}", **number_ticks(*whole((low, high)), {})
    )
    figure.update_xaxes(title_text="Hidden state h(l), from input to read-out", row=3, col=1)
    notes = [run_label(ds), f"Epoch {at}. {seeds_in_words(ds)}", *missing]
    return legend_above_headings(look.apply(figure, theme, title=title, notes=notes, height=640))


def _add_mean_and_spread(figure: go.Figure, network: str, ds: xr.Dataset) -> None:
    mean = finite(ds["activation_mean"]).median("seed").values
    spread = finite(ds["activation_std"]).median("seed").values
    x = ds["hidden"].values
    add_range(figure, network, x, mean - spread, mean + spread, row=3)
    add_curve(figure, network, x, Band(mean, mean, mean, 1), hover="mean %{y:.3g}", row=3, legend=False)
