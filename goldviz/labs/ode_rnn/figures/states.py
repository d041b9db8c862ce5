"""The hidden state of *ODE-RNN* on its way: units over time, and its path in a plane."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.diagnostics.findings import percent
from goldviz.figures.draft import Figure, Node, Scatter
from goldviz.figures.frames import AtStep, line
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite, single
from goldviz.figures.theme import depth_colours, style_of, with_alpha
from goldviz.labs.ode_rnn.figures.moments import MOST_MOMENTS, drawn_moments, jump_places, lifted, uprights
from goldviz.labs.ode_rnn.figures.probe import (
    as_of,
    beyond_training,
    legend_below,
    step_in_words,
    time_unit,
)

UNITS = (("moves most", "solid"), ("second", "dash"), ("third", "dot"))
"""What the drawn units are called, and their dashes."""
SPEED = "%{customdata:.3g} per unit of time<extra></extra>"


def latent(plot: Plot) -> Figure:
    """The three hidden units of each network that vary most over the probe sequence, at one look.

    Curves between the observations are the flow (document 001, eq. 31); upright parts are the jumps (eq. 33). A plain
    GRU only jumps.
    """
    ds = plot.ds
    now = as_of(plot, "state")
    names = plot.networks
    plot.panel_per_network()
    at_moments = now.isel(moment=drawn_moments(now["moment"].values, MOST_MOMENTS // len(names)))
    moments = at_moments["moment"].values
    cuts = jump_places(moments)
    colours = depth_colours(len(UNITS), plot.theme)
    for row, name in enumerate(names, start=1):
        states = at_moments["state"].sel(network=name).values
        liveliest = most_moving(states)
        ways = np.take_along_axis(states, liveliest[:, None], axis=-1).transpose(2, 0, 1)
        for units, way, (words, dash), colour in zip(liveliest.T, ways, UNITS, colours, strict=False):
            group: dict[str, Any] = {"legendgroup": words, "mode": "lines", "row": row}
            hovers = [f"unit {unit}: %{{y:.3f}}<extra></extra>" for unit in ds["unit"].values[units]]
            plot.figure.scatter(
                x=lifted(moments, cuts),
                y=AtStep("look", lifted(way, cuts)),
                name=words,
                showlegend=row == 1,
                line={"color": colour, "dash": dash, "width": 2},
                hovertemplate=AtStep("look", hovers),
                **group,
            )
            jump: dict[str, Any] = {"x": uprights(moments, cuts), "y": AtStep("look", uprights(way, cuts))}
            jump |= {"line": {"color": colour, "width": 1}, "opacity": 0.55}
            plot.figure.scatter(**jump, **group, showlegend=False, hoverinfo="skip")
    grey = with_alpha(plot.ink.muted, 0.16)
    for start, end in beyond_training(ds):
        plot.figure.add_vrect(x0=start, x1=end, layer="below", line_width=0, fillcolor=grey)
    time_words = as_label(time_unit(ds))
    plot.figure.update_xaxes(range=plot.limit("time"), showgrid=False)
    plot.link("x", "time")
    plot.figure.update_xaxes(unifiedhovertitle_text=f"time %{{x:.3f}} {time_words}")
    plot.figure.update_xaxes(title_text=f"Time ({time_words})", row=len(names))
    plot.linear_axis("state", "h", nticks=5)
    shares = plot.each(_moved(now["state"]), percent, within="Way between observations: {}.")
    notes = [shares, step_in_words(plot)]
    whole = plot.finish(*notes, height=170 + 150 * len(names) + (60 if len(names) == 1 else 0))
    return legend_below(whole, 2, below_headings=True)


def most_moving(states: NDArray[np.floating]) -> NDArray[np.intp]:
    """The three units (last axis) with the largest spread over the moments (the one before), that one first.

    >>> most_moving(np.array([[0.0, 0.0, 1.0, 0.0], [0.0, 3.0, 2.0, 0.5]]))
    array([1, 2, 3])
    """
    spread = np.ptp(np.where(np.isfinite(states), states, 0.0).astype(np.float64), axis=-2)
    return np.argsort(-spread, kind="stable", axis=-1)[..., : len(UNITS)]


def _moved(states: Array) -> Array:
    """The answer: which part of the state's way is flow, and not jumps."""
    cuts = jump_places(states["moment"].values)
    before_tail = states.isel(moment=slice(int(cuts[-1]) + 2 if len(cuts) else None)).astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        ways = (before_tail.diff("moment") ** 2).sum("unit", skipna=False) ** 0.5
    jumps, whole = (way.sum("moment", skipna=False) for way in (ways.isel(moment=cuts), ways))
    return (1 - jumps / whole.where(np.isfinite(whole) & (whole > 0))).clip(min=0)


