"""The gradient's way back through time: Jacobian products by lag, dL/dh_t at every step, contributions by lag."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import xarray as xr

from goldviz.diagnostics.findings import percent, times
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
from goldviz.labs.recurrent_gradients.figures.quantities import (
    FADED,
    contribution_share,
    fading_lag,
    limit_of,
)

_HOVER = "10<sup>%{y:.2f}</sup>"
_CELL = "step %{x}, time %{y}<br>norm 10<sup>%{z:.2f}</sup>"


def jacobian_by_lag(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """log10 of the spectral norm of dh_T/dh_(T-lag) at one look (document 001, eq. 6-9), one curve for each network.

    A curve that stays near 1 keeps a signal over all those steps; one that falls below 1/100 has lost it, however
    healthy the parameters' gradients look. Dotted: the bound (gamma ||W_hh||)^lag of the plain RNN. Thin and dashed:
    the LSTM's cell path alone, the product of its forget gates (eq. 18).
    """
    title = "Does the signal survive?"
    if words := absence(ds, "log_jacobian_norm"):
        return worded(words, title=title, theme=theme)
    at = recorded(ds, epoch, "look")
    now = ds["log_jacobian_norm"].sel(look=at)
    ends = limit_of("log_jacobian_norm", ds, limits)
    figure = go.Figure()
    for network in networks(ds):
        band = Band.of(finite(now.sel(network=network)))
        add_curve(figure, network, now["lag"].values, band, hover=_HOVER)
    beside = [
        _add_beside(figure, ds, "log_cell_path", "lstm", at, "cell path alone", "dash"),
        _add_beside(figure, ds, "log_bound", "rnn", at, "bound", "dot"),
    ]
    _lag_axis(figure, ds, limits)
    figure.update_yaxes(title_text="Norm of dh(T)/dh(T−lag)", range=ends, **power_ticks(*ends))
    reference_line(figure, 0, "1: nothing lost", theme)
    reference_line(figure, FADED, "1/100", theme)
    notes = [run_label(ds), _fading(now), sentences(*beside), f"Step {at}. {seeds_in_words(ds)}"]
    return look.apply(figure, theme, title=title, notes=notes)


def _lag_axis(figure: go.Figure, ds: xr.Dataset, limits: Limits | None) -> None:
    ends = limit_of("lag", ds, limits)
    figure.update_xaxes(title_text="Lag (steps back from the end)", unifiedhovertitle_text="lag %{x}", range=ends)
    figure.update_xaxes(**number_ticks(*whole(ends), {}))


def _add_beside(figure: go.Figure, ds: xr.Dataset, name: str, network: str, at: int, words: str, dash: str) -> str:
    """A thin line of theory beside a network's curve, and the sentence that explains it; empty if there is none."""
    if network not in networks(ds) or absence(ds, name):
        return ""
    values = finite(ds[name].sel(look=at, network=network)).median("seed")
    if not bool(values.notnull().any()):
        return ""
    style = style_of(network)
    figure.add_trace(
        go.Scatter(
            x=values["lag"].values, y=values.values, name=f"{style.label}, {words}", legendgroup=network,
            showlegend=False, mode="lines", line={"color": style.colour, "dash": dash, "width": 1.5},
            hovertemplate=_HOVER,
        )
    )  # fmt: skip
    return f"{'Dotted' if dash == 'dot' else 'Thin dashed'}: {style.label}, {words}."


def _fading(now: xr.DataArray) -> str:
    """The answer: the lag at which each network's signal falls below a hundredth."""
    parts = []
    for network in now["network"].values:
        lags = fading_lag(now.sel(network=network))
        if not bool((~np.isnan(now.sel(network=network))).any()):
            continue
        gone = int(lags.notnull().sum())
        lag = f"lag {float(lags.median()):.0f}" if gone > lags.sizes["seed"] / 2 else "never"
        parts.append(f"{style_of(str(network)).label} {lag}")
    return f"Below 1/100 from: {', '.join(parts)}." if parts else ""


