"""The plane through which *Continuous depth* carries its points, and what is said of every place in it.

Both draw themselves: the plane, its equal axes and its shaded sides are of the read-out at the step in view.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.diagnostics.findings import percent
from goldviz.figures.draft import Figure, Node, Scatter
from goldviz.figures.elements import colour_bar_below, legend_above_headings
from goldviz.figures.frames import AtStep, Words, line
from goldviz.figures.limits import Values
from goldviz.figures.maps import SIGNED, cells
from goldviz.figures.plot import Now, Plot
from goldviz.figures.reading import networks, setting_of, single
from goldviz.figures.theme import CLASSES, with_alpha
from goldviz.labs.continuous_depth.figures.network import is_regression

CLASS_NAMES = {
    "rings": ("inner ring", "outer ring"),
    "moons": ("upper moon", "lower moon"),
    "spirals": ("first arm", "second arm"),
    "flip": ("x below 0", "x above 0"),
}
SIDEWAYS = 0.3
"""Least share of an axis that must lie in the read-out's plane for the side view to use it."""
PANEL = 310
"""Height of one network's panel in pixels."""
REACH = 1000.0
"""How far the sides of a line are shaded: beyond every view of the plane, as looks to come may widen it."""


def class_names(ds: Run) -> tuple[str, str]:
    """What the two kinds of points are called."""
    return CLASS_NAMES.get(str(setting_of(ds, "task")), CLASS_NAMES["flip"] if is_regression(ds) else ("class 0", "1"))


def of_class(ds: Run, number: int) -> NDArray[np.bool_]:
    """Which of the kept points belong to this class; in the regression, those whose answer is below or above 0."""
    labels = ds["label"].values
    # The answer to an x below 0 is above 0.
    return np.asarray((labels < 0) == bool(number)) if is_regression(ds) else np.asarray(labels == number)


@dataclass(frozen=True)
class PlaneView:
    """The two directions in which states are drawn: a point h is at (across h + shift_across, up h + shift_up).

    In two dimensions these are h1 and h2. With more, one looks along the read-out's plane: up is the distance from it.
    """

    axes: NDArray[np.float64]
    shift: NDArray[np.float64]

    @classmethod
    def of(cls, read_out: NDArray[Any]) -> PlaneView:
        """The view that suits a read-out (hidden + 1,), whose last entry is its bias."""
        weights, bias = np.asarray(read_out[:-1], dtype=np.float64), float(read_out[-1])
        if len(weights) == 2:
            return cls(np.eye(2), np.zeros(2))
        length = max(float(np.linalg.norm(weights)), 1e-30)
        up = weights / length
        for axis in np.eye(len(weights)):
            across = axis - (axis @ up) * up
            if np.linalg.norm(across) > SIDEWAYS:
                break
        across = across / np.linalg.norm(across)
        return cls(np.stack([across, up]), np.array([0.0, bias / length]))

    def place(self, states: NDArray[Any]) -> NDArray[np.float64]:
        """Where states (..., hidden) are drawn, (..., 2)."""
        return np.asarray(states.astype(np.float64) @ self.axes.T + self.shift)


def placed_paths(ds: Run | Now, network: str) -> NDArray[np.float64]:
    """Where a network's paths are drawn at each look (look, depth, point, 2)."""
    read_outs = ds["read_out"].sel(network=network).transpose("look", "weight").values
    paths = ds["path"].sel(network=network).transpose("look", "depth", "point", "dimension").values
    places = [PlaneView.of(read_out).place(path) for read_out, path in zip(read_outs, paths, strict=True)]
    return np.reshape(places, (*paths.shape[:-1], 2))


def of_plane(axis: int, ds: Run) -> Values:
    """The places of all paths at all looks, across or up."""
    if "path" not in ds or ds["path"].size == 0:
        return np.array([])
    if is_regression(ds):
        return np.array([0.0, 1.0]) if axis == 0 else ds["path"].values.ravel()
    return np.concatenate([placed_paths(ds, name)[..., axis].ravel() for name in networks(ds)])


