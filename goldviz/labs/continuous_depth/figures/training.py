"""What training does in *Continuous depth*, step by step: loss, gradient, evaluations, the field itself."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import xarray as xr

from goldviz.diagnostics.findings import SATURATED, percent, times
from goldviz.figures import theme as look
from goldviz.figures.elements import (
    epoch_axis,
    legend_above_headings,
    log_axis,
    mark_epochs,
    panels,
    reference_line,
    worded,
)
from goldviz.figures.limits import Limits
from goldviz.figures.reading import (
    Band,
    absence,
    averaged,
    finite,
    networks,
    positive,
    recorded,
    run_label,
    seeds_in_words,
    sentences,
    thinned,
)
from goldviz.figures.theme import Theme
from goldviz.labs.continuous_depth.figures.quantities import (
    DEPTH_NETWORKS,
    ORDER_KEPT,
    depth_curve,
    is_regression,
    limit_of,
)

NORM_WINDOWS = 100


def step_axis(figure: go.Figure, ds: xr.Dataset, limits: Limits | None) -> None:
    """Steps as the common axis of all panels."""
    epoch_axis(figure, limit_of("step", ds, limits), "Step")
    figure.update_xaxes(unifiedhovertitle_text="step %{x}", showgrid=True)


def loss(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """Loss on unseen points over the steps, and dotted the loss of the same weights with the field followed exactly.

    Where the two part, the network has learned its solver's steps and not a flow. Thin: the training loss.
    """
    title = "Is it learned, and is it a flow?"
    if words := absence(ds, "loss"):
        return worded(words, title=title, theme=theme)
    curves, averaging = averaged(ds["loss"], "step")
    figure = go.Figure()
    tested = not absence(ds, "test_loss")
    for network in networks(ds):
        style = DEPTH_NETWORKS[network]
        band = Band.of(positive(curves.sel(network=network)))
        figure.add_trace(
            go.Scatter(x=curves["step"].values, y=band.middle, name=f"{style.label}, training", mode="lines",
                       legendgroup=network, showlegend=not tested, opacity=0.45, hovertemplate="%{y:.4f}",
                       line={"color": style.colour, "width": 1.2})
        )  # fmt: skip
        if tested:
            own = positive(ds["test_loss"].sel(network=network))
            depth_curve(figure, network, own["look"].values, Band.of(own), hover="%{y:.4f}")
        if not absence(ds, "refined_test_loss"):
            exact = positive(ds["refined_test_loss"].sel(network=network))
            figure.add_trace(
                go.Scatter(x=exact["look"].values, y=exact.median("seed").values, name=f"{style.label}, exact flow",
                           mode="lines", legendgroup=network, showlegend=False, hovertemplate="%{y:.4f}",
                           line={"color": style.colour, "dash": "dot", "width": 2})
            )  # fmt: skip
    step_axis(figure, ds, limits)
    figure.update_yaxes(title_text="Loss", **log_axis(limit_of("loss", ds, limits)))
    if is_regression(ds):
        reference_line(figure, ORDER_KEPT, "1/3: best that keeps the order", theme)
    mark_epochs(figure, ds, epoch, theme)
    notes = [run_label(ds), "Lines: unseen points. Dotted: same weights, field followed exactly." if tested else "",
             sentences("Thin: training." if tested else "", averaging, seeds_in_words(ds))]  # fmt: skip
    return look.apply(figure, theme, title=title, notes=notes)


def gradient_norm(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """Norm of the whole gradient before clipping, on a log axis.

    Spikes come with a field that has become steep: a small change of the weights throws points to the other side.
    """
    title = "How long is the gradient?"
    if words := absence(ds, "gradient_norm"):
        return worded(words, title=title, theme=theme)
    norms, averaging = averaged(ds["gradient_norm"], "step", most=NORM_WINDOWS)
    figure = go.Figure()
    for network in networks(ds):
        depth_curve(figure, network, norms["step"].values, Band.of(positive(norms.sel(network=network))))
    step_axis(figure, ds, limits)
    figure.update_yaxes(title_text="Norm of the gradient", **log_axis(limit_of("gradient_norm", ds, limits)))
    mark_epochs(figure, ds, epoch, theme)
    notes = [run_label(ds), sentences(averaging, seeds_in_words(ds))]
    return look.apply(figure, theme, title=title, notes=notes)


def evaluations(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """How often each step asked for the field, on the way forward and on the way back.

    An adaptive solver takes more steps where the field bends more, so the count tells how hard the flow has become. The
    way back through the solver asks for nothing: its steps were kept. The adjoint solves an equation of its own.
    """
    title = "What does the solver pay?"
    if words := absence(ds, "evaluations_forward"):
        return worded(words, title=title, theme=theme)
    forward, averaging = averaged(ds["evaluations_forward"], "step")
    back, _ = averaged(ds["evaluations_backward"], "step")
    figure = go.Figure()
    asked = False
    for network in networks(ds):
        style = DEPTH_NETWORKS[network]
        depth_curve(figure, network, forward["step"].values, Band.of(forward.sel(network=network)), hover="%{y:.0f}")
        own = back.sel(network=network)
        if bool((own > 0).any()):
            asked = True
            figure.add_trace(
                go.Scatter(x=own["step"].values, y=own.median("seed").values, name=f"{style.label}, back", mode="lines",
                           line={"color": style.colour, "dash": "dot", "width": 2}, hovertemplate="back %{y:.0f}")
            )  # fmt: skip
    step_axis(figure, ds, limits)
    low, high = limit_of("evaluations", ds, limits)
    figure.update_yaxes(title_text="Evaluations of the field", range=(max(low, -0.02 * high), high))
    mark_epochs(figure, ds, epoch, theme)
    way = "" if asked else "On the way back: none, the steps were kept."
    notes = [run_label(ds), _growth(ds), sentences(way, averaging, seeds_in_words(ds))]
    return look.apply(figure, theme, title=title, notes=notes)


def _growth(ds: xr.Dataset) -> str:
    """The answer: forward evaluations at the first step and at the last."""
    counts = ds["evaluations_forward"].median("seed")
    parts = [
        f"{DEPTH_NETWORKS[network].label} {float(counts.sel(network=network)[0]):.0f} → "
        f"{float(counts.sel(network=network)[-1]):.0f}"
        for network in networks(ds)
    ]
    return f"Forward: {', '.join(parts)}."


def field(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """The largest stretch |df/dh| along the paths, and the share of tanh units on a flat part, over training.

    Explicit solvers need steps of about one over the stretch, so a stiff field costs evaluations. A saturated unit
    passes almost no gradient.
    """
    title = "Does the field grow stiff?"
    if words := absence(ds, "field_stiffness", "field_saturation"):
        return worded(words, title=title, theme=theme)
    kept, thinning = thinned(ds.sizes["look"], noun="look")
    figure = panels(["Largest stretch |df/dh| on the paths", "Tanh units on a flat part, |a| > 0.97"], theme)
    for row, name in enumerate(("field_stiffness", "field_saturation"), start=1):
        values = ds[name].isel(look=kept)
        values = positive(values) if row == 1 else finite(values)
        for network in networks(ds):
            band = Band.of(values.sel(network=network))
            hover = "%{y:.3~g}" if row == 1 else "%{y:.1%}"
            depth_curve(figure, network, values["look"].values, band, hover=hover, row=row, legend=row == 1)
    step_axis(figure, ds, limits)
    figure.update_yaxes(title_text="Stretch", **log_axis(limit_of("stiffness", ds, limits)), row=1)
    figure.update_yaxes(title_text="Share", tickformat=".0%", tickvals=[0, 0.5, 1], range=(-0.06, 1.06), row=2)
    figure.add_hline(y=SATURATED, line={"color": look.INKS[theme].accent, "width": 1.5, "dash": "dot"}, row=2, col=1)
    mark_epochs(figure, ds, epoch, theme)
    notes = [run_label(ds), _stretch_in_words(ds, epoch), sentences(f"Dotted: {percent(SATURATED)}.", thinning,
             seeds_in_words(ds))]  # fmt: skip
    return legend_above_headings(look.apply(figure, theme, title=title, notes=notes, height=560))


def _stretch_in_words(ds: xr.Dataset, epoch: int | None) -> str:
    at = recorded(ds, epoch, "look")
    now = finite(ds["field_stiffness"].sel(look=at)).median("seed")
    parts = [
        f"{DEPTH_NETWORKS[network].label} {times(float(now.sel(network=network)))}"
        for network in networks(ds)
        if np.isfinite(now.sel(network=network))
    ]
    return f"Stretch at step {at}: {', '.join(parts)}." if parts else ""
