"""Where *Continuous depth* carries its points, and what it says about every place of the plane."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array
from goldviz.diagnostics.findings import percent
from goldviz.figures.draft import Figure, Node, Scatter
from goldviz.figures.elements import colour_bar_below, legend_above_headings
from goldviz.figures.frames import AtStep, Words, line
from goldviz.figures.maps import SIGNED, cells
from goldviz.figures.plot import Plot
from goldviz.figures.reading import single
from goldviz.figures.theme import CLASSES, with_alpha
from goldviz.labs.continuous_depth.figures.quantities import class_names, figure, is_regression, of_class, placed_paths

PANEL = 310
"""Height of one network's panel in pixels."""
REACH = 1000.0
"""How far the sides of a line are shaded: beyond every view of the plane, as looks to come may widen it."""


@figure(
    "Where does depth carry the points?",
    needs=("path", "label"),
    shows="Paths of unseen points through depth.",
    cannot_show="Added dimensions.",
)
def carried(plot: Plot) -> Figure:
    """The kept points' paths from depth 0 (small rings) to depth 1 (filled), at one look, a panel for each network.

    Two classes are parted when their ends lie on the two sides of the dashed line, where the read-out is undecided. In
    two dimensions the paths of a flow never cross at one depth, so nothing that is enclosed gets out. With more
    dimensions the picture is seen from the side: up is the distance from the read-out's plane. The regression's paths
    are drawn over depth; a flow's cannot cross there at all.
    """
    ds = plot.ds
    names = plot.networks
    _network_panels(plot)
    draw = _paths_over_depth if is_regression(ds) else _paths_in_plane
    for row, name in enumerate(names, start=1):
        draw(plot, name, row)
    plot.figure.update_yaxes(range=plot.limit("up"))
    plot.figure.update_xaxes(range=plot.limit("across"))
    side = not is_regression(ds) and ds.sizes["dimension"] > 2
    across, up = ("Depth t", "h") if is_regression(ds) else ("h₁", "h₂")
    if side:
        across, up = "Along the read-out's plane", "Distance from it"
    if not is_regression(ds):
        for row in range(1, len(names) + 1):
            plot.figure.update_yaxes(scaleanchor="x" if row == 1 else f"x{row}", scaleratio=1, row=row)
    plot.figure.update_yaxes(title_text=up)
    plot.figure.update_xaxes(title_text=across, row=len(names))
    view_words = f"{ds.sizes['dimension']} dimensions, seen from the side." if side else ""
    key = "Bars: what is wanted, −x." if is_regression(ds) else "Dashed: undecided."
    notes = [_right_in_words(plot), line(plot.step_in_words("look", one_seed=True), key), view_words]
    whole = plot.finish(*notes, height=120 + PANEL * len(names), hover="closest")
    return legend_above_headings(whole, lift=22)


def _network_panels(plot: Plot) -> None:
    plot.panel_per_network()
    # Zooming into one network's plane should not move the other's.
    plot.figure.update_xaxes(matches=None, showticklabels=True)


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
        own = single(places[:, :, of_class(plot.ds, number)])
        words, group = class_names(plot.ds)[number], f"class {number}"
        with_breaks = np.pad(own, [(0, 0), (0, 1), (0, 0), (0, 0)], constant_values=np.nan).swapaxes(1, 2)
        paths = with_breaks.reshape(len(own), with_breaks.shape[1] * with_breaks.shape[2], 2)
        in_group: dict[str, Any] = {"legendgroup": group, "showlegend": False}
        plot.figure.scatter(
            **_at_looks(paths),
            mode="lines",
            line={"color": with_alpha(colour, 0.5), "width": 1.3},
            hoverinfo="skip",
            **in_group,
            row=row,
        )
        plot.figure.scatter(
            **_at_looks(own[:, 0]),
            mode="markers",
            hovertemplate=f"{words}, depth 0<extra></extra>",
            marker={"symbol": f"{symbol}-open", "size": 5, "color": colour},
            **in_group,
            row=row,
        )
        plot.figure.scatter(
            **_at_looks(own[:, -1]),
            mode="markers",
            name=words,
            legendgroup=group,
            showlegend=row == 1,
            cliponaxis=False,
            marker={"symbol": symbol, "size": 8, "color": colour, "line": {"width": 0.8, "color": plot.ink.background}},
            hovertemplate=f"{words}, depth 1: (%{{x:.3f}}, %{{y:.3f}})<extra></extra>",
            row=row,
        )


