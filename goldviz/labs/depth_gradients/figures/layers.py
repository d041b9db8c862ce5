"""Gradients against depth: norms by layer, norms over time, decay rates, and the factor of each block."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import xarray as xr

from goldviz.diagnostics.findings import times
from goldviz.figures import theme as look
from goldviz.figures.elements import (
    add_curve,
    colour_bar_below,
    epoch_axis,
    log_axis,
    mark_epochs,
    number_ticks,
    panel_per_network,
    power,
    power_ticks,
    reference_line,
    unseen,
    whole,
    worded,
)
from goldviz.figures.limits import Limits, log10
from goldviz.figures.reading import (
    MOST_CELLS,
    MOST_COLUMNS,
    Band,
    absence,
    depth_of,
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
from goldviz.figures.theme import INKS, Theme, style_of
from goldviz.labs.depth_gradients.figures.quantities import decay_between_hidden, gradient_factor, limit_of

_CELL = "epoch %{x}, layer %{y}<br>norm 10<sup>%{z:.2f}</sup>"


def layer_ticks(ds: xr.Dataset, limits: Limits | None) -> dict[str, object]:
    """Ticks of the layer axis: 'input' for layer 0, numbers, and 'read-out' for a matrix of its own.

    Where lanes of different depth share the axis, only their common names are words.
    """
    low, high = whole(limit_of("layer", ds, limits))
    names = {0: "input"}
    if int(ds["layer"].max()) > depth_of(ds):
        names[int(ds["layer"].max())] = "read-out"
    return number_ticks(low, high, names)


def gradient_by_layer(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """Norm of the gradient of every weight matrix at one epoch, on a log axis (document 001, eq. 27, Annex 5.3).

    A flat curve means that every layer is told about as loudly what to change; a curve that falls towards the
    input means that the first layers hardly learn. Dotted: the mean over the epochs so far, the document's metric.
    """
    title = "Does the gradient reach layer 1?"
    if words := absence(ds, "gradient_norm") or _all_zero(ds["gradient_norm"]):
        return worded(words, title=title, theme=theme)
    at = recorded(ds, epoch)
    norms = ds["gradient_norm"].astype(np.float64)
    now, so_far = norms.sel(epoch=at), finite(norms.sel(epoch=slice(None, at))).mean("epoch")
    low, high = limit_of("gradient_norm", ds, limits)
    figure = go.Figure()
    for network in networks(ds):
        add_curve(figure, network, ds["layer"].values, Band.of(positive(now.sel(network=network))), hover="%{y:.3e}")
    for network in networks(ds):
        figure.add_trace(
            go.Scatter(
                x=ds["layer"].values, y=positive(so_far.sel(network=network)).median("seed").values,
                name=f"{style_of(network).label}, mean of epochs 1 to {at}", legendgroup=network, showlegend=False,
                mode="lines", line={"color": style_of(network).colour, "dash": "dot", "width": 1.5},
                hovertemplate="%{y:.3e}",
            )
        )  # fmt: skip
    figure.update_xaxes(title_text="Layer", range=limit_of("layer", ds, limits), **layer_ticks(ds, limits))
    figure.update_xaxes(unifiedhovertitle_text="layer %{x}")
    figure.update_yaxes(title_text="Norm of dL/dW", **log_axis((low, high)))
    notes = [
        run_label(ds),
        _reach(now),
        f"Epoch {at}. Dotted: mean over epochs so far. {seeds_in_words(ds)}",
        unseen(now, "layer"),
    ]
    return look.apply(figure, theme, title=title, notes=notes)


def _reach(now: xr.DataArray) -> str:
    """The answer: how much smaller the gradient is at layer 1 than at the last hidden layer."""
    hidden = now.sel(layer=slice(1, None)).median("seed")
    if hidden.sizes["layer"] < 2:
        return ""
    answers = []
    for network in networks(hidden.to_dataset(name="norm")):
        norms = hidden.sel(network=network)
        first, highest = float(norms[0]), float(norms.max())
        if first > 0 and np.isfinite(highest):
            answers.append(f"{style_of(network).label} {times(highest / first)}")
    return f"Largest norm over layer 1's: {', '.join(answers)}." if answers else ""


def _all_zero(norms: xr.DataArray) -> str:
    return "" if bool((norms > 0).any()) else "Every gradient recorded so far is exactly 0: no weight is told to move."


def gradient_heat_map(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """Norm of every weight matrix's gradient over the whole run, as log10 colour, one panel for each network.

    A dark bottom that spreads is a gradient that fades; the same colours hold for both networks. Grey: exactly
    zero, or not a finite number.
    """
    title = "When does the gradient fade?"
    if words := absence(ds, "gradient_norm") or _all_zero(ds["gradient_norm"]):
        return worded(words, title=title, theme=theme)
    kept, thinning = thinned(ds.sizes["epoch"], most=min(MOST_COLUMNS, MOST_CELLS // ds.sizes["layer"]))
    norms = log10(ds["gradient_norm"].isel(epoch=kept)).median("seed").transpose("network", "layer", "epoch")
    low, high = limit_of("gradient_norm", ds, limits)
    figure = panel_per_network(networks(ds), theme)
    for row, network in enumerate(networks(ds), start=1):
        heat = go.Heatmap(
            x=norms["epoch"].values, y=norms["layer"].values, z=single(norms.sel(network=network).values),
            coloraxis="coloraxis", hoverongaps=False,
            hovertemplate=_CELL + f"<extra>{style_of(network).label}</extra>",
        )  # fmt: skip
        figure.add_trace(heat, row=row, col=1)
    figure.update_yaxes(
        title_text="Layer", range=limit_of("layer", ds, limits), **layer_ticks(ds, limits), showgrid=False
    )
    epoch_axis(figure, limit_of("epoch", ds, limits))
    mark_epochs(figure, ds, epoch, theme)
    gaps = "Grey: exactly 0, or not a finite number." if bool(np.isnan(norms).any()) else ""
    seeds = seeds_in_words(ds, band=False)
    look.apply(figure, theme, title=title, notes=[run_label(ds), sentences(thinning, seeds, gaps)],
               height=560, legend=False, hover="closest")  # fmt: skip
    words = f"Norm of dL/dW, from {power(low)} to {power(high)}"
    colour_bar_below(figure, (low, high), look.SEQUENTIAL, words, **power_ticks(low, high))
    figure.update_layout(plot_bgcolor=INKS[theme].gap if gaps else None)
    return figure


def decay_rate(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """log ||g_(l+1)|| - log ||g_l|| of neighbouring hidden layers' weight matrices (Annex 5.3), in nats, by layer l.

    Above zero the gradient shrinks on its way back from layer l+1 to l, below zero it grows. Constant values
    above zero add up to an exponential fall.
    """
    title = "Where does the gradient shrink?"
    if words := absence(ds, "decay_rate"):
        return worded(words, title=title, theme=theme)
    at = recorded(ds, epoch)
    rates = finite(decay_between_hidden(ds).sel(epoch=at))
    if rates.sizes["layer"] == 0:
        return worded("One hidden layer has no neighbour to compare with.", title=title, theme=theme)
    figure = go.Figure()
    for network in networks(ds):
        add_curve(figure, network, rates["layer"].values, Band.of(rates.sel(network=network)), hover="%{y:.3f} nat")
    figure.update_xaxes(title_text="From the layer above, back to layer", unifiedhovertitle_text="layer %{x}",
                        range=limit_of("layer", ds, limits), **layer_ticks(ds, limits))  # fmt: skip
    figure.update_yaxes(title_text="Decay rate (nat)", range=limit_of("decay_rate", ds, limits))
    reference_line(figure, 0, "0: neither shrinks nor grows", theme)
    notes = [
        run_label(ds),
        "Above 0 it shrinks on its way back, below 0 it grows.",
        f"Epoch {at}. {seeds_in_words(ds)}",
    ]
    return look.apply(figure, theme, title=title, notes=notes)


def gradient_factor_by_block(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """Measured ||dL/dh_(l-1)|| / ||dL/dh_l|| beside the root-mean-square gain of dh_l/dh_(l-1) (eq. 27, 45-48).

    For a residual block that Jacobian is I + dF/dh, and its gain stays near 1; for a plain one it is dF/dh alone.
    Where the two curves part, the gradient points along directions that the block treats unlike the average.
    """
    title = "What does each block keep?"
    if words := absence(ds, "hidden_gradient_norm"):
        return worded(words, title=title, theme=theme)
    if ds.sizes["hidden"] < 2:
        return worded("There is no block: the network has one hidden state.", title=title, theme=theme)
    predicted_missing = absence(ds, "jacobian_gain")
    at = recorded(ds, epoch) if predicted_missing else recorded(ds, epoch, "histogram_epoch")
    measured = gradient_factor(ds.sel(epoch=[at])).isel(epoch=0)
    figure = go.Figure()
    for network in networks(ds):
        add_curve(
            figure, network, measured["block"].values, Band.of(measured.sel(network=network)), hover="measured %{y:.3f}"
        )
    if not predicted_missing:
        for network in networks(ds):
            _add_predicted(figure, network, ds["jacobian_gain"].sel(histogram_epoch=at, network=network))
    low, high = limit_of("gradient_factor", ds, limits)
    ends = limit_of("block", ds, limits)
    figure.update_xaxes(
        title_text="Block l", unifiedhovertitle_text="block %{x}", range=ends, **number_ticks(*whole(ends), {})
    )
    figure.update_yaxes(title_text="Factor, from h(l) to h(l−1)", **log_axis((low, high)))
    reference_line(figure, 1, "1: nothing lost", theme)
    legend = (
        predicted_missing
        or "Filled: measured. Open: expected, the RMS gain of dh(l)/dh(l−1); residual: I + dF/dh (eq. 27, 48)."
    )
    return look.apply(figure, theme, title=title, notes=[run_label(ds), legend, f"Epoch {at}. {seeds_in_words(ds)}"])


def _add_predicted(figure: go.Figure, network: str, gain: xr.DataArray) -> None:
    style = style_of(network)
    figure.add_trace(
        go.Scatter(
            x=gain["block"].values, y=positive(gain).median("seed").values, name=f"{style.label}, expected",
            legendgroup=network, showlegend=False, mode="lines+markers",
            line={"color": style.colour, "width": 1.2, "dash": "dot"},
            marker={"symbol": f"{style.symbol}-open", "size": 10, "line": {"width": 2}},
            hovertemplate="expected %{y:.3f}",
        )
    )  # fmt: skip