def carried(plot: Plot) -> Figure:
    """The kept points' paths from depth 0 (small rings) to depth 1 (filled), at one look, a panel for each network.

    In two dimensions the paths of a flow never cross at one depth, so nothing that is enclosed gets out. The
    regression's paths are drawn over depth.
    """
    ds, names, regression = plot.ds, plot.networks, is_regression(plot.ds)
    _network_panels(plot, **({} if regression else {"scaleratio": 1}))
    for row, name in enumerate(names, start=1):
        (_paths_over_depth if regression else _paths_in_plane)(plot, name, row)
    side = not regression and ds.sizes["dimension"] > 2
    across, up = ("Depth t", "h") if regression else ("h₁", "h₂")
    if side:
        across, up = "Along the read-out's plane", "Distance from it"
    plot.figure.update_yaxes(range=plot.limit("up"), title_text=up)
    plot.figure.update_xaxes(range=plot.limit("across"))
    plot.figure.update_xaxes(title_text=across, row=len(names))
    view_words = f"{ds.sizes['dimension']} dimensions, seen from the side." if side else ""
    key = "Bars: what is wanted, −x." if regression else "Dashed: undecided."
    notes = [_right_in_words(plot), line(plot.step_in_words("look", one_seed=True), key), view_words]
    whole = plot.finish(*notes, height=120 + PANEL * len(names), hover="closest")
    return legend_above_headings(whole, lift=22)


def _network_panels(plot: Plot, **equal: Any) -> None:
    """A panel for each network; ``equal`` says how its two axes are kept to one scale."""
    plot.panel_per_network()
    # Zooming into one network's plane should not move the other's.
    plot.figure.update_xaxes(matches=None, showticklabels=True)
    for row in range(1, len(plot.networks) + 1) if equal else ():
        plot.figure.update_yaxes(scaleanchor="x" if row == 1 else f"x{row}", **equal, row=row)


def _paths_in_plane(plot: Plot, name: str, row: int) -> None:
    side, lines = plot.ds.sizes["dimension"] > 2, plot.now["read_out"].sel(network=name).values.astype(np.float64)
    for trace in _sides(plot, np.tile([0.0, 1.0, 0.0], (len(lines), 1)) if side else lines):
        plot.add(trace, row)
    if not side and not plot.lacks("field"):
        plot.add(_arrows(plot.now["field"].sel(network=name), plot.ink.muted), row)
    _draw_paths(plot, placed_paths(plot.now, name), row)


def _paths_over_depth(plot: Plot, name: str, row: int) -> None:
    ds = plot.ds
    h = plot.now["path"].sel(network=name).isel(dimension=0).transpose("look", "depth", "point").values
    depth = np.broadcast_to(ds["depth"].values[:, None], h.shape)
    _draw_paths(plot, np.stack([depth, h], axis=-1), row)
    plot.figure.scatter(
        x=np.ones(ds.sizes["point"]),
        y=ds["label"].values,
        mode="markers",
        showlegend=False,
        cliponaxis=False,
        hovertemplate="wanted %{y:.3f}",
        marker={"symbol": "line-ew-open", "size": 12, "color": plot.ink.text, "line": {"width": 1.2}},
        row=row,
    )


def _at_looks(places: NDArray[Any]) -> dict[str, Any]:
    """Places (look, point, 2) as a trace's coordinates."""
    return {"x": AtStep("look", places[..., 0]), "y": AtStep("look", places[..., 1])}


