"""Inside the cells: how far gates open, how many are stuck, and the recurrent matrix that training makes."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import xarray as xr

from goldviz.diagnostics.findings import percent
from goldviz.figures import theme as look
from goldviz.figures.elements import (
    add_curve,
    epoch_axis,
    legend_above_headings,
    mark_epochs,
    number_ticks,
    panels,
    reference_line,
    whole,
    worded,
)
from goldviz.figures.limits import Limits
from goldviz.figures.reading import (
    Band,
    absence,
    finite,
    networks,
    recorded,
    run_label,
    seeds_in_words,
    sentences,
    thinned,
)
from goldviz.figures.theme import Theme, style_of
from goldviz.labs.recurrent_gradients.figures.quantities import GATES, gates_of, limit_of

WITHOUT_GATES = "A plain RNN has no gates: train an LSTM or a GRU beside it."
_SHARE = {"tickformat": ".0%", "tickvals": [0, 0.5, 1], "range": (-0.06, 1.06)}


def gates(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """Mean opening of each gate over time at one look, a panel for each gate (document 001, eq. 10-15, 21-24).

    1 is open, 0 is shut. The LSTM's forget gate multiplies its cell path: open it keeps the past, at 0.5 it halves
    it at every step. The GRU's update gate replaces the past: shut it keeps it.
    """
    title = "What do the gates let through?"
    if words := _no_gates(ds, "gate_opening"):
        return worded(words, title=title, theme=theme)
    at = recorded(ds, epoch, "look")
    pairs = gates_of(ds)
    now = finite(ds["gate_opening"].sel(look=at))
    figure = panels([_gate_name(*pair) for pair in pairs], theme, colours=[style_of(n).colour for n, _ in pairs])
    for row, (network, gate) in enumerate(pairs, start=1):
        band = Band.of(now.sel(network=network, gate=gate))
        add_curve(figure, network, now["time"].values, band, hover="%{y:.3f}", row=row, legend=False)
    ends = limit_of("time", ds, limits)
    figure.update_xaxes(range=ends, unifiedhovertitle_text="time %{x}", **number_ticks(*whole(ends), {1: "1"}))
    figure.update_xaxes(title_text="Time step t", row=len(pairs))
    figure.update_yaxes(range=(-0.06, 1.06), tickvals=[0, 0.5, 1])
    notes = [run_label(ds), "1: open; 0: shut.", _half_life(now), f"Step {at}. {seeds_in_words(ds)}"]
    look.apply(figure, theme, title=title, notes=notes, height=144 + 110 * len(pairs), legend=False)
    return figure.update_layout(margin_t=figure.layout.margin.t + 14)


def _gate_name(network: str, gate: str) -> str:
    return f"{style_of(network).label}: {gate} gate"


def _no_gates(ds: xr.Dataset, name: str) -> str:
    """Why no gate can be drawn: not recorded, nothing yet, or no network has one."""
    if name in ds and not GATES.keys() & set(networks(ds)):
        return WITHOUT_GATES
    return absence(ds, name)


def _half_life(now: xr.DataArray) -> str:
    """In how many steps the LSTM's cell path falls to a half, at its forget gate's mean opening."""
    if "lstm" not in now["network"].values or "forget" not in now["gate"].values:
        return ""
    opening = float(now.sel(network="lstm", gate="forget").mean())
    if not 0 < opening < 1:
        return ""
    return f"Forget gate {opening:.2f}: memory halves in {np.log(0.5) / np.log(opening):.1f} steps."


def saturation(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """Share of gate values below 0.05 or above 0.95, and of hidden values with |h| > 0.97, over training.

    A gate stuck at an end hardly learns (its slope is almost 0), though a forget gate stuck open keeps the past. A
    hidden value on a flat part of tanh passes almost no gradient back.
    """
    title = "How much is stuck at an end?"
    drawn = [name for name in ("gate_saturation", "state_saturation") if not absence(ds, name)]
    if not drawn:
        return worded(absence(ds, "state_saturation"), title=title, theme=theme)
    kept, thinning = thinned(ds.sizes["look"], noun="look")
    heads = {"gate_saturation": "Gates: mean of a network's gates", "state_saturation": "Hidden values, |h| > 0.97"}
    figure = panels([heads[name] for name in drawn], theme)
    for row, name in enumerate(drawn, start=1):
        shares = finite(ds[name].isel(look=kept))
        shares = shares.mean("gate") if "gate" in shares.dims else shares
        for network in networks(ds):
            band = Band.of(shares.sel(network=network))
            if np.isfinite(band.middle).any():
                first = row == len(drawn) or not bool(finite(ds[drawn[-1]]).sel(network=network).notnull().any())
                add_curve(figure, network, shares["look"].values, band, hover="%{y:.1%}", row=row, legend=first)
    figure.update_yaxes(title_text="Share", **_SHARE)
    epoch_axis(figure, limit_of("step", ds, limits), "Step")
    figure.update_xaxes(unifiedhovertitle_text="step %{x}", showgrid=True)
    mark_epochs(figure, ds, epoch, theme)
    notes = [run_label(ds), _most_stuck(ds, epoch), sentences(thinning, seeds_in_words(ds))]
    return legend_above_headings(look.apply(figure, theme, title=title, notes=notes, height=200 + 180 * len(drawn)))


def _most_stuck(ds: xr.Dataset, epoch: int | None) -> str:
    """The gate with the largest share of stuck values at the scrubber's look."""
    if absence(ds, "gate_saturation"):
        return ""
    at = recorded(ds, epoch, "look")
    shares = finite(ds["gate_saturation"].sel(look=at)).median("seed")
    found = [(float(shares.sel(network=n, gate=g)), n, g) for n, g in gates_of(ds)]
    found = [entry for entry in found if np.isfinite(entry[0])]
    if not found:
        return ""
    share, network, gate = max(found)
    return f"Most at step {at}: {style_of(network).label} {gate} gate, {percent(share)}." if share >= 0.005 else ""