def state_gradient(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """Norm of dL/dh_t at every time step at one look, mean over the batch, on a log axis (document 001, eq. 5-9).

    Read it from right to left, as the error travels. A curve that falls towards the first steps means that the
    network is hardly told what it should have remembered of them.
    """
    title = "How far back does the error reach?"
    if words := absence(ds, "state_gradient_norm") or _all_zero(ds["state_gradient_norm"], "dL/dh"):
        return worded(words, title=title, theme=theme)
    at = recorded(ds, epoch, "look")
    now = ds["state_gradient_norm"].sel(look=at).astype(np.float64)
    figure = go.Figure()
    for network in networks(ds):
        add_curve(figure, network, now["time"].values, Band.of(positive(now.sel(network=network))), hover="%{y:.3e}")
    ends = limit_of("time", ds, limits)
    figure.update_xaxes(title_text="Time step t", unifiedhovertitle_text="time %{x}", range=ends)
    figure.update_xaxes(**number_ticks(*whole(ends), {1: "1"}))
    figure.update_yaxes(title_text="Norm of dL/dh(t)", **log_axis(limit_of("state_gradient_norm", ds, limits)))
    notes = [run_label(ds), _reach(now), f"Step {at}. {seeds_in_words(ds)}", unseen(now, "time", "step")]
    return look.apply(figure, theme, title=title, notes=notes)


def _all_zero(values: xr.DataArray, what: str) -> str:
    return "" if bool((values > 0).any()) else f"Every norm of {what} recorded so far is exactly 0."


def _reach(now: xr.DataArray) -> str:
    """The answer: how much smaller the gradient is at the first time step than where it is largest."""
    answers = []
    for network in now["network"].values:
        norms = now.sel(network=network).median("seed")
        first, highest = float(norms[0]), float(norms.max())
        if first > 0 and np.isfinite(highest):
            answers.append(f"{style_of(str(network)).label} {times(highest / first)}")
    return f"Largest / first norm: {', '.join(answers)}." if answers else ""


def state_gradient_map(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """Norm of dL/dh_t over time and training, as log10 colour, one panel for each network, the same colours for all.

    A dark bottom is a past that the error does not reach; a bottom that brightens is a network that learns to keep
    its signal. Grey: exactly zero, or not a finite number.
    """
    title = "When does the past get heard?"
    if words := absence(ds, "state_gradient_norm") or _all_zero(ds["state_gradient_norm"], "dL/dh"):
        return worded(words, title=title, theme=theme)
    most = min(MOST_COLUMNS, max(1, MOST_CELLS // ds.sizes["time"]))
    kept, thinning = thinned(ds.sizes["look"], most=most, noun="look")
    norms = log10(ds["state_gradient_norm"].isel(look=kept)).median("seed").transpose("network", "time", "look")
    low, high = limit_of("state_gradient_norm", ds, limits)
    figure = panel_per_network(networks(ds), theme)
    for row, network in enumerate(networks(ds), start=1):
        heat = go.Heatmap(
            x=norms["look"].values, y=norms["time"].values, z=single(norms.sel(network=network).values),
            coloraxis="coloraxis", hoverongaps=False,
            hovertemplate=_CELL + f"<extra>{style_of(network).label}</extra>",
        )  # fmt: skip
        figure.add_trace(heat, row=row, col=1)
    ends = limit_of("time", ds, limits)
    figure.update_yaxes(title_text="Time", range=ends, showgrid=False, **number_ticks(*whole(ends), {1: "1"}, most=4))
    epoch_axis(figure, limit_of("step", ds, limits), "Step")
    mark_epochs(figure, ds, epoch, theme)
    gaps = "Grey: exactly 0, or not a finite number." if bool(np.isnan(norms).any()) else ""
    seeds = seeds_in_words(ds, band=False)
    look.apply(figure, theme, title=title, notes=[run_label(ds), sentences(thinning, seeds, gaps)],
               height=240 + 150 * len(networks(ds)), legend=False, hover="closest")  # fmt: skip
    words = f"Norm of dL/dh(t), from {power(low)} to {power(high)}"
    colour_bar_below(figure, (low, high), look.SEQUENTIAL, words, **power_ticks(low, high))
    figure.update_layout(plot_bgcolor=INKS[theme].gap if gaps else None)
    return figure


def lag_contribution(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """Norm of what each lag t - k contributes to dL/dW_hh at one look (document 001, eq. 6), on a log axis.

    Where the curve falls steeply, the sum is made of the last few steps: the parameters' gradient is healthy, and
    says nothing about the far past.
    """
    title = "Which lags teach the weights?"
    if words := absence(ds, "lag_contribution") or _all_zero(ds["lag_contribution"], "the contributions"):
        return worded(words, title=title, theme=theme)
    at = recorded(ds, epoch, "look")
    now = ds["lag_contribution"].sel(look=at).astype(np.float64)
    figure = go.Figure()
    for network in networks(ds):
        add_curve(figure, network, now["lag"].values, Band.of(positive(now.sel(network=network))), hover="%{y:.3e}")
    _lag_axis(figure, ds, limits)
    figure.update_xaxes(title_text="Lag t − k")
    figure.update_yaxes(title_text="Norm of its part of dL/dW", **log_axis(limit_of("lag_contribution", ds, limits)))
    # The largest lag multiplies by the initial state, which is zero: its place is empty for every network.
    lost = unseen(now.isel(lag=slice(0, -1)), "lag", "lag")
    notes = [run_label(ds), _nearest(ds.sel(look=at)), f"Step {at}. {seeds_in_words(ds)}", lost]
    return look.apply(figure, theme, title=title, notes=notes)


def _nearest(at_look: xr.Dataset) -> str:
    """The answer: what share of the summed norms the nearer half of the lags makes up."""
    share = contribution_share(at_look)
    half = (share.sizes["lag"] + 1) // 2
    near = share.isel(lag=slice(0, half)).sum("lag", min_count=1).median("seed")
    parts = [
        f"{style_of(str(network)).label} {percent(float(near.sel(network=network)))}"
        for network in near["network"].values
        if bool(near.sel(network=network).notnull())
    ]
    return f"Share of lags below {half}: {', '.join(parts)}." if parts and share.sizes["lag"] > 1 else ""