def plane(plot: Plot) -> Figure:
    """The ODE-RNN's state along the probe sequence, seen in the plane of its first two principal axes, at one look.

    The arrows are the field's directions in the parallel plane through the state just after the last observation
    (star), a longer one for a faster flow. Elsewhere on the path the field is another one than drawn, because the
    state is elsewhere in the axes that one does not see.
    """
    now = as_of(plot, "plane_path", "plane_current", "arrow_position", "arrow_direction", "explained_variance")
    colour, ink = style_of("ode_rnn").colour, plot.ink
    moments, places = now["moment"].values, now["plane_path"].transpose("axis", "look", "moment").values
    cuts = jump_places(moments)
    last = int(cuts[-1]) + 1 if len(cuts) else 0
    plot.figure.add_traces(_arrows(now, ink.muted))
    flows = (("flow", slice(0, last + 1), "solid"), ("after the last observation", slice(last, None), "dot"))
    for words, part, dash in flows:
        own = jump_places(moments[part])
        plot.figure.scatter(
            **_of_looks(lifted(places[..., part], own)),
            name=words,
            mode="lines",
            line={"color": colour, "width": 2.5, "dash": dash},
            customdata=lifted(moments[part], own),
            hovertemplate="time %{customdata:.3f}<extra></extra>",
        )
    jumps = {"color": ink.accent, "width": 1.2}
    plot.figure.scatter(**_of_looks(uprights(places, cuts)), name="jump", mode="lines", line=jumps, hoverinfo="skip")
    edge = {"width": 1, "color": ink.background}
    plot.figure.scatter(
        **_of_looks(single(places[..., cuts + 1])),
        mode="markers",
        name="just after an observation",
        customdata=np.stack([np.arange(1, len(cuts) + 1), moments[cuts]], axis=-1).astype(np.float32),
        marker={"size": 8, "color": depth_colours(len(cuts), plot.theme), "line": edge},
        hovertemplate="observation %{customdata[0]:.0f}, time %{customdata[1]:.3f}<extra></extra>",
    )
    current = now.get("plane_current", now["plane_path"].isel(moment=last)).transpose("axis", "look").values
    plot.figure.scatter(
        **_of_looks(current[..., None]),
        mode="markers",
        showlegend=False,
        marker={"symbol": "star", "size": 15, "color": colour, "line": {"width": 1.5, "color": ink.text}},
        hovertemplate="the arrows' plane goes through here<extra></extra>",
    )
    plot.figure.update_xaxes(title_text="First principal axis", range=plot.limit("plane_first"))
    plot.linear_axis("plane_second", "Second", scaleanchor="x")
    variance_words = plot.say(_seen, now["explained_variance"]) if "explained_variance" in now else ""
    notes = [
        variance_words,
        "Arrows: the field at the star.",
        line("Markers brighten with time.", step_in_words(plot)),
    ]
    return legend_below(plot.finish(*notes, height=560, hover="closest"), 4)


def _of_looks(places: NDArray[np.floating]) -> dict[str, Any]:
    x, y = places
    return {"x": AtStep("look", x), "y": AtStep("look", y)}


def _arrows(now: Run, ink: str) -> list[Node]:
    """Shafts and heads of the field's arrows; the fastest is as long as the grid's spacing."""
    position, direction = (
        finite(now[name]).transpose("axis", "look", "arrow").values.astype(np.float64)
        for name in ("arrow_position", "arrow_direction")
    )
    speed = np.linalg.norm(direction, axis=0)
    fastest = np.nan_to_num(speed).max(axis=-1, keepdims=True)
    spacing = np.ptp(position, axis=-1).min(axis=0)[:, None] / max(np.sqrt(position.shape[-1]) - 1, 1)
    shaft = direction * np.divide(spacing, fastest, out=np.zeros_like(fastest), where=fastest > 0)
    ends = np.stack([position - shaft / 2, position + shaft / 2, np.full(position.shape, np.nan)], axis=-1)
    lines = single(ends.reshape(*position.shape[:-1], 3 * position.shape[-1]))
    angle = single(90 - np.degrees(np.arctan2(direction[1], direction[0])))
    head = {"symbol": "arrow", "size": 7, "color": ink, "angle": AtStep("look", angle)}
    shafts = {"color": ink, "width": 1.2}
    speeds = {"customdata": AtStep("look", single(speed)), "hovertemplate": SPEED}
    return [
        Scatter(**_of_looks(lines), mode="lines", line=shafts, opacity=0.6, showlegend=False, hoverinfo="skip"),
        Scatter(**_of_looks(lines[..., 1::3]), mode="markers", marker=head, opacity=0.7, showlegend=False, **speeds),
    ]


def _seen(shares: Array) -> str:
    if not np.isfinite(shares).all():
        return ""
    return f"Axes: {percent(float(shares.sum()))} of the variance."
