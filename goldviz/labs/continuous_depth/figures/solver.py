"""How far solvers agree in *Continuous depth*: adjoint and solver, tolerance, Euler steps and the flow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go
import xarray as xr

from goldviz.diagnostics.findings import percent, times
from goldviz.figures import theme as look
from goldviz.figures.elements import (
    legend_above_headings,
    log_axis,
    mark_epochs,
    panels,
    power,
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
    thinned,
)
from goldviz.figures.theme import INKS, Theme
from goldviz.labs.continuous_depth.figures.quantities import DEPTH_NETWORKS, depth_curve, limit_of, setting_of
from goldviz.labs.continuous_depth.figures.training import step_axis

AFTER_TRAINING = "Measured once, when training is done."
COUNTS = [20, 50, 100, 200, 500, 1000, 2000, 5000]
WITHOUT_FLOW = "Only a neural ODE has an adjoint equation: train one beside the residual network."


def adjoint(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """How far the adjoint's gradient is from the one through the solver's own steps, and what its way back costs.

    Both are gradients of nearly the same loss: the solver's own is exact for the steps that were taken, the adjoint's
    is that of the flow, to the solver's tolerance (Chen et al. 2018).
    """
    title = "Is the adjoint right?"
    if "gradient_difference" not in ds and "ode" not in ds.get("network", xr.DataArray([])).values and "loss" in ds:
        return worded(WITHOUT_FLOW, title=title, theme=theme)
    if words := absence(ds, "gradient_difference", "adjoint_cost"):
        return worded(words, title=title, theme=theme)
    kept, thinning = thinned(ds.sizes["look"], noun="look")
    figure = panels(["Distance of the two gradients, relative", "Evaluations back for each one forward"], theme)
    for row, name in enumerate(("gradient_difference", "adjoint_cost"), start=1):
        values = ds[name].isel(look=kept)
        band = Band.of(positive(values) if row == 1 else finite(values))
        depth_curve(figure, "ode", values["look"].values, band, row=row, legend=row == 1)
    step_axis(figure, ds, limits)
    figure.update_yaxes(title_text="Distance", **log_axis(limit_of("gradient_difference", ds, limits)), row=1)
    figure.update_yaxes(title_text="Ratio", range=limit_of("adjoint_cost", ds, limits), row=2)
    reference_line(figure, 0.01, "1 %", theme, every_panel=False)
    mark_epochs(figure, ds, epoch, theme)
    at = recorded(ds, epoch, "look")
    apart = float(finite(ds["gradient_difference"].sel(look=at)).median())
    words = f"At step {at} they differ by {_small_share(apart)}." if np.isfinite(apart) else ""
    notes = [run_label(ds), words, sentences(thinning, seeds_in_words(ds))]
    return legend_above_headings(look.apply(figure, theme, title=title, notes=notes, height=560, legend=False))


def _small_share(share: float) -> str:
    """A share in per cent, with a digit more below one."""
    return percent(share) if share >= 0.1 else f"{100 * share:.2g} %"


def tolerance(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """Evaluations of the trained field and the error of the end points, over dopri5's relative tolerance.

    The tolerance is a promise for one step, so the error at the end may be larger or smaller than it.
    """
    title = "What does accuracy cost?"
    if words := _after(ds, "evaluations_by_tolerance", "error_by_tolerance"):
        return worded(words, title=title, theme=theme)
    figure = panels(["Evaluations of the field", "Mean error of the end points"], theme)
    x = ds["tolerance"].values
    for row, name in enumerate(("evaluations_by_tolerance", "error_by_tolerance"), start=1):
        for network in networks(ds):
            _once_curve(figure, network, x, positive(ds[name].sel(network=network)), row)
        axis = log_axis(limit_of(name, ds, limits))
        if row == 1:
            axis = {"type": "log", "range": axis["range"], "tickvals": COUNTS, "ticktext": [str(n) for n in COUNTS]}
        figure.update_yaxes(title_text="Evaluations" if row == 1 else "Error (units of h)", **axis, row=row)
    figure.add_trace(
        go.Scatter(x=x, y=x, mode="lines", showlegend=False, hoverinfo="skip",
                   line={"color": INKS[theme].accent, "width": 1.5, "dash": "dot"}),
        row=2, col=1,
    )  # fmt: skip
    figure.update_xaxes(type="log", range=(-0.6, -8.4), tickvals=x, ticktext=[power(round(np.log10(v))) for v in x],
                        unifiedhovertitle_text="tolerance %{x:.0e}")  # fmt: skip
    figure.update_xaxes(title_text="Relative tolerance (tighter to the right)", row=2)
    own, adaptive = setting_of(ds, "tolerance"), setting_of(ds, "method") in ("dopri5", "bosh3")
    marked = own is not None and adaptive and "ode" in networks(ds)
    if marked:
        figure.add_vline(x=own, line={"color": INKS[theme].muted, "width": 1.5, "dash": "dash"})
    notes = [run_label(ds), sentences(AFTER_TRAINING, "First seed."),
             sentences("Dotted: error = tolerance.", "Dashed: used in training." if marked else "")]  # fmt: skip
    return legend_above_headings(look.apply(figure, theme, title=title, notes=notes, height=600))


def euler_steps(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """How far the end points of L Euler steps, a residual network of L blocks, are from those of the flow.

    Doubling the blocks halves the distance once they are many (document 001, eq. 28-29). A star marks the number that
    a network was trained with: a large distance there is a network that learned its steps.
    """
    title = "Do more blocks become the flow?"
    if words := _after(ds, "error_by_blocks"):
        return worded(words, title=title, theme=theme)
    figure = go.Figure()
    x = ds["steps_taken"].values.astype(float)
    starred = False
    for network in networks(ds):
        errors = positive(ds["error_by_blocks"].sel(network=network))
        _once_curve(figure, network, x, errors, None)
        trained = _trained_steps(ds, network)
        if trained in x and np.isfinite(errors.sel(steps_taken=trained)):
            starred = True
            figure.add_trace(
                go.Scatter(x=[trained], y=[float(errors.sel(steps_taken=trained))], mode="markers", showlegend=False,
                           marker={"symbol": "star", "size": 16, "color": DEPTH_NETWORKS[network].colour,
                                   "line": {"width": 1.5, "color": INKS[theme].background}}, hoverinfo="skip")
            )  # fmt: skip
    last = positive(ds["error_by_blocks"]).isel(steps_taken=-1).max("network")
    if np.isfinite(last):
        figure.add_trace(
            go.Scatter(x=x, y=float(last) * x[-1] / x, mode="lines", showlegend=False, hoverinfo="skip",
                       line={"color": INKS[theme].accent, "width": 1.5, "dash": "dot"})
        )  # fmt: skip
    figure.update_xaxes(type="log", tickvals=x, title_text="Euler steps (blocks with shared weights)",
                        range=(-0.08, np.log10(x[-1]) + 0.08), unifiedhovertitle_text="%{x} steps")  # fmt: skip
    figure.update_yaxes(title_text="Mean distance (units of h)", **log_axis(limit_of("error_by_blocks", ds, limits)))
    notes = [run_label(ds), _halving(ds), sentences("Dotted: slope −1.", "Star: trained so." if starred else ""),
             sentences(AFTER_TRAINING, "First seed.")]  # fmt: skip
    return look.apply(figure, theme, title=title, notes=notes)


def _trained_steps(ds: xr.Dataset, network: str) -> int | None:
    """With how many Euler steps a network was trained; None for another solver."""
    if network == "residual":
        return _whole(setting_of(ds, "blocks"))
    return _whole(setting_of(ds, "solver_steps")) if setting_of(ds, "method") == "euler" else None


def _whole(value: Any) -> int | None:
    return int(value) if value is not None else None


def _halving(ds: xr.Dataset) -> str:
    """By what the last doubling of the steps divides the distance."""
    parts = []
    for network in networks(ds):
        *_, before, after = positive(ds["error_by_blocks"].sel(network=network)).values
        if np.isfinite(before) and np.isfinite(after):
            parts.append(f"{DEPTH_NETWORKS[network].label} {times(before / after)}")
    return f"128 → 256 steps divide it by: {', '.join(parts)}." if parts else ""


def _once_curve(figure: go.Figure, network: str, x: Any, values: xr.DataArray, row: int | None) -> None:
    band = Band.of(values.expand_dims("seed"))
    depth_curve(figure, network, x, band, row=row, legend=row in (None, 1))


def _after(ds: xr.Dataset, *names: str) -> str:
    """Why what is measured after training cannot be drawn; empty if it can."""
    status: Mapping[str, Any] = ds.attrs
    if any(name not in ds for name in names) and status.get("status") not in ("finished",):
        return f"{AFTER_TRAINING} It follows when the last step is taken."
    return absence(ds, *names)
