"""What training does over the epochs: the loss, and the size of the steps."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import xarray as xr

from goldviz.diagnostics.findings import times
from goldviz.figures import theme as look
from goldviz.figures.elements import (
    add_curve,
    add_test_loss,
    colour_bar_below,
    epoch_axis,
    log_axis,
    loss_axis,
    mark_epochs,
    panel_per_network,
    reference_line,
    worded,
)
from goldviz.figures.limits import Limits
from goldviz.figures.reading import (
    Band,
    absence,
    finite,
    networks,
    positive,
    recorded,
    run_label,
    seeds_in_words,
    sentences,
    single,
    thinned,
)
from goldviz.figures.theme import Theme, style_of
from goldviz.labs.depth_gradients.figures.layers import layer_ticks
from goldviz.labs.depth_gradients.figures.quantities import limit_of

MOST_LINES = 20


def loss(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """Training loss over the epochs; after training, the test loss at the right, beside that of predicting zero.

    A curve that ends on the line of predicting zero has learned nothing that it can use on new samples.
    """
    title = "Do the networks learn?"
    if words := absence(ds, "loss"):
        return worded(words, title=title, theme=theme)
    kept, thinning = thinned(ds.sizes["epoch"])
    curves = finite(ds["loss"]).isel(epoch=kept)
    figure = go.Figure()
    for network in networks(ds):
        add_curve(figure, network, curves["epoch"].values, Band.of(curves.sel(network=network)), hover="%{y:.4f}")
    tested = not absence(ds, "test_loss")
    for network in networks(ds) if tested else ():
        add_test_loss(figure, network, int(ds["epoch"].max()), finite(ds["test_loss"]).sel(network=network))
    epoch_axis(figure, limit_of("epoch", ds, limits))
    figure.update_xaxes(unifiedhovertitle_text="epoch %{x}", showgrid=True)
    figure.update_yaxes(title_text="Mean squared error", **loss_axis(*limit_of("loss", ds, limits)))
    if not absence(ds, "zero_loss"):
        zero = float(finite(ds["zero_loss"]).median())
        reference_line(figure, zero, f"predicting zero: {zero:.3f}", theme, x=0)
    mark_epochs(figure, ds, epoch, theme)
    test_words = "Open marker at the end: test loss." if tested else "Test loss follows when training ends."
    notes = [run_label(ds), test_words, sentences(thinning, seeds_in_words(ds))]
    return look.apply(figure, theme, title=title, notes=notes)


def update_to_data(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """Spread of each step over the spread of the weights it changes, by layer, over the epochs, on a log axis.

    Near 10^-3 is the usual advice; far below, a layer hardly moves; far above, each step overwrites the weights.
    """
    title = "Are the steps the right size?"
    if words := absence(ds, "update_to_data"):
        return worded(words, title=title, theme=theme)
    kept, thinning = thinned(ds.sizes["epoch"])
    layers = np.unique(np.linspace(0, ds.sizes["layer"] - 1, MOST_LINES).round().astype(int))
    ratios = positive(ds["update_to_data"].isel(epoch=kept, layer=layers)).median("seed")
    colours = look.depth_colours(len(layers), theme)
    figure = panel_per_network(networks(ds), theme)
    for row, network in enumerate(networks(ds), start=1):
        curves = single(ratios.sel(network=network).transpose("layer", "epoch").values)
        lines = [
            go.Scatter(
                x=ratios["epoch"].values, y=curve, mode="lines" if len(kept) > 1 else "markers",
                line={"color": colour, "width": 1.8}, showlegend=False, name=f"layer {layer}",
                hovertemplate=f"epoch %{{x}}, layer {layer}<br>%{{y:.2e}}<extra></extra>",
            )
            for colour, layer, curve in zip(colours, ratios["layer"].values, curves, strict=True)
        ]  # fmt: skip
        figure.add_traces(lines, rows=[row] * len(lines), cols=[1] * len(lines))
    carrier = go.Scatter(x=[None], y=[None], mode="markers", marker={"color": [0], "coloraxis": "coloraxis"})
    figure.add_trace(carrier.update(showlegend=False, hoverinfo="skip"), row=1, col=1)
    figure.update_yaxes(title_text="Ratio", **log_axis(limit_of("update_to_data", ds, limits)))
    epoch_axis(figure, limit_of("epoch", ds, limits))
    reference_line(figure, 1e-3, "10⁻³: usual advice", theme)
    mark_epochs(figure, ds, epoch, theme)
    some = f"{len(layers)} of {ds.sizes['layer']} layers are drawn." if len(layers) < ds.sizes["layer"] else ""
    notes = [run_label(ds), _typical(ds, epoch), sentences(some, thinning, seeds_in_words(ds, band=False))]
    look.apply(figure, theme, title=title, notes=notes, height=580, legend=False, hover="closest")
    ends = (int(ds["layer"].min()), int(ds["layer"].max()))
    colour_bar_below(figure, ends, look.depth_colourscale(theme), "Layer", **layer_ticks(ds, None))
    return figure


def _typical(ds: xr.Dataset, epoch: int | None) -> str:
    at = recorded(ds, epoch)
    middle = positive(ds["update_to_data"].sel(epoch=at)).median(["seed", "layer"])
    parts = [
        f"{style_of(n).label}: {times(float(middle.sel(network=n)))}" for n in networks(ds) if middle.sel(network=n) > 0
    ]
    return f"Median of the layers at epoch {at}, " + "; ".join(parts) + "." if parts else ""