def recurrent_matrix(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """Spectral radius and spectral norm of W_hh over training, with the line at 1 (document 001, eq. 8-9).

    The norm bounds what one step can do to the gradient, the radius says what a long product of the same matrix
    does: with a norm below 1 it must fade, with a radius above 1 it may explode. Both matter for the plain RNN;
    gated networks have ways around their matrix.
    """
    title = "Does W keep, stretch or shrink?"
    if words := absence(ds, "spectral_radius", "spectral_norm"):
        return worded(words, title=title, theme=theme)
    kept, thinning = thinned(ds.sizes["look"], noun="look")
    figure = panels(["Spectral radius: largest |eigenvalue|", "Spectral norm: largest stretch in one step"], theme)
    for row, name in enumerate(("spectral_radius", "spectral_norm"), start=1):
        values = finite(ds[name].isel(look=kept))
        for network in networks(ds):
            band = Band.of(values.sel(network=network))
            add_curve(figure, network, values["look"].values, band, hover="%{y:.3f}", row=row, legend=row == 1)
    figure.update_yaxes(range=limit_of("matrix", ds, limits))
    figure.update_yaxes(title_text="Radius", row=1).update_yaxes(title_text="Norm", row=2)
    epoch_axis(figure, limit_of("step", ds, limits), "Step")
    figure.update_xaxes(unifiedhovertitle_text="step %{x}", showgrid=True)
    reference_line(figure, 1, "1: keeps lengths", theme)
    mark_epochs(figure, ds, epoch, theme)
    gated = GATES.keys() & set(networks(ds))
    notes = [run_label(ds), "LSTM and GRU: the candidate's matrix." if gated else "",
             sentences(thinning, seeds_in_words(ds))]  # fmt: skip
    return legend_above_headings(look.apply(figure, theme, title=title, notes=notes, height=560))
