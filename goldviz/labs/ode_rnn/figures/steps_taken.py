"""Whether *ODE-RNN*'s solver is good enough for its field: refined errors, evaluations, stiffness, saturation."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import xarray as xr

from goldviz.diagnostics.findings import percent, times
from goldviz.figures import theme as look
from goldviz.figures.elements import (
    MARKERS_UP_TO,
    add_curve,
    epoch_axis,
    log_axis,
    mark_epochs,
    panels,
    worded,
)
from goldviz.figures.limits import Limits
from goldviz.figures.reading import (
    Band,
    absence,
    averaged,
    finite,
    positive,
    recorded,
    run_label,
    seeds_in_words,
    sentences,
    thinned,
)
from goldviz.figures.theme import INKS, Theme, style_of
from goldviz.labs.ode_rnn.figures.quantities import legend_below, limit_of, refined_ratio


def consistency(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """The ODE-RNN's error with the steps of training and with steps four times as fine, over training, and their ratio.

    If refining the steps changes the error by more than a tenth, the network has learned its solver's map and not an
    ODE (document 001, eq. 31-32).
    """
    title = "Is it an ODE that was learned?"
    if words := absence(ds, "refined_error", "error"):
        return worded(words, title=title, theme=theme)
    kept, thinning = thinned(ds.sizes["look"], noun="look")
    looks = ds["look"].values[kept]
    figure = panels(["Error of the next value", "Refined error / error"], theme)
    own = positive(ds["error"].sel(network="ode_rnn")).isel(look=kept)
    add_curve(figure, "ode_rnn", looks, Band.of(own), row=1, hover="as trained %{y:.3~g}")
    style, refined = style_of("ode_rnn"), Band.of(positive(ds["refined_error"]).isel(look=kept))
    figure.add_trace(
        go.Scatter(x=looks, y=refined.middle, name="steps four times as fine", hovertemplate="refined %{y:.3~g}",
                   mode="lines+markers" if len(looks) <= MARKERS_UP_TO else "lines",
                   line={"color": style.colour, "dash": "dot", "width": 2},
                   marker={"symbol": "circle-open", "size": 9}),
        row=1, col=1,
    )  # fmt: skip
    ratio = positive(refined_ratio(ds)).isel(look=kept)
    add_curve(figure, "ode_rnn", looks, Band.of(ratio), row=2, legend=False)
    step_axis(figure, ds, limits)
    figure.update_yaxes(title_text="Squared error", **log_axis(limit_of("consistency", ds, limits)), row=1)
    figure.update_yaxes(title_text="Ratio", **log_axis(limit_of("refined_ratio", ds, limits)), row=2)
    for line in (1.1, 1 / 1.1):
        figure.add_hline(y=line, row=2, line={"color": INKS[theme].accent, "width": 1.5, "dash": "dot"})
    mark_epochs(figure, ds, epoch, theme)
    notes = [run_label(ds), _difference(ds, epoch), sentences("Dotted lines: 10 % more or less.", thinning,
                                                             seeds_in_words(ds))]  # fmt: skip
    look.apply(figure, theme, title=title, notes=notes, height=560)
    return legend_below(figure, 2, headed=True)


def _difference(ds: xr.Dataset, epoch: int | None) -> str:
    at = recorded(ds, epoch, "look")
    ratio = float(positive(refined_ratio(ds).sel(look=at)).median("seed"))
    return f"Step {at}: refining the steps multiplies the error by {ratio:.3g}." if np.isfinite(ratio) else ""


def evaluations(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """Evaluations of the field in each step, its largest stretching along the paths, and its saturated units.

    A solver that chooses its own steps takes more as the field grows stiff; one with fixed steps pays no more and errs.
    """
    title = "Does the field grow stiff?"
    if words := absence(ds, "evaluations"):
        return worded(words, title=title, theme=theme)
    looked = not absence(ds, "field_stiffness", "field_saturation")
    headings = ["Evaluations for a batch, forward"]
    headings += ["Spectral norm of df/dh, largest", "Share of saturated units"] if looked else []
    figure = panels(headings, theme)
    counts, averaging = averaged(ds["evaluations"], "step")
    add_curve(figure, "ode_rnn", counts["step"].values, Band.of(counts), row=1, legend=False)
    figure.update_yaxes(title_text="Evaluations", range=limit_of("evaluations", ds, limits), row=1)
    if looked:
        kept, _ = thinned(ds.sizes["look"], noun="look")
        looks = ds["look"].values[kept]
        stiffness, saturation = positive(ds["field_stiffness"]), finite(ds["field_saturation"])
        add_curve(figure, "ode_rnn", looks, Band.of(stiffness.isel(look=kept)), row=2, legend=False)
        add_curve(figure, "ode_rnn", looks, Band.of(saturation.isel(look=kept)), row=3, legend=False, hover="%{y:.1%}")
        figure.update_yaxes(title_text="Norm", **log_axis(limit_of("stiffness", ds, limits)), row=2)
        figure.update_yaxes(title_text="Share", range=limit_of("saturation", ds, limits), tickformat=".0%", row=3)
    step_axis(figure, ds, limits)
    mark_epochs(figure, ds, epoch, theme)
    notes = [run_label(ds), _stiffness(ds, epoch) if looked else "", sentences(averaging, seeds_in_words(ds))]
    look.apply(figure, theme, title=title, notes=notes, height=620 if looked else 400, legend=False)
    figure.update_layout(margin_t=figure.layout.margin.t + 14)
    return figure


def _stiffness(ds: xr.Dataset, epoch: int | None) -> str:
    """The answer: stiffness at the first look and now, and the share of saturated units now."""
    at = recorded(ds, epoch, "look")
    norms = positive(ds["field_stiffness"]).median("seed")
    first, now = float(norms.isel(look=0)), float(norms.sel(look=at))
    if not (np.isfinite(first) and np.isfinite(now)):
        return ""
    share = float(finite(ds["field_saturation"]).sel(look=at).median("seed"))
    saturated = f", {percent(share)} saturated" if np.isfinite(share) else ""
    return f"Step {at}: norm {times(now)}, at first {times(first)}{saturated}."


def step_axis(figure: go.Figure, ds: xr.Dataset, limits: Limits | None) -> None:
    """The axis of steps of every panel, the same in all figures over training."""
    epoch_axis(figure, limit_of("step", ds, limits), "Step")
    figure.update_xaxes(unifiedhovertitle_text="step %{x}", showgrid=True)