def _draw_paths(plot: Plot, places: NDArray[Any], row: int) -> None:
    """Paths, starts and ends (look, depth, point, 2) of both classes."""
    for number, (colour, symbol, _) in enumerate(CLASSES):
        own, words = single(places[:, :, of_class(plot.ds, number)]), class_names(plot.ds)[number]
        with_breaks = np.pad(own, [(0, 0), (0, 1), (0, 0), (0, 0)], constant_values=np.nan).swapaxes(1, 2)
        paths = with_breaks.reshape(len(own), with_breaks.shape[1] * with_breaks.shape[2], 2)
        end = {"symbol": symbol, "size": 8, "color": colour, "line": {"width": 0.8, "color": plot.ink.background}}
        traces: list[dict[str, Any]] = [
            {
                **_at_looks(paths),
                "mode": "lines",
                "line": {"color": with_alpha(colour, 0.5), "width": 1.3},
                "hoverinfo": "skip",
            },
            {
                **_at_looks(own[:, 0]),
                "mode": "markers",
                "hovertemplate": f"{words}, depth 0<extra></extra>",
                "marker": {"symbol": f"{symbol}-open", "size": 5, "color": colour},
            },
            {
                **_at_looks(own[:, -1]),
                "mode": "markers",
                "name": words,
                "showlegend": row == 1,
                "cliponaxis": False,
                "hovertemplate": f"{words}, depth 1: (%{{x:.3f}}, %{{y:.3f}})<extra></extra>",
                "marker": end,
            },
        ]
        for trace in traces:
            plot.figure.scatter(**{"legendgroup": f"class {number}", "showlegend": False, **trace}, row=row)


def _sides(plot: Plot, lines: NDArray[Any]) -> list[Node]:
    """The two sides of each look's line a x + b y + c = 0, shaded in the classes' colours, and the line itself, dashed.

    There is nothing to be seen of a line that is not finite.
    """
    length = np.linalg.norm(lines[:, :2], axis=1, keepdims=True)
    usable = np.isfinite(lines).all(axis=1, keepdims=True) & (length >= 1e-12)
    lines = lines / np.where(usable, length, np.nan)
    normal, shift = lines[:, :2], lines[:, 2:]
    foot, along = -shift * normal, normal[:, ::-1] * (-REACH, REACH)
    unnamed: dict[str, Any] = {"showlegend": False, "hoverinfo": "skip"}
    segments = []
    for number, (colour, _, _) in enumerate(CLASSES):
        away = normal * (REACH if number else -REACH)
        corners = _at_looks(np.stack([foot - along, foot + along, foot + along + away, foot - along + away], axis=1))
        segments.append(Scatter(**corners, mode="none", fill="toself", fillcolor=with_alpha(colour, 0.1), **unnamed))
    ends = _at_looks(np.stack([foot - along, foot + along], axis=1))
    dashed = {"color": plot.ink.accent, "width": 2, "dash": "dash"}
    return [*segments, Scatter(**ends, mode="lines", line=dashed, **unnamed)]


def _arrows(field: Array, colour: str) -> Node:
    """The direction of the field at depth 0, all arrows of one length; the speed is on hover."""
    x, y = np.meshgrid(field["arrow_x"].values, field["arrow_y"].values)
    velocity = field.transpose("look", "arrow_y", "arrow_x", "dimension").values[..., :2].reshape(-1, x.size, 2)
    angle = AtStep("look", 90 - np.degrees(np.arctan2(velocity[..., 1], velocity[..., 0])))
    return Scatter(
        x=x.ravel(),
        y=y.ravel(),
        mode="markers",
        showlegend=False,
        customdata=AtStep("look", velocity),
        marker={"symbol": "arrow", "size": 8, "color": colour, "opacity": 0.35, "angle": angle},
        hovertemplate="f = (%{customdata[0]:.3g}, %{customdata[1]:.3g})<extra></extra>",
    )


def _right_in_words(plot: Plot) -> Words:
    """The answer: the share of unseen points on the right side, or the error where numbers are asked for."""
    regression = is_regression(plot.ds)
    name, words = ("test_loss", "Mean square error: {}.") if regression else ("test_accuracy", "On the right side: {}.")
    if plot.lacks(name):
        return ""
    return plot.each(plot.now[name].isel(seed=0), "{:.3g}".format if regression else _share, within=words)


def _share(value: float) -> str:
    """A share with one more digit near the top, where all is in it."""
    return percent(value) if value < 0.9 or value == 1 else f"{100 * value:.1f} %"


