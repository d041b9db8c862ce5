"""How far solvers agree in *Continuous depth*: adjoint and solver, tolerance, Euler steps and the flow."""

from __future__ import annotations

from typing import Any

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.findings import times
from goldviz.figures.draft import Figure, Scatter
from goldviz.figures.elements import legend_above_headings, log_axis, power
from goldviz.figures.frames import Words
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite, positive, sentences
from goldviz.labs.continuous_depth.figures.quantities import figure, setting_of
from goldviz.models.continuous.methods import BY_LIBRARY_NAME

AFTER_TRAINING = "Measured after training."
COUNTS = [20, 50, 100, 200, 500, 1000, 2000, 5000]
WITHOUT_FLOW = "Only a neural ODE has an adjoint equation: train one beside the residual network."


@figure(
    "Is the adjoint right?",
    shows="How far the adjoint's gradient is from the one through the steps, and its cost.",
)
def adjoint(plot: Plot) -> Figure:
    """How far the adjoint's gradient is from the one through the solver's own steps, and what its way back costs.

    Both are gradients of nearly the same loss: the solver's own is exact for the steps that were taken, the adjoint's
    is that of the flow, to the solver's tolerance (Chen et al. 2018).
    """
    ds = plot.ds
    if "gradient_difference" not in ds and "loss" in ds and "ode" not in plot.networks:
        return plot.instead(WITHOUT_FLOW)
    if words := plot.lacks("gradient_difference", "adjoint_cost"):
        return plot.instead(words)
    plot.panels(["Distance of the two gradients, relative", "Evaluations back for each one forward"])
    plot.curve(positive(plot.thinned("gradient_difference")), "ode", row=1)
    plot.curve(finite(plot.thinned("adjoint_cost")), "ode", row=2)
    plot.step_grid()
    plot.log_axis("gradient_difference", "Distance", row=1)
    plot.linear_axis("adjoint_cost", "Ratio", row=2)
    plot.reference(0.01, "1 %", every_panel=False)
    return legend_above_headings(plot.finish(plot.drawn(), height=560, legend=False))


@figure(
    "What does accuracy cost?",
    shows="Evaluations of the field, and the error, by the solver's tolerance.",
)
def tolerance(plot: Plot) -> Figure:
    """Evaluations of the trained field and the error of the end points, over dopri5's relative tolerance.

    The tolerance is a promise for one step, so the error at the end may be larger or smaller than it.
    """
    ds = plot.ds
    if words := _after(plot, "evaluations_by_tolerance", "error_by_tolerance"):
        return plot.instead(words)
    plot.panels(["Evaluations of the field", "Mean error of the end points"])
    x = ds["tolerance"].values
    for row, name in enumerate(("evaluations_by_tolerance", "error_by_tolerance"), start=1):
        for network in plot.networks:
            plot.curve(positive(ds[name].sel(network=network)).expand_dims("seed"), network, row=row)
        axis = log_axis(plot.limit(name))
        if row == 1:
            axis = {"type": "log", "range": axis["range"], "tickvals": COUNTS, "ticktext": [str(n) for n in COUNTS]}
        plot.figure.update_yaxes(title_text="Evaluations" if row == 1 else "Error (units of h)", **axis, row=row)
    _dotted(plot, x, x, row=2)
    powers = [power(round(np.log10(value))) for value in x]
    plot.figure.update_xaxes(
        type="log", range=(-0.6, -8.4), tickvals=x, ticktext=powers, unifiedhovertitle_text="tolerance %{x:.0e}"
    )
    plot.figure.update_xaxes(title_text="Relative tolerance (tighter to the right)", row=2)
    own, method = setting_of(ds, "tolerance"), BY_LIBRARY_NAME.get(str(setting_of(ds, "method")))
    has_own = own is not None and method is not None and method.adaptive and "ode" in plot.networks
    if has_own:
        plot.figure.add_vline(x=own, line={"color": plot.ink.muted, "width": 1.5, "dash": "dash"})
    lines = sentences("Dotted: error = tolerance.", "Dashed: used in training." if has_own else "")
    return legend_above_headings(plot.finish(_measured(plot), lines, height=600))


