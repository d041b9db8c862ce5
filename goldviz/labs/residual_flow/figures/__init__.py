"""The figures of *Residual steps to flow*: the plane, and how fast residual networks and solvers come near the flow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.figures.chart import at, axis, bound, changed, dots, figure, here, lines, panel, rule
from goldviz.figures.limits import Values, log10
from goldviz.figures.marks import Lines, Mark
from goldviz.figures.plot import Plot
from goldviz.figures.theme import with_alpha
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.residual_flow.figures.plane import NETWORK, carried, depth_sentence, flow, outside_sentence
from goldviz.labs.residual_flow.settings import ALWAYS_DRAWN, ResidualFlow
from goldviz.models.continuous.methods import METHODS

__all__ = ["FIGURES", "depth_sentence", "outside_sentence", "picture"]

MEASURED = partial(lines, mode="lines+markers", hover="%{y:.3g}")
STEPS = [2**power for power in range(9)]
BY_STEPS = partial(
    axis, scale="free", type="log", showgrid=False, tickvals=STEPS, range=[-0.08, float(np.log10(STEPS[-1])) + 0.08]
)
OF_DOPRI5 = partial(MEASURED, over="asked", colour=METHODS["dopri5"].colour, symbol="square", width=2.5)
UNREAD = {"hoverinfo": "skip"}


def _measured(name: str) -> partial[Lines]:
    """A curve in the look of a method of fixed steps."""
    method = METHODS[name]
    return partial(MEASURED, colour=method.colour, dash=method.dash, symbol=method.symbol, width=2.5)


def _yours(of: Callable[[Plot], Array], hover: str = "%{y:.3g}") -> Mark:
    """A star at the network's own number of blocks."""
    blocks = _last("layer")
    return dots(of, x=blocks, name="your network", colour="accent", symbol="star", size=14, hover=hover)


def _last(name: str) -> Callable[[Plot], Array]:
    return lambda plot: plot.ds[name][-1:]


def lost_runs(ds: Run) -> str:
    """Which runs left all numbers behind, in words; empty if none did."""
    runs = []
    for name in ds["solver"].values:
        steps = ds["steps"].values[~np.isfinite(ds["end_error"].sel(solver=name).values)]
        if steps.size:
            runs.append(f"{METHODS[str(name)].words} at {', '.join(str(step) for step in steps)}")
    return f"Left out, too far to measure: {'; '.join(runs)} steps." if runs else ""


def _of_theory(name: str) -> Callable[[Plot], Array]:
    """The slope of theory through a solver's last error, over the last three doublings."""

    def slope(plot: Plot) -> Array:
        of_solver, steps = plot.ds.sel(solver=name), plot.ds["steps"].values.astype(float)
        errors = of_solver["end_error"]
        last = max(np.flatnonzero(np.isfinite(log10(errors).values)), default=0)
        theory = float(errors[last]) * (steps / steps[last]) ** -float(of_solver["order"])
        return errors.copy(data=theory)[max(0, last - 3) :]

    return slope


def _solvers(plot: Plot) -> Sequence[Mark]:
    """Each solver's errors under the slope that was measured, and dotted that of theory; and the network's own."""
    marks: list[Mark] = []
    for name, order, slope in zip(*(plot.ds[one].values for one in ("solver", "order", "slope")), strict=True):
        method = METHODS[str(name)]
        measured = f"slope {slope:.2f}".replace("-", "−") if np.isfinite(slope) else "no slope"
        called = f"{method.words}{' (residual)' if name == 'euler' else ''}: {measured} (theory −{order:g})"
        thin = partial(lines, colour=with_alpha(method.colour, 0.7), dash="dot", width=1.5, legend=False, more=UNREAD)
        marks += [
            _measured(str(name))(at("end_error", solver=name), over="steps", name=called),
            thin(_of_theory(str(name)), over="steps"),
        ]
    is_near = np.isfinite(log10(plot.ds["distance_largest"]).values[-1])
    return [*marks, *([_yours(_last("distance_largest"))] if is_near else [])]


def _errors(ds: Run) -> Values:
    return np.append(log10(ds["end_error"]).values, log10(ds["distance_largest"]).values[-1])


def _distances(plot: Plot) -> Sequence[Mark]:
    """After every block: at depth 0 network and flow start together."""
    after = partial(changed, change=lambda values: values[1:])
    mode = "lines+markers" if plot.ds.sizes["layer"] <= 41 else "lines"
    line = partial(MEASURED, x=after("layer_depth"), over="layer", colour="residual", symbol="diamond", mode=mode)
    return [
        line(after("distance_largest"), name="the point farthest off", dash="dash", width=3),
        line(after("distance_median"), name="half of the points are nearer", dash="dot"),
    ]


def _lost_at(plot: Plot) -> str:
    block = int(plot.ds.attrs["lost_at"])
    return f"From block {block} on the farthest point is too far to measure." if block else ""


def _whole_depth(plot: Plot) -> dict[str, Any]:
    duration = plot.ds.attrs["duration"]
    return {"range": [-0.03 * duration, 1.03 * duration], "showgrid": False, "hoverformat": ".3g"}


