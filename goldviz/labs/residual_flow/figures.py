"""The figures of *Residual steps to flow*: the plane, and how fast residual networks and solvers come near the flow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.arrays.light import LightArray
from goldviz.figures.chart import at, axis, bound, changed, dots, figure, here, lines, panel, rule
from goldviz.figures.limits import log10
from goldviz.figures.marks import Lines, Mark
from goldviz.figures.plot import Plot
from goldviz.figures.theme import CLASSES, NETWORKS, with_alpha
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.residual_flow import measures
from goldviz.labs.residual_flow.settings import ALWAYS_DRAWN, ResidualFlow
from goldviz.models.continuous.methods import METHODS

NETWORK = NETWORKS["residual"]
MARKED_PATHS = 40
"""Blocks up to which every state of a path gets its marker."""
NAMES = {"h1": "h₁ (no unit)", "h2": "h₂ (no unit)", "h3": "h₃, the added coordinate (no unit)"}
PLACE = "(%{x:.3f}, %{y:.3f})"
MEASURED = partial(lines, mode="lines+markers", hover="%{y:.3g}")
STEPS = [2**power for power in range(9)]
BY_STEPS = partial(
    axis, scale="free", type="log", showgrid=False, tickvals=STEPS, range=[-0.08, float(np.log10(STEPS[-1])) + 0.08]
)
OF_DOPRI5 = partial(MEASURED, over="asked", colour=METHODS["dopri5"].colour, symbol="square", width=2.5)
UNREAD = {"hoverinfo": "skip"}
THEORY = partial(lines, dash="dot", width=1.5, more=UNREAD)


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
        thin = partial(THEORY, colour=with_alpha(method.colour, 0.7), legend=False)
        marks += [
            _measured(str(name))(at("end_error", solver=name), over="steps", name=called),
            thin(_of_theory(str(name)), over="steps"),
        ]
    is_near = np.isfinite(log10(plot.ds["distance_largest"]).values[-1])
    return [*marks, *([_yours(_last("distance_largest"))] if is_near else [])]


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


def _placed(mark: Callable[..., Mark], places: Any, **how: Any) -> Mark:
    """A mark at these places (..., 2) of the plane."""
    x, y = (LightArray(one, ("place",), {}) for one in np.reshape(places, (-1, 2)).T)
    return mark(lambda plot: y, x=lambda plot: x, **how)


def _arrows(ds: Run) -> Mark:
    """The direction of f on a grid, all arrows of one length; the speed is on hover."""
    velocity = ds["velocity"].values.reshape(-1, 2)
    return _placed(
        dots,
        np.stack(np.meshgrid(ds["x"].values, ds["y"].values), -1),
        symbol="arrow",
        size=9,
        colour="muted",
        marker={"opacity": 0.4, "angle": 90 - np.degrees(np.arctan2(velocity[:, 1], velocity[:, 0]))},
        hover="f = (%{customdata[0]:.3g}, %{customdata[1]:.3g})<extra></extra>",
        more={"showlegend": False, "customdata": velocity},
    )


def _paths(values: NDArray[Any], **how: Any) -> Mark:
    """Paths (state, traced, 2), each lifted off from the next."""
    gap = np.full((1, *values.shape[1:]), np.nan)
    return _placed(lines, np.concatenate([values, gap]).swapaxes(0, 1), **how)


def _flow_paths(plot: Plot) -> Mark:
    how = {"colour": with_alpha(plot.ink.text, 0.45), "width": 1.2, "legend": False, "more": UNREAD}
    return _paths(plot.ds["flow_path"].values, name="flow's paths", **how)


def _points(plot: Plot, values: NDArray[Any], name: str, symbol: str, colour: str, size: int = 6) -> Mark:
    edge = {} if symbol.endswith("open") else {"line": {"width": 0.6, "color": plot.ink.background}}
    how = {"symbol": symbol, "colour": colour, "size": size, "marker": edge, "hover": PLACE}
    return _placed(dots, values, name=name, **how)


def _classes(plot: Plot, points: NDArray[Any]) -> list[Mark]:
    """The points of each class, rings as closed curves, and the read-out's line."""
    ds, marks = plot.ds, []
    names = ("inner ring", "outer ring") if ds.attrs["closed"] else ("upper moon", "lower moon")
    for number, (colour, symbol, dash) in enumerate(CLASSES):
        own = points[ds["true_class"].values == number]
        if ds.attrs["closed"]:
            ring = partial(_placed, lines, np.concatenate([own, own[:1]]), width=3, hover=PLACE)
            marks.append(ring(name=names[number], colour=colour, dash=dash))
        else:
            marks.append(_points(plot, own, names[number], symbol, colour))
    across, up, bias = ds["read_out"].values
    (left, right), (low, high) = ds["window"].values
    # The line across + up = -bias, walked along its own direction far enough to cross the window.
    normal = np.array([across, up])
    foot = -bias * normal / (normal @ normal)
    along = np.array([-up, across]) / np.linalg.norm(normal)
    reach = np.hypot(right - left, high - low) + np.linalg.norm(foot)
    ends = [foot - reach * along, foot + reach * along]
    return [*marks, _placed(lines, ends, name="read-out's line", colour="text", dash="dash", more=UNREAD)]


