"""The figures of the laboratory *ODE-RNN*, in the order in which a page shows them.

``path``, ``latent``, ``plane``, ``jumps`` and ``solver`` draw in the same way what ``goldviz.labs.ode_rnn.path.path``
gives for observations that were edited, which has no looks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.figures import along_sequence
from goldviz.figures.chart import Panel, at, averaged, axis, curves, figure, limits_over, offered, panel, rule, thinned
from goldviz.figures.elements import log_axis
from goldviz.figures.limits import Values, log10, log_of, values_of
from goldviz.figures.marks import Rule
from goldviz.figures.plot import Plot
from goldviz.figures.reading import absence, networks, positive
from goldviz.figures.theme import NETWORKS, style_of
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.ode_rnn.figures.by_gap import JUMPS, SOLVER
from goldviz.labs.ode_rnn.figures.path import path
from goldviz.labs.ode_rnn.figures.probe import TIME, legend_lines, of_first_channel
from goldviz.labs.ode_rnn.figures.states import LATENT, PLANE
from goldviz.labs.ode_rnn.settings import ODERNNLaboratory

FLOW = NETWORKS["ode_rnn"]
REFINED = replace(FLOW, label="steps four times as fine", dash="dot", symbol="circle-open")
WORDS_OF_PANEL = 0.14
"""What a line of words takes of a panel's height."""
ERRORS = ("error", "long_gap_error", "zero_error")


