"""How well *ODE-RNN*'s networks do over training: errors, bands, loss, gradients."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import xarray as xr

from goldviz.diagnostics.findings import percent, times
from goldviz.figures import theme as look
from goldviz.figures.elements import (
    add_curve,
    log_axis,
    loss_axis,
    mark_epochs,
    number_ticks,
    panels,
    reference_line,
    unseen,
    whole,
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
from goldviz.figures.theme import INKS, Theme, style_of
from goldviz.labs.ode_rnn.figures.quantities import legend_below, limit_of, lines_of, setting_of
from goldviz.labs.ode_rnn.figures.steps_taken import step_axis

NORM_WINDOWS = 100
"""Windows over a run for the gradient's norm, which jumps too much from step to step to compare networks by."""


def error(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """Mean squared error of the next value on fixed test sequences: gaps as in training, and longer ones, log axes.

    The dotted line is what forecasting zero scores. A network above it in the lower panel would do better to say
    nothing of gaps that it has not met.
    """
    title = "Does it know how things go on?"
    if words := absence(ds, "error"):
        return worded(words, title=title, theme=theme)
    parts = [("in range", "error", "Gaps as in training")]
    if not absence(ds, "long_gap_error"):
        parts.append(("long gap", "long_gap_error", "Longer gaps than any in training"))
    kept, thinning = thinned(ds.sizes["look"], noun="look")
    figure = panels([heading for _, _, heading in parts], theme)
    for row, (_, name, _) in enumerate(parts, start=1):
        values = positive(ds[name].isel(look=kept))
        for network in networks(ds):
            band = Band.of(values.sel(network=network))
            add_curve(figure, network, values["look"].values, band, row=row, legend=row == 1)
    step_axis(figure, ds, limits)
    figure.update_yaxes(title_text="Squared error", **log_axis(limit_of("error", ds, limits)))
    for row, (horizon, _, _) in enumerate(parts, start=1):
        _zero_line(figure, ds, horizon, row, theme)
    mark_epochs(figure, ds, epoch, theme)
    notes = [run_label(ds), *(_answer(ds, epoch, name, words) for words, name, _ in parts),
             sentences(thinning, seeds_in_words(ds))]  # fmt: skip
    height = 600 if len(parts) == 2 else 430
    look.apply(figure, theme, title=title, notes=notes, height=height)
    return legend_below(figure, lines_of(networks(ds)), headed=True)


def _zero_line(figure: go.Figure, ds: xr.Dataset, horizon: str, row: int, theme: Theme) -> None:
    value = float(ds["zero_error"].sel(horizon=horizon)) if not absence(ds, "zero_error") else float("nan")
    if not (np.isfinite(value) and value > 0):
        return
    ink = INKS[theme]
    figure.add_hline(y=value, row=row, line={"color": ink.accent, "width": 1.5, "dash": "dot"})
    axis = "" if row == 1 else str(row)
    figure.add_annotation(
        text=f"predicting zero: {value:.3g}", x=1, xref="x domain", xanchor="right", y=np.log10(value),
        yref=f"y{axis}", yanchor="bottom", font={"size": 13, "color": ink.accent},
        bgcolor=look.with_alpha(ink.background, 0.75), borderpad=1,
    )  # fmt: skip


def _answer(ds: xr.Dataset, epoch: int | None, name: str, words: str) -> str:
    at = recorded(ds, epoch, "look")
    middle = positive(ds[name]).sel(look=at).median("seed")
    parts = [
        f"{style_of(n).label} {times(float(middle.sel(network=n)))}"
        for n in networks(ds)
        if np.isfinite(middle.sel(network=n))
    ]
    return f"Step {at}, {words}: {', '.join(parts)}." if parts else ""


def coverage(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """Share of test values that fall inside the forecast's 90 % band, over training, with the line at 90 %.

    Below the line a network is surer than it may be; above it, its bands say less than it knows.
    """
    title = "Are the bands honest?"
    if words := absence(ds, "coverage"):
        return worded(words, title=title, theme=theme)
    kept, thinning = thinned(ds.sizes["look"], noun="look")
    shares = finite(ds["coverage"]).isel(look=kept)
    figure = go.Figure()
    for network in networks(ds):
        add_curve(figure, network, shares["look"].values, Band.of(shares.sel(network=network)), hover="%{y:.1%}")
    step_axis(figure, ds, limits)
    figure.update_yaxes(title_text="Share inside", range=limit_of("coverage", ds, limits), tickformat=".0%")
    reference_line(figure, 0.9, "90 % promised", theme, x=0)
    mark_epochs(figure, ds, epoch, theme)
    at = recorded(ds, epoch, "look")
    middle = finite(ds["coverage"]).sel(look=at).median("seed")
    parts = [
        f"{style_of(n).label} {percent(float(middle.sel(network=n)))}"
        for n in networks(ds)
        if np.isfinite(middle.sel(network=n))
    ]
    answer = f"Step {at}: {', '.join(parts)}." if parts else ""
    notes = [run_label(ds), answer, sentences(thinning, seeds_in_words(ds))]
    look.apply(figure, theme, title=title, notes=notes)
    return legend_below(figure, lines_of(networks(ds)))


def gradient_by_observation(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """Norm of dL/dh just after each observation at one look, mean over the test sequences, on a log axis.

    Read it from right to left, as the error travels: through each jump (document 001, eq. 33), and in the ODE-RNN
    also back through the flow between two jumps (eq. 32).
    """
    title = "How far back does the error reach?"
    if words := absence(ds, "state_gradient_norm"):
        return worded(words, title=title, theme=theme)
    if not bool((ds["state_gradient_norm"] > 0).any()):
        return worded("Every norm of dL/dh recorded so far is exactly 0.", title=title, theme=theme)
    at = recorded(ds, epoch, "look")
    now = ds["state_gradient_norm"].sel(look=at).astype(np.float64)
    figure = go.Figure()
    for network in networks(ds):
        band = Band.of(positive(now.sel(network=network)))
        add_curve(figure, network, now["observation"].values, band, hover="%{y:.3e}")
    ends = limit_of("observation", ds, limits)
    figure.update_xaxes(title_text="Observation", unifiedhovertitle_text="observation %{x}", range=ends)
    figure.update_xaxes(**number_ticks(*whole(ends), {1: "1"}))
    figure.update_yaxes(title_text="Norm of dL/dh", **log_axis(limit_of("state_gradient_norm", ds, limits)))
    missing = unseen(now, "observation", "observation")
    notes = [run_label(ds), _reach(now), sentences(f"Step {at}.", seeds_in_words(ds)), missing]
    look.apply(figure, theme, title=title, notes=notes)
    return legend_below(figure, lines_of(networks(ds)))


def _reach(now: xr.DataArray) -> str:
    """The answer: how much smaller the gradient is at the first observation than where it is largest."""
    answers = []
    for network in now["network"].values:
        norms = now.sel(network=network).median("seed")
        first, highest = float(norms[0]), float(norms.max())
        if first > 0 and np.isfinite(highest):
            answers.append(f"{style_of(str(network)).label} {times(highest / first)}")
    return f"Largest / first norm: {', '.join(answers)}." if answers else ""


def loss(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """The training loss, mean negative log-likelihood of the next value, over the steps; each step's sequences are new.

    A logarithm of a density has no bottom: below 0 only says that the bands are narrow.
    """
    title = "Do the networks learn?"
    if words := absence(ds, "loss"):
        return worded(words, title=title, theme=theme)
    curves, averaging = averaged(ds["loss"], "step")
    figure = go.Figure()
    for network in networks(ds):
        add_curve(figure, network, curves["step"].values, Band.of(curves.sel(network=network)), hover="%{y:.4f}")
    step_axis(figure, ds, limits)
    figure.update_yaxes(title_text="Loss", **loss_axis(*limit_of("loss", ds, limits)))
    mark_epochs(figure, ds, epoch, theme)
    notes = [run_label(ds), "Each step's sequences are new.", sentences(averaging, seeds_in_words(ds))]
    look.apply(figure, theme, title=title, notes=notes)
    return legend_below(figure, lines_of(networks(ds)))


def gradient_norm(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """Norm of the whole gradient before clipping, over the steps, with the line at which it is cut (document 003)."""
    title = "How long is the gradient?"
    if words := absence(ds, "gradient_norm"):
        return worded(words, title=title, theme=theme)
    norms, averaging = averaged(ds["gradient_norm"], "step", most=NORM_WINDOWS)
    figure = go.Figure()
    for network in networks(ds):
        band = Band.of(positive(norms.sel(network=network)))
        add_curve(figure, network, norms["step"].values, band, hover="%{y:.3~g}")
    step_axis(figure, ds, limits)
    low, high = limit_of("gradient_norm", ds, limits)
    figure.update_yaxes(title_text="Norm of the whole gradient", **log_axis((low, high)))
    clip = setting_of(ds, "clip")
    if clip and low < np.log10(clip) < high:
        reference_line(figure, float(clip), f"clipped at {clip:.3g}", theme)
    mark_epochs(figure, ds, epoch, theme)
    notes = [run_label(ds), "Before clipping.", sentences(averaging, seeds_in_words(ds))]
    look.apply(figure, theme, title=title, notes=notes)
    return legend_below(figure, lines_of(networks(ds)))
