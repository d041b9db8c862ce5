"""What training does epoch by epoch: losses of all refits, gradients and steps by layer."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import xarray as xr

from goldviz.diagnostics.findings import times
from goldviz.figures import theme as look
from goldviz.figures.elements import (
    MARKERS_UP_TO,
    epoch_axis,
    legend_above_headings,
    log_axis,
    loss_axis,
    mark_epochs,
    panels,
    reference_line,
    worded,
)
from goldviz.figures.limits import Limits
from goldviz.figures.maps import legend_below
from goldviz.figures.reading import Band, averaged, positive, recorded, run_label, sentences, thinned
from goldviz.figures.theme import INKS, Theme, depth_colours, style_of
from goldviz.labs.gold_forecast.figures.quantities import AT_FIRST_EPOCH, absent, limit_of
from goldviz.labs.gold_forecast.scoring.series import settings_of
from goldviz.labs.gold_forecast.words import phone_lines

MOST_REFITS = 24
"""Thin curves at most in a panel."""

POINTS = 120
"""Epochs drawn of each curve at most."""

DASHES = ("solid", "dash", "dot", "longdash", "dashdot")
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x")


def loss(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """Training and validation loss of every refit over the epochs, on one scale, with each refit's best epoch.

    Where training goes on falling while validation rises, the network learns its past by heart; the forecasts come
    from the diamonds. If they sit at the right end, more epochs may help.
    """
    title = "Does it learn, or learn by heart?"
    if words := absent(ds, "loss", waiting=AT_FIRST_EPOCH):
        return worded(words, title=title, theme=theme)
    drawn = [name for name in ("loss", "validation_loss") if name in ds and ds[name].size]
    heads = {"loss": "Training loss", "validation_loss": "Validation loss"}
    figure = panels([heads[name] for name in drawn], theme)
    style = style_of(str(settings_of(ds).get("network", "gru")))
    chosen, few = _chosen_refits(ds.sizes["fold"])
    averaging = ""
    for row, name in enumerate(drawn, start=1):
        curves, averaging = averaged(ds[name], "epoch", most=POINTS)
        by_refit = curves.median("seed")
        x, y = _one_trace(by_refit.isel(fold=chosen))
        figure.add_trace(
            go.Scatter(
                x=x, y=y, mode="lines", name="each refit", showlegend=False,
                line={"color": look.with_alpha(style.colour, 0.45), "width": 1}, hoverinfo="skip",
            ),
            row=row, col=1,
        )  # fmt: skip
        middle = by_refit.median("fold")
        figure.add_trace(
            go.Scatter(
                x=middle["epoch"].values, y=middle.values, name="median", legendgroup="median",
                mode="lines+markers" if middle.size <= MARKERS_UP_TO else "lines", showlegend=row == 1,
                line={"color": style.colour, "width": 3}, marker={"symbol": style.symbol, "size": 7},
                hovertemplate="%{y:.4f}",
            ),
            row=row, col=1,
        )  # fmt: skip
    best = _add_best(figure, ds, epoch, theme) if len(drawn) == 2 else ""
    figure.update_yaxes(title_text="Loss", **loss_axis(*limit_of("loss", ds, limits)))
    epoch_axis(figure, limit_of("epoch", ds, limits))
    figure.update_xaxes(unifiedhovertitle_text="epoch %{x}", showgrid=True)
    mark_epochs(figure, ds, epoch, theme)
    thin = "Thin: each refit; thick: their median." if ds.sizes["fold"] > 1 else ""
    seeds = f"Median of {ds.sizes['seed']} seeds." if ds.sizes["seed"] > 1 else ""
    notes = [run_label(ds), best, sentences(thin, few, seeds, averaging)]
    return legend_above_headings(look.apply(figure, theme, title=title, notes=phone_lines(notes), height=560))


def _chosen_refits(count: int) -> tuple[np.ndarray, str]:
    """Refits that get a thin curve, the last always among them."""
    chosen, words = thinned(count, most=MOST_REFITS, noun="refit")
    return chosen, words


def _one_trace(curves: xr.DataArray) -> tuple[np.ndarray, np.ndarray]:
    """Curves (epoch, fold) one after the other, a gap between them."""
    values = curves.transpose("fold", "epoch").values
    gap = np.full((len(values), 1), np.nan)
    epochs = np.tile(np.append(curves["epoch"].values.astype(np.float64), np.nan), len(values))
    return epochs, np.concatenate([values, gap], axis=1).ravel()


def _add_best(figure: go.Figure, ds: xr.Dataset, epoch: int | None, theme: Theme) -> str:
    """A diamond at every refit's lowest validation loss up to the epoch in view; returns where they are."""
    if "best_epoch" not in ds or not ds["best_epoch"].size:
        return ""
    at = recorded(ds, epoch)
    best = ds["best_epoch"].sel(epoch=at).transpose("fold", "seed").values.astype(np.float64)
    epochs = ds["epoch"].values
    validation = ds["validation_loss"].transpose("epoch", "fold", "seed").values.astype(np.float64)
    places = []
    for fold, seed in np.argwhere(np.isfinite(best)):
        row = np.flatnonzero(epochs == round(best[fold, seed]))
        if row.size:
            places.append((best[fold, seed], validation[row[0], fold, seed]))
    if not places:
        return ""
    x, y = np.array(places).T
    figure.add_trace(
        go.Scatter(
            x=x, y=y, mode="markers", name="best so far", legendgroup="best", hovertemplate="best %{y:.4f}",
            marker={"symbol": "diamond-open", "size": 9, "color": INKS[theme].accent, "line": {"width": 2}},
        ),
        row=2, col=1,
    )  # fmt: skip
    return f"At epoch {at}, best epochs: {np.min(x):.0f} to {np.max(x):.0f}, median {np.median(x):.0f}."