def _shares_in_view(plot: Plot) -> dict[str, Any]:
    low = min(100 * float(plot.ds["right_by_steps"].min()), 100 * plot.ds.attrs["flow_right"], 80.0)
    return {"range": [low - 4, 102], "dtick": 10 if low < 70 else 5}


def tolerance_sentence(ds: Run) -> str:
    """dopri5's two slopes, measured and of theory."""
    error, cost = ds.attrs["adaptive_slope"], ds.attrs["evaluations_slope"]
    if not np.isfinite(error):
        return "dopri5 did not arrive often enough for a slope."
    return f"Slope of the error {error:.2f}, theory about 1; of the evaluations {cost:.2f}, theory −0.20.".replace(
        "-", "−"
    )


FIGURES = bound(
    ResidualFlow,
    # Two planes, whose axes are one scale.
    figure(
        "carried",
        "Where do the blocks carry the points?",
        needs=("network",),
        shows="The residual network's states at this depth.",
        position="ds",
        draw=carried,
    ),
    figure(
        "flow",
        "Where does the same field's flow carry them?",
        needs=("true_class",),
        shows="The flow (document 001, eq. 29-30) of the field whose steps the network takes.",
        position="ds",
        draw=flow,
    ),
    figure(
        "convergence",
        "How fast does the network become the flow?",
        _solvers,
        needs=("end_error",),
        shows="The largest distance from the flow's end, by steps and solver.",
        over="steps",
        x=BY_STEPS("Number of equal steps (blocks)"),
        y=axis("Largest error at the end (units of h)", scale="log", read=_errors),
        notes=(lambda plot: lost_runs(plot.ds), "Dotted: the slopes of theory."),
        legend="below",
        height=520,
        layout={"margin_b": 165, "legend_y": -0.17},
    ),
    figure(
        "right",
        "How many blocks part the two classes?",
        _measured("euler")(
            lambda plot: 100 * plot.ds["right_by_steps"],
            over="steps",
            name="residual blocks of this field",
            hover="%{y:.1f} %",
        ),
        _yours(lambda plot: plot.ds["layer"][-1:].copy(data=[100 * plot.ds.attrs["network_right"]]), "%{y:.1f} %"),
        rule(y=lambda plot: 100 * plot.ds.attrs["flow_right"], words="the flow", end=0),
        needs=("right_by_steps",),
        shows="The share of both curves on its own side of the line.",
        cannot_show="What networks trained with that many blocks would reach.",
        over="steps",
        x=BY_STEPS("Number of blocks"),
        y=axis("On their own side (%)", scale="free", told=_shares_in_view),
        notes=(lambda plot: f"The flow itself: {100 * plot.ds.attrs['flow_right']:.1f} %.",),
        legend="below",
        height=520,
        layout={"legend_y": -0.17},
    ),
    figure(
        "distance",
        "Where along the depth do they part?",
        _distances,
        here("view", lambda plot: plot.ds.attrs["duration"] * plot.ds.attrs["view"] / 100),
        needs=("distance_largest",),
        shows="How far each point of the network is from the flow's, block by block.",
        x=axis("Depth t (no unit)", scale="free", told=_whole_depth),
        y=axis("Distance to the flow (units of h)", "distance_largest", "distance_median", scale="log"),
        notes=("At depth 0 both start from the same points.", _lost_at),
        legend="below",
        height=440,
        position="ds",
    ),
    figure(
        "tolerance",
        "What does a solver cost that chooses its own steps?",
        panel(
            OF_DOPRI5("adaptive_error", name="error"),
            lines(
                lambda plot: plot.ds["asked"],
                over="asked",
                name="error = tolerance",
                colour="accent",
                dash="dot",
                width=1.5,
                more=UNREAD,
            ),
            heading="Error at the end",
            y=axis("Units of h", "adaptive_error", "asked", scale="log"),
        ),
        panel(
            OF_DOPRI5("evaluations", name="evaluations", hover="%{y:.0f}"),
            heading="Evaluations of f",
            y=axis("Number", "evaluations", scale="log"),
        ),
        title="What does a solver cost that picks its steps?",
        needs=("adaptive_error",),
        instead=lambda ds: "" if np.isfinite(ds["adaptive_error"].values).any() else tolerance_sentence(ds),
        shows="dopri5's error and its evaluations of f, by tolerance.",
        x=axis(
            "Tolerance asked for, relative and absolute",
            scale="free",
            type="log",
            autorange="reversed",
            showgrid=False,
            dtick=1,
        ),
        notes=(
            lambda plot: tolerance_sentence(plot.ds),
            "Dotted: error equal to tolerance. The batch is one problem with one step.",
        ),
        legend="none",
        height=440,
    ),
)


def picture(ds: Run) -> str:
    """The home page's picture: the error of three solvers over the number of steps, log scale."""
    errors = log10(ds["end_error"])
    return polyline_svg(
        [
            Curve("residual", errors.sel(solver="euler").values, NETWORK.colour, "dash"),
            *(
                Curve(METHODS[name].words, errors.sel(solver=name).values, METHODS[name].colour, METHODS[name].dash)
                for name in ALWAYS_DRAWN[1:]
            ),
        ],
        label="Distance of a residual network, and of two better solvers, from the flow over the number of steps.",
        axes=("steps", "distance, log scale"),
    )
