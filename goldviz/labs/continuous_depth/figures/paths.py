"""The flow and the residual network: their looks, the diagram of depth, the plane through which points are carried.

The plane draws itself: its equal axes and its shaded sides are of the read-out at the step in view.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.diagnostics.findings import percent
from goldviz.figures.diagram import Colour, Node, Part, Reading, Wire, chain, of_layers
from goldviz.figures.draft import Figure, Scatter
from goldviz.figures.draft import Node as Trace
from goldviz.figures.elements import colour_bar_below, legend_above_headings, panels, title_below
from goldviz.figures.frames import AtStep, Words, line
from goldviz.figures.limits import Values
from goldviz.figures.maps import SIGNED, cells
from goldviz.figures.plot import Now, Plot
from goldviz.figures.reading import finite, networks, setting_of, single
from goldviz.figures.theme import CLASSES, NETWORKS, with_alpha
from goldviz.models.style import NetworkStyle

DEPTH_NETWORKS = {"ode": NetworkStyle("neural ODE", "#a257c2", "solid", "circle"), "residual": NETWORKS["residual"]}
ACROSS = 10.0
"""Columns that the whole depth takes."""
FIELD = ("field, layer 1", "field, layer 2", "field, layer 3")
UNDER = 1.4
"""The row in which the field stands."""
NEAR = 1e-6
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


def is_regression(ds: Run) -> bool:
    """Whether the answers are numbers: then the points lie on a line, and nothing is read out."""
    return "path" in ds and "read_out" not in ds


def _speed(paths: Array) -> Array:
    """How far points move between recorded depths, over the depth between them, mean over the points."""
    lengths = (finite(paths).diff("depth") ** 2).sum("dimension") ** 0.5
    return lengths.mean("point") / paths["depth"].diff("depth")


COLOURS = (
    Colour("speed", "How fast points move", "linear", readings=(Reading("path", _speed),)),
    *of_layers("update_to_data", "gradient_to_data"),
    Colour(
        "field_saturation",
        "Saturated units of the field",
        "share",
        readings=(Reading("field_saturation", lambda share: share.expand_dims(cell=["field"])),),
    ),
)
"""What may colour the diagram."""


def parts_of(ds: Run) -> list[Part]:
    """The way through depth of every network of a run, with the field that each of its pieces applies."""
    return [_part(ds, network) for network in networks(ds)]


def _part(ds: Run, network: str) -> Part:
    depths = [float(depth) for depth in ds["depth"].values] if "depth" in ds.coords else [0.0, 1.0]
    blocks = int(setting_of(ds, "blocks") or 0) if network == "residual" else 0
    ends = _block_ends(depths, blocks)
    way = _blocks(ends) if ends else _intervals(depths)
    last = [] if is_regression(ds) else [Node("out", "read-out", ACROSS + 1, at={"layer": "read-out"}, wide=0.8)]
    along = [Node("in", "points", 0.2, kind="end", wide=0.8), *way, *last]
    skips = [Wire(at - 1, at, "skip") for at in range(1, len(way) + 1)] if ends else []
    first = len(along)
    field = [
        Node(f"f{place}", words, 2 * place - 1.0, UNDER, at={"layer": words, "cell": "field"}, wide=1.5)
        for place, words in enumerate(FIELD, start=1)
    ]
    wires = [*chain(along), *skips, *(Wire(at, at + 1) for at in range(first, first + 2))]
    style = DEPTH_NETWORKS[network]
    return Part(f"{style.heading}, and its field f", [*along, *field], wires, network, style.colour, row=36)


def _block_ends(depths: list[float], blocks: int) -> list[float]:
    """The depths at which blocks end, as they were recorded; none where not all were."""
    ends = [next((depth for depth in depths if abs(depth - k / blocks) < NEAR), None) for k in range(1, blocks + 1)]
    recorded_ends = [depth for depth in ends if depth is not None]
    return recorded_ends if len(recorded_ends) == blocks else []


def _blocks(ends: list[float]) -> list[Node]:
    wide = ACROSS / len(ends)
    return [
        Node(str(k), f"block {k}", 1 + (k - 1) * wide, at={"depth": end, "block": k}, wide=wide)
        for k, end in enumerate(ends, start=1)
    ]


def _intervals(depths: list[float]) -> list[Node]:
    return [
        Node(
            "",
            f"depth {start:.2f} to {end:.2f}",
            1 + ACROSS * start,
            kind="state",
            at={"depth": end},
            wide=ACROSS * (end - start),
        )
        for start, end in pairwise(depths)
    ]


def class_names(ds: Run) -> tuple[str, str]:
    """What the two kinds of points are called."""
    return CLASS_NAMES.get(str(setting_of(ds, "task")), CLASS_NAMES["flip"] if is_regression(ds) else ("class 0", "1"))


def of_class(ds: Run, number: int) -> NDArray[np.bool_]:
    """Which of the kept points belong to this class; in the regression, those whose answer is below or above 0."""
    labels = ds["label"].values
    # The answer to an x below 0 is above 0.
    return np.asarray((labels < 0) == bool(number)) if is_regression(ds) else np.asarray(labels == number)


def places(ds: Run | Now, network: str) -> tuple[Array, Array]:
    """Where a network's paths are drawn, across and up (look, depth, point): h over depth in the regression.

    In the plane at h1 and h2. With more dimensions one looks along the read-out's plane: up is the distance from it.
    """
    path = ds["path"].sel(network=network).transpose("dimension", "look", "depth", "point").astype(np.float64)
    h = [path.isel(dimension=axis) for axis in range(path.sizes["dimension"])]
    if "read_out" not in ds:
        return h[0].copy(data=np.broadcast_to(ds["depth"].values[:, None], h[0].shape)), h[0]
    if len(h) == 2:
        return h[0], h[1]
    read_out = ds["read_out"].sel(network=network).transpose("weight", "look").astype(np.float64)
    *weights, bias = (read_out.isel(weight=place) for place in range(read_out.sizes["weight"]))
    length = (sum(weight**2 for weight in weights) ** 0.5).clip(1e-30)
    normal = [weight / length for weight in weights]
    up = sum(one * towards for one, towards in zip(h, normal, strict=True))
    within = [(1 - towards**2) ** 0.5 for towards in normal[:2]]
    first, second = (
        (one - towards * up) / share for one, towards, share in zip(h[:2], normal[:2], within, strict=True)
    )
    chosen = within[0] > SIDEWAYS
    return first.where(chosen, 0.0) + second.where(~chosen, 0.0), up + bias / length


def of_plane(axis: int, ds: Run) -> Values:
    """The places of all paths at all looks, across or up."""
    if "path" not in ds or ds["path"].size == 0:
        return np.array([])
    return np.concatenate([places(ds, name)[axis].values.ravel() for name in networks(ds)])


def carried(plot: Plot) -> Figure:
    """The kept points' paths from depth 0 (small rings) to depth 1 (filled), at one look, a panel for each network.

    In two dimensions the paths of a flow never cross at one depth, so nothing that is enclosed gets out.
    """
    ds, regression = plot.ds, is_regression(plot.ds)
    side = not regression and ds.sizes["dimension"] > 2
    _network_panels(plot, **({} if regression else {"scaleratio": 1}))
    for row, name in enumerate(plot.networks, start=1):
        if not regression:
            _plane(plot, name, row, side)
        _paths(plot, name, row)
        if regression:
            _wanted(plot, row)
    across, up = ("Depth t", "h") if regression else ("h₁", "h₂")
    if side:
        across, up = "Along the read-out's plane", "Distance from it"
    plot.figure.update_yaxes(range=plot.limit("up"), title_text=up)
    plot.figure.update_xaxes(range=plot.limit("across"))
    title_below(plot.figure, across)
    key = "Bars: what is wanted, −x." if regression else "Dashed: undecided."
    view = f"{ds.sizes['dimension']} dimensions, seen from the side." if side else ""
    notes = [_right_in_words(plot), line(plot.step_in_words("look", one_seed=True), key), view]
    whole = plot.finish(*notes, height=120 + PANEL * len(plot.networks), hover="closest")
    return legend_above_headings(whole, lift=22)


def _network_panels(plot: Plot, **equal: Any) -> None:
    """A panel for each network; ``equal`` says how its two axes are kept to one scale."""
    looks = [plot.look_of(name) for name in plot.networks]
    plot.figure = panels([look.heading for look in looks], plot.theme, colours=[look.colour for look in looks])
    # Zooming into one network's plane should not move the other's.
    plot.figure.update_xaxes(matches=None, showticklabels=True)
    for row in range(1, len(plot.networks) + 1) if equal else ():
        plot.figure.update_yaxes(scaleanchor="x" if row == 1 else f"x{row}", **equal, row=row)


def _plane(plot: Plot, name: str, row: int, side: bool) -> None:
    """The read-out's two sides, and the field at depth 0 where it lies in the plane that is drawn."""
    lines = plot.now["read_out"].sel(network=name).values.astype(np.float64)
    for trace in _sides(plot, np.tile([0.0, 1.0, 0.0], (len(lines), 1)) if side else lines):
        plot.add(trace, row)
    if not side and not plot.lacks("field"):
        plot.add(_arrows(plot.now["field"].sel(network=name), plot.ink.muted), row)


