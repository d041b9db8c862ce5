"""The plane of *Residual steps to flow*: points carried by residual blocks, and by the flow that they tend to."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Run
from goldviz.figures.draft import Figure, Node, Scatter
from goldviz.figures.maps import legend_below
from goldviz.figures.plot import Plot
from goldviz.figures.theme import CLASSES, INKS, NETWORKS, Theme, with_alpha
from goldviz.labs.residual_flow import measures

NETWORK = NETWORKS["residual"]
MARKED_PATHS = 40
"""Blocks up to which every state of a path gets its marker."""
NAMES = {"h1": "h₁ (no unit)", "h2": "h₂ (no unit)", "h3": "h₃, the added coordinate (no unit)"}


def carried(plot: Plot) -> Figure:
    """The points that the network carries, at the depth in view, over the paths of a few of them."""
    ds = plot.ds
    plot.add(_arrows(ds, plot.theme))
    plot.add(
        _paths(
            _drawable(ds, "network_path"),
            mode="lines+markers" if ds.attrs["blocks"] <= MARKED_PATHS else "lines",
            name="network's paths",
            line={"color": with_alpha(NETWORK.colour, 0.55), "width": 1.5, "dash": "dot"},
            marker={"symbol": "diamond", "size": 4, "color": NETWORK.colour},
        )
    )
    points = _drawable(ds, "network")
    if "true_class" in ds:
        _classes(plot.figure, ds, points, plot.theme)
    else:
        _flow_points(plot.figure, ds, plot.theme)
        name = f"network, {_blocks(ds)}"
        plot.add(_points(points, name, plot.theme, symbol="diamond", colour=NETWORK.colour))
    return _plane(plot, depth_sentence(ds), outside_sentence(ds))


def flow(plot: Plot) -> Figure:
    """The points that the flow carries, at the depth in view."""
    ds = plot.ds
    plot.add(_arrows(ds, plot.theme))
    plot.add(_flow_paths(ds, plot.theme))
    _classes(plot.figure, ds, ds["flow"].values, plot.theme)
    # One sentence, as beside it: pictures of different heights cannot be compared.
    at_the_end = f"At the end, {ds.attrs['flow_right']:.1%} of the curves lie on their own side of the dashed line."
    depth = f"Depth {measures.depth_in_view(ds):.2f} of {ds.attrs['duration']:g}."
    return _plane(plot, at_the_end if ds.attrs["view"] == 100 else depth)


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


def _drawable(ds: Run, name: str) -> NDArray[Any]:
    """The points, without those so far outside the picture that a browser would lose the digits of their pixels."""
    low, high = ds["window"].transpose("end", "axis").values
    points = ds[name].values
    near = (np.abs(points - (low + high) / 2) < 1000 * (high - low)).all(-1, keepdims=True)
    return np.where(near, points, np.nan)


def _blocks(ds: Run) -> str:
    return f"{ds.attrs['blocks']} block{'' if ds.attrs['blocks'] == 1 else 's'}"


def _arrows(ds: Run, theme: Theme) -> Node:
    """The direction of f on a grid, all arrows of one length; the speed is on hover."""
    x, y = np.meshgrid(ds["x"].values, ds["y"].values)
    velocity = ds["velocity"].values
    return Scatter(
        x=x.ravel(),
        y=y.ravel(),
        mode="markers",
        showlegend=False,
        customdata=velocity.reshape(-1, 2),
        marker={
            "symbol": "arrow",
            "size": 9,
            "color": INKS[theme].muted,
            "opacity": 0.4,
            "angle": 90 - np.degrees(np.arctan2(velocity[..., 1], velocity[..., 0])).ravel(),
        },
        hovertemplate="f = (%{customdata[0]:.3g}, %{customdata[1]:.3g})<extra></extra>",
    )


def _paths(values: NDArray[Any], **look_of_lines: Any) -> Node:
    """Paths (state, traced, 2) as one trace, each lifted off from the next."""
    gap = np.full((1, *values.shape[1:]), np.nan)
    x, y = np.concatenate([values, gap]).transpose(2, 1, 0).reshape(2, -1)
    return Scatter(x=x, y=y, hoverinfo="skip", **look_of_lines)


def _flow_paths(ds: Run, theme: Theme) -> Node:
    line = {"color": with_alpha(INKS[theme].text, 0.45), "width": 1.2}
    return _paths(ds["flow_path"].values, mode="lines", name="flow's paths", line=line, showlegend=False)


def _flow_points(figure: Figure, ds: Run, theme: Theme) -> None:
    figure.add_trace(_flow_paths(ds, theme))
    figure.add_trace(_points(ds["start"].values, "start", theme, symbol="circle", colour=INKS[theme].muted, size=3))
    figure.add_trace(_points(ds["flow"].values, "flow", theme, symbol="circle-open", colour=INKS[theme].text))


def _points(values: NDArray[Any], name: str, theme: Theme, *, symbol: str, colour: str, size: int = 6) -> Node:
    edge = {} if symbol.endswith("open") else {"line": {"width": 0.6, "color": INKS[theme].background}}
    return Scatter(
        x=values[:, 0],
        y=values[:, 1],
        name=name,
        mode="markers",
        marker={"symbol": symbol, "size": size, "color": colour, **edge},
        hovertemplate="(%{x:.3f}, %{y:.3f})",
    )


def _classes(figure: Figure, ds: Run, points: NDArray[Any], theme: Theme) -> None:
    """The points of each class, rings as closed curves, and the read-out's line."""
    names = ("inner ring", "outer ring") if ds.attrs["closed"] else ("upper moon", "lower moon")
    for number, (colour, symbol, dash) in enumerate(CLASSES):
        own = points[ds["true_class"].values == number]
        if ds.attrs["closed"]:
            own = np.concatenate([own, own[:1]])
            figure.scatter(
                x=own[:, 0],
                y=own[:, 1],
                name=names[number],
                mode="lines",
                line={"color": colour, "width": 3, "dash": dash},
                hovertemplate="(%{x:.3f}, %{y:.3f})",
            )
        else:
            figure.add_trace(_points(own, names[number], theme, symbol=symbol, colour=colour))
    across, up, bias = ds["read_out"].values
    (left, right), (low, high) = ds["window"].values
    # The line across + up = -bias, walked along its own direction far enough to cross the window.
    normal = np.array([across, up])
    foot = -bias * normal / (normal @ normal)
    along = np.array([-up, across]) / np.linalg.norm(normal)
    reach = np.hypot(right - left, high - low) + np.linalg.norm(foot)
    ends = np.stack([foot - reach * along, foot + reach * along])
    figure.scatter(
        x=ends[:, 0],
        y=ends[:, 1],
        mode="lines",
        name="read-out's line",
        hoverinfo="skip",
        line={"color": INKS[theme].accent, "width": 2, "dash": "dash"},
    )


def _plane(plot: Plot, *notes: str) -> Figure:
    plot.finish(*notes, height=490, hover="closest")
    legend_below(plot.figure)
    plot.figure.update_layout(margin_b=120, legend_y=-0.15)
    across, up = (str(name) for name in plot.ds["axis"].values)
    (left, right), (low, high) = plot.ds["window"].values
    plot.figure.update_xaxes(title_text=NAMES[across], range=[left, right], constrain="domain")
    return plot.figure.update_yaxes(
        title_text=NAMES[up], range=[low, high], constrain="domain", scaleanchor="x", constraintoward="bottom"
    )