def gradient_by_layer(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """Norm of the gradient of each layer over the epochs, last refit, on a log axis.

    A layer whose curve lies orders of magnitude below the others is hardly taught. Before clipping.
    """
    title = "Does every layer get a gradient?"
    if words := absent(ds, "gradient_norm", waiting=AT_FIRST_EPOCH):
        return worded(words, title=title, theme=theme)
    return _by_layer(ds, "gradient_norm", title, "Gradient norm", epoch, limits, theme)


def update_to_data(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """Spread of the steps over the spread of the weights that they change, by layer, last refit, on a log axis.

    Near 10^-3 is the usual advice; far below, the weights hardly move; far above, each step overwrites them.
    """
    title = "Are the steps the right size?"
    if words := absent(ds, "update_to_data", waiting=AT_FIRST_EPOCH):
        return worded(words, title=title, theme=theme)
    figure = _by_layer(ds, "update_to_data", title, "Update-to-data ratio", epoch, limits, theme)
    reference_line(figure, 1e-3, "10⁻³: usual advice", theme)
    return figure


def _by_layer(
    ds: xr.Dataset, name: str, title: str, heading: str, epoch: int | None, limits: Limits | None, theme: Theme
) -> go.Figure:
    kept, thinning = thinned(ds.sizes["epoch"], most=POINTS)
    values = positive(ds[name].isel(epoch=kept).astype(np.float64))
    layers = [str(layer) for layer in ds["layer"].values]
    figure = go.Figure()
    for i, (layer, colour) in enumerate(zip(layers, depth_colours(len(layers), theme), strict=True)):
        band = Band.of(values.isel(layer=i))
        x = values["epoch"].values
        if band.seeds > 1:
            edge = {"x": x, "mode": "lines", "line": {"width": 0}, "legendgroup": layer, "showlegend": False,
                    "hoverinfo": "skip"}  # fmt: skip
            figure.add_trace(go.Scatter(y=band.low, **edge))
            fill = colour.replace("rgb(", "rgba(").replace(")", ", 0.2)")
            figure.add_trace(go.Scatter(y=band.high, fill="tonexty", fillcolor=fill, **edge))
        figure.add_trace(
            go.Scatter(
                x=x, y=band.middle, name=layer, legendgroup=layer, hovertemplate="%{y:.2e}",
                mode="lines+markers" if len(x) <= MARKERS_UP_TO else "lines",
                line={"color": colour, "dash": DASHES[i % len(DASHES)], "width": 2.5},
                marker={"symbol": SYMBOLS[i % len(SYMBOLS)], "size": 7},
            )
        )  # fmt: skip
    epoch_axis(figure, limit_of("epoch", ds, limits))
    figure.update_xaxes(unifiedhovertitle_text="epoch %{x}", showgrid=True)
    figure.update_yaxes(title_text=heading, **log_axis(limit_of(name, ds, limits)))
    mark_epochs(figure, ds, epoch, theme)
    at = recorded(ds, epoch)
    now = positive(ds[name].sel(epoch=at)).median("seed").values
    parts = [f"{layer} {times(float(value))}" for layer, value in zip(layers, now, strict=True) if value > 0]
    answer = f"At epoch {at}: {', '.join(parts)}." if parts else ""
    unmoved = [layer for layer, zero in zip(layers, (ds[name] == 0).all(["epoch", "seed"]).values, strict=True) if zero]
    flat = f"Exactly 0 throughout: {', '.join(unmoved)}." if unmoved else ""
    seeds = f"Median of {ds.sizes['seed']} seeds; band: lowest to highest." if ds.sizes["seed"] > 1 else ""
    notes = [run_label(ds), answer, sentences("The last refit.", flat, thinning, seeds)]
    look.apply(figure, theme, title=title, notes=phone_lines(notes), height=490)
    legend_below(figure)
    return figure
