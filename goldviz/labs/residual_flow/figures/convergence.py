"""How fast residual networks and solvers come near the flow: errors over steps, depth and tolerance."""

from __future__ import annotations

from typing import Any

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure
from goldviz.figures.elements import link, log_axis, panels, reference_line
from goldviz.figures.limits import decades
from goldviz.figures.maps import cursor, legend_below
from goldviz.figures.spec import drawn
from goldviz.figures.theme import INKS, NETWORKS, Theme, with_alpha
from goldviz.models.continuous.methods import METHODS


@drawn(
    "How fast does the network become the flow?",
    needs=("end_error",),
    shows="The largest distance from the flow's end, by steps and solver.",
)
def convergence(ds: Run, *, theme: Theme = "light") -> Figure:
    """The error at the end over the number of steps, with the slopes that are measured and those of theory."""
    steps, figure = ds["steps"].values.astype(float), Figure()
    finite_errors = []
    for name in ds["solver"].values:
        method, of_solver = METHODS[str(name)], ds.sel(solver=name)
        colour = method.colour
        errors = _positive(of_solver["end_error"])
        order, slope = float(of_solver["order"]), float(of_solver["slope"])
        slope_words = f"slope {slope:.2f}".replace("-", "−") if np.isfinite(slope) else "no slope"
        figure.scatter(
            x=steps,
            y=errors,
            name=f"{_words(str(name))}: {slope_words} (theory −{order:g})",
            mode="lines+markers",
            line={"color": colour, "dash": method.dash, "width": 2.5},
            marker={"symbol": method.symbol, "size": 8},
            hovertemplate="%{y:.3g}",
        )
        finite_errors.append(errors)
        usable = np.flatnonzero(np.isfinite(errors))
        if usable.size:
            last = usable[-1]
            theory = errors[last] * (steps / steps[last]) ** -order
            figure.scatter(
                x=steps[last - 3 :],
                y=theory[last - 3 :],
                mode="lines",
                showlegend=False,
                hoverinfo="skip",
                line={"color": with_alpha(colour, 0.7), "width": 1.5, "dash": "dot"},
            )
    here = float(ds["distance_largest"].values[-1])
    if np.isfinite(here) and here > 0:
        figure.scatter(
            x=[ds.attrs["blocks"]],
            y=[here],
            name="your network",
            mode="markers",
            marker={"size": 14, "symbol": "star", "color": INKS[theme].accent},
            hovertemplate="%{y:.3g}",
        )
        finite_errors.append(np.array([here]))
    notes = [lost_runs(ds), "Dotted: the slopes of theory."]
    look.apply(figure, theme, title="How fast does the network become the flow?", notes=notes, height=520)
    legend_below(figure)
    figure.update_layout(margin={"t": figure.layout.margin.t + 14, "b": 165}, legend_y=-0.17)
    figure.update_xaxes(
        title_text="Number of equal steps (blocks)",
        type="log",
        showgrid=False,
        tickvals=[1, 2, 4, 8, 16, 32, 64, 128, 256],
        range=[-0.08, np.log10(256) + 0.08],
    )
    link(figure, "x", "blocks")
    return figure.update_yaxes(title_text="Largest error at the end (units of h)", **_over(*finite_errors))


def lost_runs(ds: Run) -> str:
    """Which runs left all numbers behind, in words; empty if none did."""
    runs = []
    for name in ds["solver"].values:
        steps = ds["steps"].values[~np.isfinite(ds["end_error"].sel(solver=name).values)]
        if steps.size:
            runs.append(f"{METHODS[str(name)].words} at {', '.join(str(step) for step in steps)}")
    return f"Left out, too far to measure: {'; '.join(runs)} steps." if runs else ""


def _words(name: str) -> str:
    return f"{METHODS[name].words} (residual)" if name == "euler" else METHODS[name].words


@drawn(
    "How many blocks part the two classes?",
    name="right",
    needs=("right_by_steps",),
    shows="The share of both curves on its own side of the line.",
    cannot_show="What networks trained with that many blocks would reach.",
)
def right_by_blocks(ds: Run, *, theme: Theme = "light") -> Figure:
    """The share of points on their own side of the read-out's line, over the number of blocks."""
    euler = METHODS["euler"]
    steps, shares = ds["steps"].values, 100 * ds["right_by_steps"].values
    figure = Figure().scatter(
        x=steps,
        y=shares,
        name="residual blocks of this field",
        mode="lines+markers",
        line={"color": euler.colour, "dash": euler.dash, "width": 2.5},
        marker={"symbol": euler.symbol, "size": 8},
        hovertemplate="%{y:.1f} %",
    )
    figure.scatter(
        x=[ds.attrs["blocks"]],
        y=[100 * ds.attrs["network_right"]],
        name="your network",
        mode="markers",
        marker={"size": 14, "symbol": "star", "color": INKS[theme].accent},
        hovertemplate="%{y:.1f} %",
    )
    flow = 100 * ds.attrs["flow_right"]
    look.apply(
        figure,
        theme,
        title="How many blocks part the two classes?",
        notes=[f"The flow itself: {flow:.1f} %."],
        height=520,
    )
    legend_below(figure)
    figure.update_layout(legend_y=-0.17)
    figure.update_xaxes(
        title_text="Number of blocks", type="log", showgrid=False, tickvals=steps, range=[-0.08, np.log10(256) + 0.08]
    )
    link(figure, "x", "blocks")
    low = min(float(shares.min()), flow, 80.0)
    figure.update_yaxes(title_text="On their own side (%)", range=[low - 4, 102], dtick=10 if low < 70 else 5)
    reference_line(figure, flow, "the flow", theme, x=0)
    return figure