def _wanted(plot: Plot, row: int) -> None:
    plot.figure.scatter(
        x=np.ones(plot.ds.sizes["point"]),
        y=plot.ds["label"].values,
        mode="markers",
        showlegend=False,
        cliponaxis=False,
        hovertemplate="wanted %{y:.3f}",
        marker={"symbol": "line-ew-open", "size": 12, "color": plot.ink.text, "line": {"width": 1.2}},
        row=row,
    )


def _at_looks(x: Any, y: Any) -> dict[str, Any]:
    return {"x": AtStep("look", x), "y": AtStep("look", y)}


def _paths(plot: Plot, network: str, row: int) -> None:
    """Paths, starts and ends of both classes."""
    both = [single(one.values) for one in places(plot.now, network)]
    for number, (colour, symbol, _) in enumerate(CLASSES):
        own, words = of_class(plot.ds, number), class_names(plot.ds)[number]
        ends = [one[:, :, own] for one in both]
        broken = [np.pad(one, [(0, 0), (0, 1), (0, 0)], constant_values=np.nan).swapaxes(1, 2) for one in ends]
        draw = partial(plot.figure.scatter, legendgroup=f"class {number}", row=row)
        draw(
            **_at_looks(*(one.reshape(len(one), one.shape[1] * one.shape[2]) for one in broken)),
            mode="lines",
            line={"color": with_alpha(colour, 0.5), "width": 1.3},
            showlegend=False,
            hoverinfo="skip",
        )
        draw(
            **_at_looks(*(one[:, 0] for one in ends)),
            mode="markers",
            showlegend=False,
            hovertemplate=f"{words}, depth 0<extra></extra>",
            marker={"symbol": f"{symbol}-open", "size": 5, "color": colour},
        )
        edge = {"width": 0.8, "color": plot.ink.background}
        draw(
            **_at_looks(*(one[:, -1] for one in ends)),
            mode="markers",
            name=words,
            showlegend=row == 1,
            cliponaxis=False,
            hovertemplate=f"{words}, depth 1: (%{{x:.3f}}, %{{y:.3f}})<extra></extra>",
            marker={"symbol": symbol, "size": 8, "color": colour, "line": edge},
        )


