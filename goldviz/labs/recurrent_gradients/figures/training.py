"""What training does step by step: loss, accuracy, size of the steps, clipping."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import xarray as xr

from goldviz.diagnostics.findings import percent, times
from goldviz.figures import theme as look
from goldviz.figures.elements import (
    add_curve,
    add_test_loss,
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
from goldviz.figures.theme import Theme, style_of
from goldviz.labs.recurrent_gradients.figures.quantities import limit_of

CLIPPING_WINDOWS = 20
"""Windows over a run in which clipped steps are counted: a single step is either clipped or not."""

NORM_WINDOWS = 100
"""Windows over a run for the gradient's norm, which jumps too much from step to step to compare networks by."""


def loss(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """Training loss over the steps; after training, the loss on fresh sequences at the right.

    The line is what the best answer without memory scores. A network that stays on it has learned only what needs no
    past; one that drops below it has learned to remember.
    """
    title = "Do the networks learn to remember?"
    if words := absence(ds, "loss"):
        return worded(words, title=title, theme=theme)
    curves, averaging = averaged(ds["loss"], "step")
    figure = go.Figure()
    for network in networks(ds):
        add_curve(figure, network, curves["step"].values, Band.of(curves.sel(network=network)), hover="%{y:.4f}")
    tested = not absence(ds, "test_loss")
    for network in networks(ds) if tested else ():
        add_test_loss(figure, network, int(ds["step"].max()), finite(ds["test_loss"]).sel(network=network))
    _step_axis(figure, ds, limits)
    figure.update_yaxes(title_text="Loss", **loss_axis(*limit_of("loss", ds, limits)))
    if not absence(ds, "memoryless_loss"):
        memoryless = float(finite(ds["memoryless_loss"]).median())
        reference_line(figure, memoryless, f"best without memory: {memoryless:.3f}", theme)
    mark_epochs(figure, ds, epoch, theme)
    test_words = "Open marker at the end: test loss." if tested else "Test loss follows when training ends."
    notes = [run_label(ds), test_words, sentences(averaging, seeds_in_words(ds))]
    return look.apply(figure, theme, title=title, notes=notes)


def _step_axis(figure: go.Figure, ds: xr.Dataset, limits: Limits | None) -> None:
    epoch_axis(figure, limit_of("step", ds, limits), "Step")
    figure.update_xaxes(unifiedhovertitle_text="step %{x}", showgrid=True)


def accuracy(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """Share of right answers on each step's sequences; tasks that ask for numbers have none."""
    title = "How often is the answer right?"
    if words := absence(ds, "accuracy"):
        asks_for_numbers = "accuracy" in ds and ds["accuracy"].size > 0
        words = (
            "This task asks for numbers: see the loss, there are no right or wrong answers."
            if asks_for_numbers
            else words
        )
        return worded(words, title=title, theme=theme)
    curves, averaging = averaged(ds["accuracy"], "step")
    figure = go.Figure()
    for network in networks(ds):
        add_curve(figure, network, curves["step"].values, Band.of(curves.sel(network=network)), hover="%{y:.1%}")
    _step_axis(figure, ds, limits)
    figure.update_yaxes(title_text="Share right", range=(-0.03, 1.03), tickformat=".0%")
    mark_epochs(figure, ds, epoch, theme)
    notes = [run_label(ds), "Each step's sequences are new.", sentences(averaging, seeds_in_words(ds))]
    return look.apply(figure, theme, title=title, notes=notes)


def update_to_data(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """Spread of each step over the spread of the recurrent weights that it changes, over training, on a log axis.

    Near 10^-3 is the usual advice; far below, the weights hardly move; far above, each step overwrites them.
    """
    title = "Are the steps the right size?"
    if words := absence(ds, "update_to_data"):
        return worded(words, title=title, theme=theme)
    kept, thinning = thinned(ds.sizes["look"], noun="look")
    ratios = positive(ds["update_to_data"].isel(look=kept))
    figure = go.Figure()
    for network in networks(ds):
        add_curve(figure, network, ratios["look"].values, Band.of(ratios.sel(network=network)), hover="%{y:.2e}")
    _step_axis(figure, ds, limits)
    figure.update_yaxes(title_text="Update-to-data ratio", **log_axis(limit_of("update_to_data", ds, limits)))
    reference_line(figure, 1e-3, "10⁻³: usual advice", theme)
    mark_epochs(figure, ds, epoch, theme)
    notes = [run_label(ds), _typical(ds, epoch), sentences(thinning, seeds_in_words(ds))]
    return look.apply(figure, theme, title=title, notes=notes)


def _typical(ds: xr.Dataset, epoch: int | None) -> str:
    at = recorded(ds, epoch, "look")
    middle = positive(ds["update_to_data"].sel(look=at)).median("seed")
    parts = [
        f"{style_of(n).label} {times(float(middle.sel(network=n)))}" for n in networks(ds) if middle.sel(network=n) > 0
    ]
    return f"At step {at}: {', '.join(parts)}." if parts else ""


def clipping(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """Norm of the whole gradient before and after clipping, and the share of steps that were clipped (document 003).

    Clipping shortens a gradient and keeps its direction. Now and then is a safety belt; at nearly every step it is
    the clip value, not the gradient, that sets the size of the steps.
    """
    title = "Does clipping step in?"
    if words := absence(ds, "gradient_norm"):
        return worded(words, title=title, theme=theme)
    before, averaging = averaged(ds["gradient_norm"], "step", most=NORM_WINDOWS)
    has_shares = not absence(ds, "clipped")
    names = ["Norm of the whole gradient", "Share of steps clipped"] if has_shares else ["Norm of the whole gradient"]
    figure = panels(names, theme)
    for network in networks(ds):
        band = Band.of(positive(before.sel(network=network)))
        add_curve(figure, network, before["step"].values, band, hover="before %{y:.3~g}", row=1)
    if not absence(ds, "clipped_gradient_norm"):
        _add_after(figure, ds)
    if has_shares:
        shares, _ = averaged(ds["clipped"], "step", most=CLIPPING_WINDOWS)
        for network in networks(ds):
            band = Band.of(shares.sel(network=network))
            add_curve(figure, network, shares["step"].values, band, hover="%{y:.0%}", row=2, legend=False)
        figure.update_yaxes(title_text="Share", range=(-0.05, 1.05), tickformat=".0%", row=2)
    _step_axis(figure, ds, limits)
    figure.update_yaxes(title_text="Norm", **log_axis(limit_of("gradient_norm", ds, limits)), row=1)
    value = _clip_value(ds, epoch)
    if np.isfinite(value):
        reference_line(figure, value, f"clipped at {value:.3g}", theme, every_panel=False)
    mark_epochs(figure, ds, epoch, theme)
    notes = [run_label(ds), _clipped_in_words(ds), "Dotted: after clipping, same direction.",
             sentences(averaging, seeds_in_words(ds))]  # fmt: skip
    return legend_above_headings(look.apply(figure, theme, title=title, notes=notes, height=560))


def _add_after(figure: go.Figure, ds: xr.Dataset) -> None:
    after, _ = averaged(ds["clipped_gradient_norm"], "step", most=NORM_WINDOWS)
    for network in networks(ds):
        style = style_of(network)
        figure.add_trace(
            go.Scatter(
                x=after["step"].values, y=positive(after.sel(network=network)).median("seed").values,
                name=f"{style.label}, after", legendgroup=network, showlegend=False, mode="lines",
                line={"color": style.colour, "dash": "dot", "width": 1.5}, hovertemplate="after %{y:.3~g}",
            ),
            row=1, col=1,
        )  # fmt: skip


def _clip_value(ds: xr.Dataset, epoch: int | None) -> float:
    """The norm that the last clipped step so far was cut to; NaN if none was clipped."""
    if absence(ds, "clipped", "clipped_gradient_norm"):
        return float("nan")
    so_far = ds[["clipped", "clipped_gradient_norm"]].sel(step=slice(None, recorded(ds, epoch, "step")))
    cut = positive(so_far["clipped_gradient_norm"]).where(so_far["clipped"] > 0).median(["network", "seed"]).values
    cut = cut[np.isfinite(cut)]
    return float(cut[-1]) if cut.size else float("nan")


def _clipped_in_words(ds: xr.Dataset) -> str:
    if absence(ds, "clipped"):
        return ""
    shares = finite(ds["clipped"]).mean("step").median("seed")
    parts = [
        f"{style_of(n).label} {percent(float(shares.sel(network=n)))}"
        for n in networks(ds)
        if bool(shares.sel(network=n).notnull())
    ]
    return f"Steps clipped: {', '.join(parts)}."