def _sides(plot: Plot, lines: NDArray[Any]) -> list[Node]:
    """The two sides of each look's line a x + b y + c = 0, shaded in the classes' colours, and the line itself, dashed.

    There is nothing to be seen of a line that is not finite.
    """
    length = np.linalg.norm(lines[:, :2], axis=1, keepdims=True)
    usable = np.isfinite(lines).all(axis=1, keepdims=True) & (length >= 1e-12)
    lines = lines / np.where(usable, length, np.nan)
    normal, shift = lines[:, :2], lines[:, 2:]
    foot, along = -shift * normal, normal[:, ::-1] * (-REACH, REACH)
    segments = []
    for number, (colour, _, _) in enumerate(CLASSES):
        away = normal * (REACH if number else -REACH)
        corners = np.stack([foot - along, foot + along, foot + along + away, foot - along + away], axis=1)
        segments.append(
            Scatter(
                **_at_looks(corners),
                mode="none",
                fill="toself",
                showlegend=False,
                fillcolor=with_alpha(colour, 0.1),
                hoverinfo="skip",
            )
        )
    segments.append(
        Scatter(
            **_at_looks(np.stack([foot - along, foot + along], axis=1)),
            mode="lines",
            showlegend=False,
            hoverinfo="skip",
            line={"color": plot.ink.accent, "width": 2, "dash": "dash"},
        )
    )
    return segments


def _arrows(field: Array, colour: str) -> Node:
    """The direction of the field at depth 0, all arrows of one length; the speed is on hover."""
    x, y = np.meshgrid(field["arrow_x"].values, field["arrow_y"].values)
    velocity = field.transpose("look", "arrow_y", "arrow_x", "dimension").values[..., :2].reshape(-1, x.size, 2)
    return Scatter(
        x=x.ravel(),
        y=y.ravel(),
        mode="markers",
        showlegend=False,
        customdata=AtStep("look", velocity),
        marker={
            "symbol": "arrow",
            "size": 8,
            "color": colour,
            "opacity": 0.35,
            "angle": AtStep("look", 90 - np.degrees(np.arctan2(velocity[..., 1], velocity[..., 0]))),
        },
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


@figure(
    "What is said of every place?",
    needs=("decision", "path"),
    shows="What is answered, wherever a point may start.",
    cannot_show="How sure one may be.",
)
def decision(plot: Plot) -> Figure:
    """The probability of class 1 for every starting place in the plane at one look; the regression's answer over x.

    A flow in the plane bends the border and cannot close it around the inner ring: it leaves a way out.
    """
    ds = plot.ds
    if is_regression(ds):
        return _answer_over_line(plot)
    names = plot.networks
    _network_panels(plot)
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
        plot.figure.update_yaxes(scaleanchor="x" if row == 1 else f"x{row}", constrain="domain", row=row)
    half = float(ds["grid_x"].max())
    plot.figure.update_xaxes(range=(-half, half), constrain="domain", showgrid=False)
    plot.figure.update_yaxes(range=(-half, half), title_text="h₂ at depth 0", showgrid=False)
    plot.figure.update_xaxes(title_text="h₁ at depth 0", row=len(names))
    whole = plot.finish(plot.step_in_words("look", one_seed=True), height=150 + PANEL * len(names), hover="closest")
    legend_above_headings(whole, lift=22)
    colour_bar_below(whole, (0, 1), SIGNED, "Probability of class 1", tickvals=[0, 0.25, 0.5, 0.75, 1])
    return whole


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
        answer = plot.now["decision"].sel(network=name).isel(grid_y=0).values
        plot.figure.scatter(
            x=x,
            y=AtStep("look", single(answer)),
            mode="lines",
            name=style.label,
            hovertemplate="%{y:.3f}",
            line={"color": style.colour, "dash": style.dash, "width": 2.5},
        )
    plot.figure.scatter(
        x=x,
        y=-x,
        mode="lines",
        showlegend=False,
        hoverinfo="skip",
        line={"color": plot.ink.text, "dash": "dot", "width": 1.5},
    )
    plot.figure.update_xaxes(title_text="x", unifiedhovertitle_text="x = %{x:.2f}")
    plot.figure.update_yaxes(title_text="Answer")
    return plot.finish(line(plot.step_in_words("look", one_seed=True), "Dotted: what is wanted, −x."))