def _drawable(ds: Run, name: str) -> NDArray[Any]:
    """The points, without those so far outside the picture that a browser would lose the digits of their pixels."""
    low, high = ds["window"].transpose("end", "axis").values
    points = ds[name].values
    near = (np.abs(points - (low + high) / 2) < 1000 * (high - low)).all(-1, keepdims=True)
    return np.where(near, points, np.nan)


def _carried(plot: Plot, **view: Any) -> Sequence[Mark]:
    """The points that the network carries, over the paths of a few of them; without classes the flow's, too."""
    ds, points = plot.ds, _drawable(plot.ds, "network")
    paths = _paths(
        _drawable(ds, "network_path"),
        name="network's paths",
        mode="lines+markers" if ds.attrs["blocks"] <= MARKED_PATHS else "lines",
        colour=with_alpha(NETWORK.colour, 0.55),
        dash="dot",
        width=1.5,
        more={**UNREAD, "marker": {"symbol": "diamond", "size": 4, "color": NETWORK.colour}},
    )
    if "true_class" in ds:
        return [_arrows(ds), paths, *_classes(plot, points)]
    return [
        _arrows(ds),
        paths,
        _flow_paths(plot),
        _points(plot, ds["start"].values, "start", "circle", plot.ink.muted, size=3),
        _points(plot, ds["flow"].values, "flow", "circle-open", plot.ink.text),
        _points(plot, points, f"network, {_blocks(ds)}", "diamond", NETWORK.colour),
    ]


def _flow(plot: Plot, **view: Any) -> Sequence[Mark]:
    return [_arrows(plot.ds), _flow_paths(plot), *_classes(plot, plot.ds["flow"].values)]


def _window(letter: Literal["x", "y"]) -> Callable[[Plot], dict[str, Any]]:
    """One of the plane's axes, whose scales are one."""
    place = "xy".index(letter)
    square = {"scaleanchor": "x", "constraintoward": "bottom"} if place else {}
    return lambda plot: {
        "title_text": NAMES[str(plot.ds["axis"].values[place])],
        "range": [*plot.ds["window"].values[place]],
        "constrain": "domain",
        **square,
    }


def _blocks(ds: Run) -> str:
    return f"{ds.attrs['blocks']} block{'' if ds.attrs['blocks'] == 1 else 's'}"


def depth_sentence(ds: Run) -> str:
    """Which depth is in view, and what the network has there."""
    blocks = int(ds.attrs["blocks"])
    blocks_passed, under_way = measures.blocks_in_view(ds)
    place = f"Depth {measures.depth_in_view(ds):.2f} of {ds.attrs['duration']:g}: "
    if under_way:
        return f"{place}block {under_way} of {blocks} is under way, drawn on its straight line."
    if blocks_passed < blocks or "true_class" not in ds:
        return f"{place}{blocks_passed} of {_blocks(ds)} {'is' if blocks == 1 else 'are'} done."
    return (
        f"After {_blocks(ds)}, {ds.attrs['network_right']:.1%} of the curves lie on their own side of the dashed line."
    )


def outside_sentence(ds: Run) -> str:
    """How many of the network's points the picture does not hold; empty if it holds all."""
    count, farthest = measures.points_outside(ds)
    if not count:
        return ""
    place = f"the farthest {farthest:.2g} away" if np.isfinite(farthest) else "too far to measure"
    return f"{count} of {len(ds['network'])} points are outside the picture, {place}."


def _of_flow(plot: Plot) -> str:
    """One sentence, as beside it: pictures of different heights cannot be compared."""
    ds = plot.ds
    if ds.attrs["view"] == 100:
        return f"At the end, {ds.attrs['flow_right']:.1%} of the curves lie on their own side of the dashed line."
    return f"Depth {measures.depth_in_view(ds):.2f} of {ds.attrs['duration']:g}."


in_plane = partial(
    figure,
    x=axis(scale="free", told=_window("x")),
    y=axis(told=_window("y")),
    position="ds",
    legend="below",
    hover="closest",
    height=490,
    layout={"margin_b": 120, "legend_y": -0.15},
)

FIGURES = bound(
    ResidualFlow,
    in_plane(
        "carried",
        "Where do the blocks carry the points?",
        _carried,
        needs=("network",),
        shows="The residual network's states at this depth.",
        notes=(lambda plot: depth_sentence(plot.ds), lambda plot: outside_sentence(plot.ds)),
    ),
    in_plane(
        "flow",
        "Where does the same field's flow carry them?",
        _flow,
        needs=("true_class",),
        shows="The flow (document 001, eq. 29-30) of the field whose steps the network takes.",
        notes=(_of_flow,),
    ),
    figure(
        "convergence",
        "How fast does the network become the flow?",
        _solvers,
        needs=("end_error",),
        over="steps",
        x=BY_STEPS("Number of equal steps (blocks)"),
        y=axis(
            "Largest error at the end (units of h)",
            scale="log",
            read=lambda ds: np.append(log10(ds["end_error"]).values, log10(ds["distance_largest"]).values[-1]),
        ),
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
        cannot_show="What networks trained with that many blocks would reach.",
        over="steps",
        x=BY_STEPS("Number of blocks"),
        y=axis("Curves on their own side (%)", scale="free", told=_shares_in_view),
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
            THEORY(lambda plot: plot.ds["asked"], over="asked", name="error = tolerance", colour="muted"),
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
        shows="dopri5's error and its evaluations of f, by tolerance.",
        instead=lambda ds: "" if np.isfinite(ds["adaptive_error"].values).any() else tolerance_sentence(ds),
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
