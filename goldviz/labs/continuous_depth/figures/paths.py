"""Where *Continuous depth* carries its points, and what it says about every place of the plane."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
import xarray as xr
from numpy.typing import NDArray

from goldviz.diagnostics.findings import percent
from goldviz.figures import theme as look
from goldviz.figures.elements import colour_bar_below, panels, worded
from goldviz.figures.limits import Limits
from goldviz.figures.maps import SIGNED, cells
from goldviz.figures.reading import absence, networks, recorded, run_label, sentences, single
from goldviz.figures.theme import CLASSES, INKS, Theme, with_alpha
from goldviz.labs.continuous_depth.figures.quantities import (
    DEPTH_NETWORKS,
    class_names,
    headings,
    is_regression,
    limit_of,
    of_class,
    view_at,
)

PANEL = 330
"""Height of one network's panel in pixels."""


def carried(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """The kept points' paths from depth 0 (small rings) to depth 1 (filled), at one look, a panel for each network.

    Two classes are parted when their ends lie on the two sides of the dashed line, where the read-out is undecided. In
    two dimensions the paths of a flow never cross at one depth, so nothing that is enclosed gets out. With more
    dimensions the picture is seen from the side: up is the distance from the read-out's plane. The regression's paths
    are drawn over depth; a flow's cannot cross there at all.
    """
    title = "Where does depth carry the points?"
    if words := absence(ds, "path"):
        return worded(words, title=title, theme=theme)
    at = recorded(ds, epoch, "look")
    names = networks(ds)
    figure = _network_panels(ds, theme)
    for row, name in enumerate(names, start=1):
        if is_regression(ds):
            _paths_over_depth(figure, ds, at, name, row, theme)
        else:
            _paths_in_plane(figure, ds, at, name, row, theme, limits)
    figure.update_yaxes(range=limit_of("up", ds, limits))
    figure.update_xaxes(range=limit_of("across", ds, limits))
    side = not is_regression(ds) and ds.sizes["dimension"] > 2
    across, up = ("Depth t", "h") if is_regression(ds) else ("h₁", "h₂")
    if side:
        across, up = "Along the read-out's plane", "Distance from it"
    if not is_regression(ds):
        for row in range(1, len(names) + 1):
            figure.update_yaxes(scaleanchor="x" if row == 1 else f"x{row}", scaleratio=1, row=row)
    figure.update_yaxes(title_text=up)
    figure.update_xaxes(title_text=across, row=len(names))
    seen = f"{ds.sizes['dimension']} dimensions, seen from the side." if side else ""
    key = "Bars: what is wanted, −x." if is_regression(ds) else "Dashed: undecided."
    notes = [run_label(ds), _right_in_words(ds, at), sentences(f"Step {at}, first seed.", key), seen]
    look.apply(figure, theme, title=title, notes=notes, height=120 + PANEL * len(names), hover="closest")
    return _room_for_headings(figure)


def _network_panels(ds: xr.Dataset, theme: Theme) -> go.Figure:
    words, colours = headings(ds)
    figure = panels(words, theme, colours=colours)
    # Zooming into one network's plane should not move the other's.
    return figure.update_xaxes(matches=None, showticklabels=True)


def _room_for_headings(figure: go.Figure) -> go.Figure:
    layout = figure.layout
    layout.margin.t += 22
    layout.legend.y = 1 + 22 / (layout.height - layout.margin.t - layout.margin.b)
    return figure


def _paths_in_plane(
    figure: go.Figure, ds: xr.Dataset, at: int, name: str, row: int, theme: Theme, limits: Limits | None
) -> None:
    view = view_at(ds, at, name)
    places = view.place(ds["path"].sel(look=at, network=name).transpose("depth", "point", "dimension").values)
    place = {"row": row, "col": 1}
    read_out = ds["read_out"].sel(look=at, network=name).values.astype(np.float64)
    line = np.array([0.0, 1.0, 0.0]) if view.from_the_side else read_out
    for trace in _sides(line, limit_of("across", ds, limits), limit_of("up", ds, limits), theme):
        figure.add_trace(trace, **place)
    if not view.from_the_side and not absence(ds, "field"):
        figure.add_trace(_arrows(ds.sel(look=at, network=name), theme), **place)
    _draw_paths(figure, ds, places, theme, row)


def _paths_over_depth(figure: go.Figure, ds: xr.Dataset, at: int, name: str, row: int, theme: Theme) -> None:
    h = ds["path"].sel(look=at, network=name).isel(dimension=0).transpose("depth", "point").values
    depth = np.broadcast_to(ds["depth"].values[:, None], h.shape)
    _draw_paths(figure, ds, np.stack([depth, h], axis=-1), theme, row)
    figure.add_trace(
        go.Scatter(x=np.ones(ds.sizes["point"]), y=ds["label"].values, mode="markers", showlegend=False,
                   cliponaxis=False, hovertemplate="wanted %{y:.3f}",
                   marker={"symbol": "line-ew-open", "size": 12, "color": INKS[theme].text, "line": {"width": 1.2}}),
        row=row, col=1,
    )  # fmt: skip


def _draw_paths(figure: go.Figure, ds: xr.Dataset, places: NDArray[Any], theme: Theme, row: int) -> None:
    """Paths, starts and ends (depth, point, 2) of both classes."""
    for number, (colour, symbol, _) in enumerate(CLASSES):
        own = single(places[:, of_class(ds, number)])
        words, group = class_names(ds)[number], f"class {number}"
        lifted = np.concatenate([own, np.full((1, *own.shape[1:]), np.nan, np.float32)])
        x, y = lifted.transpose(2, 1, 0).reshape(2, -1)
        shared = {"legendgroup": group, "showlegend": False}
        figure.add_trace(
            go.Scatter(x=x, y=y, mode="lines", line={"color": with_alpha(colour, 0.5), "width": 1.3}, hoverinfo="skip",
                       **shared),
            row=row, col=1,
        )  # fmt: skip
        figure.add_trace(
            go.Scatter(x=own[0, :, 0], y=own[0, :, 1], mode="markers", hovertemplate=f"{words}, depth 0<extra></extra>",
                       marker={"symbol": f"{symbol}-open", "size": 5, "color": colour}, **shared),
            row=row, col=1,
        )  # fmt: skip
        figure.add_trace(
            go.Scatter(x=own[-1, :, 0], y=own[-1, :, 1], mode="markers", name=words, legendgroup=group,
                       showlegend=row == 1, cliponaxis=False,
                       marker={"symbol": symbol, "size": 8, "color": colour,
                               "line": {"width": 0.8, "color": INKS[theme].background}},
                       hovertemplate=f"{words}, depth 1: (%{{x:.3f}}, %{{y:.3f}})<extra></extra>"),
            row=row, col=1,
        )  # fmt: skip


def _sides(line: NDArray[Any], across: tuple[float, float], up: tuple[float, float], theme: Theme) -> list[go.Scatter]:
    """The two sides of the line a x + b y + c = 0, shaded in the classes' colours, and the line itself, dashed."""
    normal, shift = line[:2], line[2]
    length = np.linalg.norm(normal)
    if not np.isfinite(line).all() or length < 1e-12:
        return []
    normal, shift = normal / length, shift / length
    middle = np.array([np.mean(across), np.mean(up)])
    # Far enough for a panel that is made wider than its limits to keep lengths equal.
    reach = 4 * float(np.hypot(across[1] - across[0], up[1] - up[0]))
    foot = middle - (normal @ middle + shift) * normal
    along = np.array([-normal[1], normal[0]]) * reach
    drawn = []
    for number, (colour, _, _) in enumerate(CLASSES):
        away = normal * reach * (1 if number else -1)
        corners = np.stack([foot - along, foot + along, foot + along + away, foot - along + away])
        drawn.append(
            go.Scatter(x=corners[:, 0], y=corners[:, 1], mode="none", fill="toself", showlegend=False,
                       fillcolor=with_alpha(colour, 0.1), hoverinfo="skip")
        )  # fmt: skip
    ends = np.stack([foot - along, foot + along])
    drawn.append(
        go.Scatter(x=ends[:, 0], y=ends[:, 1], mode="lines", showlegend=False, hoverinfo="skip",
                   line={"color": INKS[theme].accent, "width": 2, "dash": "dash"})
    )  # fmt: skip
    return drawn


def _arrows(now: xr.Dataset, theme: Theme) -> go.Scatter:
    """The direction of the field at depth 0, all arrows of one length; the speed is on hover."""
    x, y = np.meshgrid(now["arrow_x"].values, now["arrow_y"].values)
    velocity = now["field"].transpose("arrow_y", "arrow_x", "dimension").values[..., :2]
    return go.Scatter(
        x=x.ravel(), y=y.ravel(), mode="markers", showlegend=False, customdata=velocity.reshape(-1, 2),
        marker={"symbol": "arrow", "size": 8, "color": INKS[theme].muted, "opacity": 0.35,
                "angle": 90 - np.degrees(np.arctan2(velocity[..., 1], velocity[..., 0])).ravel()},
        hovertemplate="f = (%{customdata[0]:.3g}, %{customdata[1]:.3g})<extra></extra>",
    )  # fmt: skip


def _right_in_words(ds: xr.Dataset, at: int) -> str:
    """The answer: the share of unseen points on the right side, or the error where numbers are asked for."""
    name, words = ("test_loss", "Mean square error") if is_regression(ds) else ("test_accuracy", "On the right side")
    if absence(ds, name):
        return ""
    now = ds[name].sel(look=at).isel(seed=0)
    parts = []
    for network in networks(ds):
        value = float(now.sel(network=network))
        shown = f"{value:.3g}" if is_regression(ds) else _share(value)
        parts.append(f"{DEPTH_NETWORKS[network].label} {shown}" if np.isfinite(value) else "")
    return f"{words}: {', '.join(filter(None, parts))}." if any(parts) else ""


def _share(value: float) -> str:
    """A share with one more digit near the top, where all is in it."""
    return percent(value) if value < 0.9 or value == 1 else f"{100 * value:.1f} %"


def decision(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """The probability of class 1 for every starting place in the plane at one look; the regression's answer over x.

    A flow in the plane bends the border and cannot close it around the inner ring: it leaves a way out.
    """
    title = "What is said of every place?"
    if words := absence(ds, "decision", "path"):
        return worded(words, title=title, theme=theme)
    at = recorded(ds, epoch, "look")
    if is_regression(ds):
        return _answer_over_line(ds, at, theme, title)
    names = networks(ds)
    figure = _network_panels(ds, theme)
    for row, name in enumerate(names, start=1):
        hover = "(%{x:.2f}, %{y:.2f})<br>probability of class 1: %{z:.3f}"
        x, y, probability = _smooth(ds["decision"].sel(look=at, network=name))
        figure.add_trace(cells(single(probability), x=x, y=y, hover=hover), row=row, col=1)
        starts = ds["path"].isel(depth=0).sel(look=at, network=name).transpose("point", "dimension").values
        for number, (_, symbol, _) in enumerate(CLASSES):
            own = starts[of_class(ds, number)]
            figure.add_trace(
                go.Scatter(x=own[:, 0], y=own[:, 1], mode="markers", name=class_names(ds)[number],
                           legendgroup=f"class {number}", showlegend=row == 1, hoverinfo="skip",
                           marker={"symbol": symbol, "size": 7, "color": "#ffffff",
                                   "line": {"width": 1.4, "color": "#1e1e1c"}}),
                row=row, col=1,
            )  # fmt: skip
        figure.update_yaxes(scaleanchor="x" if row == 1 else f"x{row}", constrain="domain", row=row)
    half = float(ds["grid_x"].max())
    figure.update_xaxes(range=(-half, half), constrain="domain", showgrid=False)
    figure.update_yaxes(range=(-half, half), title_text="h₂ at depth 0", showgrid=False)
    figure.update_xaxes(title_text="h₁ at depth 0", row=len(names))
    notes = [run_label(ds), _right_in_words(ds, at), f"Step {at}, first seed."]
    look.apply(figure, theme, title=title, notes=notes, height=150 + PANEL * len(names), hover="closest")
    _room_for_headings(figure)
    colour_bar_below(figure, (0, 1), SIGNED, "Probability of class 1", tickvals=[0, 0.25, 0.5, 0.75, 1])
    return figure


def _smooth(log_odds: xr.DataArray) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Places across and up, twice as many as measured, and the probability there by linear interpolation of the odds.

    Probabilities jump from 0 to 1 between two places; their log odds do not.
    """
    x, y = log_odds["grid_x"].values, log_odds["grid_y"].values
    fine_x, fine_y = (np.linspace(places[0], places[-1], 2 * len(places) - 1) for places in (x, y))
    values = log_odds.transpose("grid_y", "grid_x").values.astype(np.float64)
    rows = np.stack([np.interp(fine_x, x, row) for row in values])
    fine = np.stack([np.interp(fine_y, y, column) for column in rows.T], axis=1)
    return fine_x, fine_y, 1 / (1 + np.exp(-np.clip(fine, -50, 50)))


def _answer_over_line(ds: xr.Dataset, at: int, theme: Theme, title: str) -> go.Figure:
    figure = go.Figure()
    x = ds["grid_x"].values
    for name in networks(ds):
        style = DEPTH_NETWORKS[name]
        answer = ds["decision"].sel(look=at, network=name).isel(grid_y=0).values
        figure.add_trace(
            go.Scatter(x=x, y=single(answer), mode="lines", name=style.label, hovertemplate="%{y:.3f}",
                       line={"color": style.colour, "dash": style.dash, "width": 2.5})
        )  # fmt: skip
    figure.add_trace(
        go.Scatter(x=x, y=-x, mode="lines", showlegend=False, hoverinfo="skip",
                   line={"color": INKS[theme].text, "dash": "dot", "width": 1.5})
    )  # fmt: skip
    figure.update_xaxes(title_text="x", unifiedhovertitle_text="x = %{x:.2f}")
    figure.update_yaxes(title_text="Answer")
    notes = [run_label(ds), _right_in_words(ds, at), f"Step {at}, first seed. Dotted: what is wanted, −x."]
    return look.apply(figure, theme, title=title, notes=notes)