def _dotted(plot: Plot, x: Any, y: Any, row: int | None = None) -> None:
    """A line of theory, dotted and grey."""
    line = {"color": plot.ink.muted, "width": 1.5, "dash": "dot"}
    plot.figure.scatter(x=x, y=y, mode="lines", showlegend=False, hoverinfo="skip", line=line, row=row)


@figure(
    "Do more blocks become the flow?",
    shows="How far a residual network's end points are from the flow's, by its blocks.",
    cannot_show="What networks trained with that many blocks would do.",
)
def euler_steps(plot: Plot) -> Figure:
    """How far the end points of L Euler steps, a residual network of L blocks, are from those of the flow.

    Doubling the blocks halves the distance once they are many (document 001, eq. 28-29). A star marks the number that
    a network was trained with: a large distance there is a network that learned its steps.
    """
    ds = plot.ds
    if words := _after(plot, "error_by_blocks"):
        return plot.instead(words)
    x = ds["steps_taken"].values.astype(float)
    has_star = False
    for network in plot.networks:
        errors = positive(ds["error_by_blocks"].sel(network=network)).assign_coords(steps_taken=x)
        plot.curve(errors.expand_dims("seed"), network)
        own_steps = _trained_steps(ds, network)
        if own_steps in x and np.isfinite(errors.sel(steps_taken=own_steps)):
            has_star = True
            plot.add(
                Scatter(
                    x=[own_steps],
                    y=[float(errors.sel(steps_taken=own_steps))],
                    mode="markers",
                    showlegend=False,
                    marker={
                        "symbol": "star",
                        "size": 16,
                        "color": plot.look_of(network).colour,
                        "line": {"width": 1.5, "color": plot.ink.background},
                    },
                    hoverinfo="skip",
                )
            )
    last = positive(ds["error_by_blocks"]).isel(steps_taken=-1).max("network")
    if np.isfinite(last):
        _dotted(plot, x, float(last) * x[-1] / x)
    plot.figure.update_xaxes(
        type="log",
        tickvals=x,
        title_text="Euler steps (blocks with shared weights)",
        range=(-0.08, np.log10(x[-1]) + 0.08),
        unifiedhovertitle_text="%{x} steps",
    )
    plot.log_axis("error_by_blocks", "Mean distance (units of h)")
    lines = sentences("Dotted: slope −1.", "Star: trained." if has_star else "")
    return plot.finish(_halving(plot), lines, _measured(plot))


def _trained_steps(ds: Run, network: str) -> int | None:
    """With how many Euler steps a network was trained; None for another solver."""
    if network == "residual":
        return _whole(setting_of(ds, "blocks"))
    return _whole(setting_of(ds, "solver_steps")) if setting_of(ds, "method") == "euler" else None


def _whole(value: Any) -> int | None:
    return int(value) if value is not None else None


def _halving(plot: Plot) -> Words:
    """By what the last doubling of the steps divides the distance."""
    errors = positive(plot.ds["error_by_blocks"])
    ratios = errors.isel(steps_taken=-2) / errors.isel(steps_taken=-1)
    return plot.each(ratios, times, within="128 → 256 steps divide it by: {}.")


def _measured(plot: Plot) -> str:
    """When this was measured, and of which of several seeds."""
    return sentences(AFTER_TRAINING, "First seed." if plot.ds.sizes.get("seed", 1) > 1 else "")


def _after(plot: Plot, *names: str) -> str:
    """Why what is measured after training cannot be drawn; empty if it can."""
    if any(name not in plot.ds for name in names) and plot.ds.attrs.get("status") != "finished":
        return f"{AFTER_TRAINING} It follows when the last step is taken."
    return plot.lacks(*names)