def _sides(plot: Plot, lines: NDArray[Any]) -> list[Trace]:
    """The two sides of each look's line a x + b y + c = 0, shaded in the classes' colours, and the line itself, dashed.

    There is nothing to be seen of a line that is not finite.
    """
    length = np.linalg.norm(lines[:, :2], axis=1, keepdims=True)
    usable = np.isfinite(lines).all(axis=1, keepdims=True) & (length >= 1e-12)
    lines = lines / np.where(usable, length, np.nan)
    normal, shift = lines[:, :2], lines[:, 2:]
    foot, along = -shift * normal, normal[:, ::-1] * (-REACH, REACH)
    one, other = foot - along, foot + along
    draw = partial(Scatter, showlegend=False, hoverinfo="skip")
    segments = []
    for number, (colour, _, _) in enumerate(CLASSES):
        away = normal * (REACH if number else -REACH)
        corners = np.stack([one, other, other + away, one + away], axis=2).swapaxes(0, 1)
        segments.append(draw(**_at_looks(*corners), mode="none", fill="toself", fillcolor=with_alpha(colour, 0.1)))
    dashed = {"color": plot.ink.text, "width": 2, "dash": "dash"}
    return [*segments, draw(**_at_looks(*np.stack([one, other], axis=2).swapaxes(0, 1)), mode="lines", line=dashed)]


def _arrows(field: Array, colour: str) -> Trace:
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
        starts = plot.now["path"].isel(depth=0).sel(network=name).transpose("dimension", "look", "point").values
        for number, (_, symbol, _) in enumerate(CLASSES):
            plot.figure.scatter(
                **_at_looks(*starts[:2, :, of_class(ds, number)]),
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
    title_below(plot.figure, "h₁ at depth 0")
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
