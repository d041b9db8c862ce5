"""What training does epoch by epoch: losses of all refits, gradients and steps by layer."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Array
from goldviz.figures import layers
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure
from goldviz.figures.elements import MARKERS_UP_TO, legend_above_headings
from goldviz.figures.frames import AtStep, Words, spoken
from goldviz.figures.limits import Values
from goldviz.figures.plot import Plot
from goldviz.figures.reading import averaged, sentences, thinned
from goldviz.figures.theme import style_of
from goldviz.labs.gold_forecast.figures.quantities import AT_FIRST_EPOCH, KINDS, figure, missing
from goldviz.labs.gold_forecast.scoring.series import settings_of

MOST_REFITS = 24
"""Thin curves at most in a panel."""

POINTS = 120
"""Epochs drawn of each curve at most."""


@figure(
    "Does it learn, or learn by heart?",
    instead=missing("loss", waiting=AT_FIRST_EPOCH),
    shows="Training and validation loss of every refit, and the epochs whose weights make the forecasts.",
    cannot_show="The best epoch is chosen on validation data, so the loss there is a little too good to be true.",
)
def loss(plot: Plot) -> Figure:
    """Training and validation loss of every refit over the epochs, on one scale, with each refit's best epoch.

    Where training goes on falling while validation rises, the network learns its past by heart; the forecasts come
    from the diamonds. If they sit at the right end, more epochs may help.
    """
    ds = plot.ds
    losses = [name for name in ("loss", "validation_loss") if name in ds and ds[name].size]
    heads = {"loss": "Training loss", "validation_loss": "Validation loss"}
    plot.panels([heads[name] for name in losses])
    figure = plot.figure
    style = style_of(str(settings_of(ds).get("network", "gru")))
    refits, few = _chosen_refits(ds.sizes["fold"])
    averaging = ""
    for row, name in enumerate(losses, start=1):
        curves, averaging = averaged(ds[name], "epoch", most=POINTS)
        by_refit = curves.median("seed")
        x, y = _one_trace(by_refit.isel(fold=refits))
        figure.scatter(
            x=x,
            y=y,
            mode="lines",
            name="each refit",
            showlegend=False,
            line={"color": look.with_alpha(style.colour, 0.45), "width": 1},
            hoverinfo="skip",
            row=row,
        )
        middle = by_refit.median("fold")
        figure.scatter(
            x=middle["epoch"].values,
            y=middle.values,
            name="median",
            legendgroup="median",
            mode="lines+markers" if middle.size <= MARKERS_UP_TO else "lines",
            showlegend=row == 1,
            line={"color": style.colour, "width": 3},
            marker={"symbol": style.symbol, "size": 7},
            hovertemplate="%{y:.4f}",
            row=row,
        )
    best = _add_best(plot) if len(losses) == 2 else ""
    plot.loss_axis("loss", "Loss")
    plot.step_grid()
    thin = "Thin: each refit; thick: their median." if ds.sizes["fold"] > 1 else ""
    seeds = f"Median of {ds.sizes['seed']} seeds." if ds.sizes["seed"] > 1 else ""
    notes = [best, sentences(thin, few, seeds, averaging)]
    return legend_above_headings(plot.finish(*notes, height=560))


def _chosen_refits(count: int) -> tuple[np.ndarray, str]:
    """Refits that get a thin curve, the last always among them."""
    refits, words = thinned(count, most=MOST_REFITS, noun="refit")
    return refits, words


def _one_trace(curves: Array) -> tuple[np.ndarray, np.ndarray]:
    """Curves (epoch, fold) one after the other, a gap between them."""
    values = curves.transpose("fold", "epoch").values
    gap = np.full((len(values), 1), np.nan)
    epochs = np.tile(np.append(curves["epoch"].values.astype(np.float64), np.nan), len(values))
    return epochs, np.concatenate([values, gap], axis=1).ravel()


def _add_best(plot: Plot) -> Words:
    """A diamond at every refit's lowest validation loss up to the epoch in view; returns where they are."""
    ds = plot.ds
    if "best_epoch" not in ds or not ds["best_epoch"].size:
        return ""
    best, validation = (
        values.transpose("epoch", ...).values.reshape(-1, ds["best_epoch"][0].size).astype(np.float64)
        for values in (plot.now["best_epoch"], ds["validation_loss"])
    )
    epochs = ds["epoch"].values
    rows = np.searchsorted(epochs[:-1], np.nan_to_num(best))
    there = epochs[rows] == best
    x, y = np.where(there, best, np.nan), np.take_along_axis(validation, rows, axis=0)
    plot.figure.scatter(
        x=AtStep("epoch", x),
        y=AtStep("epoch", y),
        visible=AtStep("epoch", there.any(axis=1).tolist()),
        mode="markers",
        name="best so far",
        legendgroup="best",
        hovertemplate="best %{y:.4f}",
        marker={"symbol": "diamond-open", "size": 9, "color": plot.ink.accent, "line": {"width": 2}},
        row=2,
    )
    return spoken(_best_epochs, "epoch", plot.now["epoch"].values.tolist(), list(x))


def _best_epochs(at: int, best: Values) -> str:
    x = best[np.isfinite(best)]
    return f"At epoch {at}, best epochs: {x.min():.0f} to {x.max():.0f}, median {np.median(x):.0f}." if x.size else ""


gradient_by_layer = layers.gradient_by_layer.of(
    figure,
    KINDS,
    needs=(),
    instead=missing("gradient_norm", waiting=AT_FIRST_EPOCH),
    shows="The gradient's norm by layer over the epochs before clipping, in the last refit.",
    cannot_show="Good gradients do not guarantee memory.",
)

update_to_data = layers.update_to_data.of(
    figure,
    KINDS,
    needs=(),
    instead=missing("update_to_data", waiting=AT_FIRST_EPOCH),
    shows="How large the steps are beside the weights that they change, by layer, in the last refit.",
)