def _of_zero(plot: Plot, name: str, horizon: str) -> Sequence[Rule]:
    """The line of forecasting zero, its words on the side where fewer curves pass."""
    value = float("nan") if plot.lacks("zero_error") else float(plot.ds["zero_error"].sel(horizon=horizon))
    if not (np.isfinite(value) and value > 0):
        return []
    (low, high), drawn = plot.limit(f"{' + '.join(ERRORS)}, log"), positive(plot.thinned(name))
    steps = drawn.dims[0]
    under = np.log10(drawn.isel({steps: slice(drawn.sizes[steps] // 2, None)}).values) - np.log10(value)
    room = WORDS_OF_PANEL * (high - low)
    above, below = ((under > 0) & (under < room)).sum(), ((under < 0) & (under > -room)).sum()
    side = {"yanchor": "bottom" if above <= below else "top"}
    return [rule(y=value, words=f"predicting zero: {value:.3g}", more=side)]


def _errors(plot: Plot) -> Sequence[Panel]:
    recorded = [("error", "in range")] + ([] if plot.lacks("long_gap_error") else [("long_gap_error", "long gap")])
    return [panel(curves(thinned(name)), *_of_zero(plot, name, horizon)) for name, horizon in recorded]


def refined_ratio(ds: Run) -> Array:
    """The ODE-RNN's error with steps four times as fine over its own, by look and seed; NaN where it has none."""
    own = ds["error"].sel(network="ode_rnn", drop=True).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        return ds["refined_error"] / own.where(own > 0)


def _ratio(plot: Plot) -> Array:
    return positive(refined_ratio(plot.ds)).sel(look=plot.thinned("refined_error")["look"].values)


def _has_flow(ds: Run) -> bool:
    return "error" in ds and "ode_rnn" in ds["network"].values


def _of_consistency(ds: Run) -> Values:
    return log_of("error", "refined_error")(ds.sel(network=["ode_rnn"])) if _has_flow(ds) else np.array([])


def _of_ratio(ds: Run) -> Values:
    has_ratio = "refined_error" in ds and _has_flow(ds)
    tenths = 2 * np.log10([1 / 1.1, 1.1])
    return np.append(log10(refined_ratio(ds)).values.ravel(), tenths) if has_ratio else tenths


def _field(plot: Plot) -> Sequence[Panel]:
    if plot.lacks("field_stiffness", "field_saturation"):
        return []
    return [
        panel(curves(thinned("field_stiffness"), style=FLOW, legend=False), y=axis("Norm")),
        panel(curves(thinned("field_saturation"), style=FLOW, legend=False), y=axis("Share", tickformat=".0%")),
    ]


FIGURES, shared_limits = offered(
    ODERNNLaboratory,
    figure(
        "path",
        "What does each network know between two observations?",
        draw=path,
        title="What is known between observations?",
        needs=("decoded_mean", "decoded_scale", "probe_time", "probe_value"),
        limits={"time": TIME, "value": limits_over(of_first_channel)},
        shows="The forecast with its 90 % band, and its jump at each observation.",
        cannot_show="Other sequences.",
    ),
    # A network above the dotted line in the lower panel would do better to say nothing of gaps that it has not met.
    figure(
        "error",
        "Does it know how things go on?",
        _errors,
        needs=("error",),
        shows="The squared error on unseen sequences, after usual and longer gaps.",
        cannot_show="What a step of each network costs.",
        y=axis("Squared error", *ERRORS, scale="log"),
        height=lambda plot: 430 if plot.lacks("long_gap_error") else 600,
        legend="under",
        legend_lines=legend_lines,
    ),
    LATENT,
    PLANE,
    JUMPS,
    SOLVER,
    # If refining the steps changes the error by more than a tenth, the network has learned its solver's map and not an
    # ODE (document 001, eq. 31-32).
    figure(
        "consistency",
        "Is it an ODE that was learned, or the solver's map?",
        panel(
            curves(at(thinned("error"), network="ode_rnn"), style=FLOW, hover="as trained %{y:.3~g}"),
            curves(thinned("refined_error"), style=REFINED, hover="refined %{y:.3~g}", width=2),
            heading="Error of the next value",
            y=axis("Squared error", scale="log", read=_of_consistency),
        ),
        panel(
            curves(_ratio, over="look", style=FLOW, legend=False),
            rule(y=1.1, words="+10 %"),
            rule(y=1 / 1.1, words="−10 %", more={"yanchor": "top"}),
            heading="Refined error / error",
            y=axis("Ratio", scale="free", told=lambda plot: log_axis(plot.limit("refined_ratio"))),
        ),
        title="Is it an ODE that was learned?",
        needs=("refined_error", "error"),
        limits={"refined_ratio": limits_over(_of_ratio, "log")},
        shows="The error with these steps and with steps four times as fine.",
        cannot_show="Which is nearer to the truth.",
        height=560,
        legend="under",
        legend_lines=2,
    ),
    # Below the line a network is surer than it may be; above it, its bands say less than it knows.
    figure(
        "coverage",
        "Are the bands honest?",
        curves(thinned("coverage")),
        rule(y=0.9, words="90 % promised", end=0),
        cannot_show="Where they fail.",
        y=axis(None, read=lambda ds: np.append(values_of("coverage")(ds), [0.5, 1.0]), tickformat=".0%"),
        legend="under",
        legend_lines=legend_lines,
    ),
    # A solver that chooses its own steps takes more as the field grows stiff; one with fixed steps pays no more and
    # errs.
    figure(
        "evaluations",
        "Does the field grow stiff?",
        panel(curves(averaged("evaluations"), style=FLOW, legend=False), y=axis("Evaluations")),
        _field,
        needs=("evaluations",),
        axes=(axis(None, "field_stiffness", scale="log"), axis(None, "field_saturation", scale="zero")),
        shows="Evaluations a step, how much the field stretches, and its saturated units.",
        height=lambda plot: 400 if plot.lacks("field_stiffness", "field_saturation") else 620,
        legend="none",
    ),
    # Through each jump (document 001, eq. 33), and in the ODE-RNN also back through the flow between two (eq. 32).
    partial(
        along_sequence.state_gradient.of,
        name="gradient_by_observation",
        shows="How long dL/dh is after each observation.",
    ),
    "loss",
    # It goes under another name here.
    without=("state_gradient",),
)

PICTURE_POINTS = 240
"""Places in time at which the home page's picture is drawn: close enough for a jump to look upright."""


def picture(ds: Run) -> str:
    """The home page's picture: what the ODE-RNN says of the probe sequence over time, its jumps, and the signal."""
    label = "What the ODE-RNN expects over time: it bends between observations and jumps at each of them."
    if absence(ds, "decoded_mean") or "ode_rnn" not in networks(ds):
        return polyline_svg([], label=label)
    now = ds.isel(look=-1) if "look" in ds.dims else ds
    times, last = ds["moment"].values.astype(np.float64), float(ds["probe_time"].values[-1])
    places = np.linspace(times[0], last, PICTURE_POINTS)
    style = style_of("ode_rnn")
    mean = now["decoded_mean"].sel(network="ode_rnn").isel(channel=0).values
    curves = [Curve(style.label, np.interp(places, times, mean), style.colour)]
    if not absence(ds, "probe_truth"):
        truth = ds["probe_truth"].isel(channel=0).values
        curves.insert(0, Curve("signal", np.interp(places, times, truth), "#76808c", "dot"))
    return polyline_svg(curves, label=label, axes=("time", "value"))