@drawn(
    "Where along the depth do they part?",
    at="ds",
    needs=("distance_largest",),
    shows="How far each point of the network is from the flow's, block by block.",
)
def distance(ds: Run, *, theme: Theme = "light") -> Figure:
    """The distance between network and flow after every block."""
    depth, figure, distances = ds["layer_depth"].values, Figure(), []
    for name, words, dash, width in (
        ("distance_largest", "the point farthest off", "dash", 3),
        ("distance_median", "half of the points are nearer", "dot", 2),
    ):
        values = _positive(ds[name])
        figure.scatter(
            x=depth[1:],
            y=values[1:],
            name=words,
            mode="lines+markers" if len(depth) <= 41 else "lines",
            line={"color": NETWORKS["residual"].colour, "dash": dash, "width": width},
            marker={"symbol": "diamond", "size": 7},
            hovertemplate="%{y:.3g}",
        )
        distances.append(values[1:])
    last_block = int(ds.attrs["lost_at"])
    notes = [
        "At depth 0 both start from the same points.",
        f"From block {last_block} on the farthest point is too far to measure." if last_block else "",
    ]
    look.apply(figure, theme, title="Where along the depth do they part?", notes=notes, height=440)
    legend_below(figure)
    figure.update_layout(margin={"t": figure.layout.margin.t + 14, "b": 110})
    pad = 0.03 * ds.attrs["duration"]
    figure.update_xaxes(
        title_text="Depth t (no unit)", showgrid=False, range=[-pad, ds.attrs["duration"] + pad], hoverformat=".3g"
    )
    figure.update_yaxes(title_text="Distance to the flow (units of h)", **_over(*distances))
    cursor(figure, ds.attrs["duration"] * ds.attrs["view"] / 100, theme)
    return figure


@drawn(
    "What does a solver cost that chooses its own steps?",
    needs=("adaptive_error",),
    shows="dopri5's error and its evaluations of f, by tolerance.",
)
def tolerance(ds: Run, *, theme: Theme = "light") -> Figure:
    """dopri5's error and evaluations over its tolerance."""
    figure = panels(["Error at the end", "Evaluations of f"], theme)
    tolerances = ds["asked"].values
    errors, evaluations = _positive(ds["adaptive_error"]), _positive(ds["evaluations"])
    for row, values, words, hover in ((1, errors, "error", "%{y:.3g}"), (2, evaluations, "evaluations", "%{y:.0f}")):
        figure.scatter(
            x=tolerances,
            y=values,
            name=words,
            mode="lines+markers",
            line={"color": METHODS["dopri5"].colour, "width": 2.5},
            marker={"size": 8, "symbol": "square"},
            hovertemplate=hover,
            row=row,
        )
    equal = {"color": INKS[theme].accent, "width": 1.5, "dash": "dot"}
    figure.scatter(
        x=tolerances, y=tolerances, mode="lines", name="error = tolerance", line=equal, hoverinfo="skip", row=1
    )
    notes = [tolerance_sentence(ds), "Dotted: error equal to tolerance. The batch is one problem with one step."]
    look.apply(
        figure, theme, title="What does a solver cost that picks its steps?", notes=notes, legend=False, height=440
    )
    figure.update_layout(margin_t=figure.layout.margin.t + 14)
    figure.update_xaxes(type="log", autorange="reversed", showgrid=False, dtick=1)
    figure.update_layout(xaxis2_title_text="Tolerance asked for, relative and absolute")
    figure.update_yaxes(row=1, col=1, title_text="Units of h", **_over(errors, tolerances))
    return figure.update_yaxes(row=2, col=1, title_text="Number", **_over(evaluations))


def tolerance_sentence(ds: Run) -> str:
    """dopri5's two slopes, measured and of theory."""
    error, cost = ds.attrs["adaptive_slope"], ds.attrs["evaluations_slope"]
    if not np.isfinite(error):
        return "dopri5 did not arrive often enough for a slope."
    return f"Slope of the error {error:.2f}, theory about 1; of the evaluations {cost:.2f}, theory −0.20.".replace(
        "-", "−"
    )


def _positive(values: Array) -> np.ndarray:
    """What a log axis can show; NaN for the rest."""
    numbers = values.values.astype(float)
    return np.where(np.isfinite(numbers) & (numbers > 0), numbers, np.nan)


def _over(*arrays: np.ndarray) -> dict[str, Any]:
    values = np.concatenate([np.ravel(array) for array in arrays])
    finite = np.log10(values[np.isfinite(values)])
    if not finite.size:
        return {"type": "log"}
    low, high = decades(float(finite.min()), float(finite.max()))
    room = 0.03 * (high - low) if high - low > 2 else 0.0
    return log_axis((low - room, high + room))