def decision(plot: Plot) -> Figure:
    """The probability of class 1 for every starting place in the plane at one look; the regression's answer over x.

    A flow in the plane bends the border and cannot close it around the inner ring: it leaves a way out.
    """
    ds, names = plot.ds, plot.networks
    if is_regression(ds):
        return _answer_over_line(plot)
    _network_panels(plot, constrain="domain")
    for row, name in enumerate(names, start=1):
        hover = "(%{x:.2f}, %{y:.2f})<br>probability of class 1: %{z:.3f}"
        x, y, probability = _smooth(plot.now["decision"].sel(network=name))
        plot.add(cells(AtStep("look", probability), x=x, y=y, hover=hover), row)
        starts = plot.now["path"].isel(depth=0).sel(network=name).transpose("look", "point", "dimension").values
        for number, (_, symbol, _) in enumerate(CLASSES):
            plot.figure.scatter(
                **_at_looks(starts[:, of_class(ds, number)]),
                mode="markers",
                name=class_names(ds)[number],
                legendgroup=f"class {number}",
                showlegend=row == 1,
                hoverinfo="skip",
                marker={"symbol": symbol, "size": 7, "color": "#ffffff", "line": {"width": 1.4, "color": "#1e1e1c"}},
                row=row,
            )
    half = float(ds["grid_x"].max())
    plot.figure.update_xaxes(range=(-half, half), constrain="domain", showgrid=False)
    plot.figure.update_yaxes(range=(-half, half), title_text="h₂ at depth 0", showgrid=False)
    plot.figure.update_xaxes(title_text="h₁ at depth 0", row=len(names))
    whole = plot.finish(plot.step_in_words("look", one_seed=True), height=150 + PANEL * len(names), hover="closest")
    legend_above_headings(whole, lift=22)
    return colour_bar_below(whole, (0, 1), SIGNED, "Probability of class 1", tickvals=[0, 0.25, 0.5, 0.75, 1])


def _smooth(log_odds: Array) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Places across and up, twice as many as measured, and the probability there by linear interpolation of the odds.

    Probabilities jump from 0 to 1 between two places; their log odds do not.
    """
    grid = log_odds["grid_x"].values, log_odds["grid_y"].values
    x, y = (np.linspace(places[0], places[-1], 2 * len(places) - 1) for places in grid)
    values = log_odds.transpose("look", "grid_x", "grid_y").values.astype(np.float64)
    fine = _with_means(_with_means(values).swapaxes(1, 2))
    return x, y, 1 / (1 + np.exp(-np.clip(fine, -50, 50)))


def _with_means(values: NDArray[Any]) -> NDArray[Any]:
    """Values along the last axis, and between each two of them their mean."""
    fine = np.repeat(values, 2, axis=-1)[..., :-1]
    with np.errstate(invalid="ignore"):
        fine[..., 1::2] = (values[..., :-1] + values[..., 1:]) / 2
    return fine


def _answer_over_line(plot: Plot) -> Figure:
    x = plot.ds["grid_x"].values
    for name in plot.networks:
        style = plot.look_of(name)
        plot.figure.scatter(
            x=x,
            y=AtStep("look", single(plot.now["decision"].sel(network=name).isel(grid_y=0).values)),
            mode="lines",
            name=style.label,
            hovertemplate="%{y:.3f}",
            line={"color": style.colour, "dash": style.dash, "width": 2.5},
        )
    wanted = {"color": plot.ink.text, "dash": "dot", "width": 1.5}
    plot.figure.scatter(x=x, y=-x, mode="lines", showlegend=False, hoverinfo="skip", line=wanted)
    plot.figure.update_xaxes(title_text="x", unifiedhovertitle_text="x = %{x:.2f}")
    plot.figure.update_yaxes(title_text="Answer")
    return plot.finish(line(plot.step_in_words("look", one_seed=True), "Dotted: what is wanted, −x."))
