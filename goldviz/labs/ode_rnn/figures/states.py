"""The hidden state of *ODE-RNN* on its way: units over time, and its path in a plane."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.diagnostics.findings import percent
from goldviz.figures.chart import Panel, axis, dots, figure, limits_over, lines, panel, rule
from goldviz.figures.frames import AtStep, Words
from goldviz.figures.limits import Values
from goldviz.figures.marks import Mark, given
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite, single
from goldviz.figures.theme import depth_colours
from goldviz.labs.ode_rnn.figures.path import (
    MOST_MOMENTS,
    TIME,
    as_of,
    beyond_training,
    drawn_moments,
    jump_places,
    lifted,
    step_in_words,
    time_axis,
    uprights,
)

UNITS = (("moves most", "solid"), ("second", "dash"), ("third", "dot"))
"""What the drawn units are called, and their dashes."""


def _panels(plot: Plot) -> Sequence[Panel | Mark]:
    """The three units of each network that vary most: flow, and upright jumps."""
    networks, units = plot.networks, plot.ds["unit"].values
    now = as_of(plot, "state")
    now = now.isel(moment=drawn_moments(now["moment"].values, MOST_MOMENTS // len(networks)))
    moments = now["moment"].values
    cuts = jump_places(moments)
    in_flow, in_jumps = (given(part(moments, cuts), moment=None) for part in (lifted, uprights))
    colours = depth_colours(len(UNITS), plot.theme)
    panels: list[Panel | Mark] = []
    for name in networks:
        states = now["state"].sel(network=name).transpose("look", "moment", "unit").values
        liveliest = most_moving(states)
        ways = np.take_along_axis(states, liveliest[:, None], axis=-1).transpose(2, 0, 1)
        marks = []
        for most, way, (words, dash), colour in zip(liveliest.T, ways, UNITS, colours, strict=False):
            flow, jumps = (given(part(way, cuts), look=None, moment=None) for part in (lifted, uprights))
            group = {"legendgroup": words}
            faint = {**group, "opacity": 0.55, "hoverinfo": "skip"}
            how: dict[str, Any] = {"name": words, "colour": colour, "mode": "lines"}
            hover: Any = AtStep("look", [f"unit {unit}: %{{y:.3f}}<extra></extra>" for unit in units[most]])
            marks += [
                lines(flow, x=in_flow, dash=dash, hover=hover, legend=not panels, more=group, **how),
                lines(jumps, x=in_jumps, width=1, legend=False, more=faint, **how),
            ]
        panels.append(panel(*marks, of=name))
    shaded: dict[str, Any] = {"colour": "muted", "alpha": 0.16, "more": {"layer": "below"}}
    return [*panels, *(rule(x=start, to=end, **shaded) for start, end in beyond_training(plot.ds))]


def most_moving(states: NDArray[np.floating]) -> NDArray[np.intp]:
    """The three units (last axis) with the largest spread over the moments (the one before), that one first.

    >>> most_moving(np.array([[0.0, 0.0, 1.0, 0.0], [0.0, 3.0, 2.0, 0.5]]))
    array([1, 2, 3])
    """
    spread = np.ptp(np.where(np.isfinite(states), states, 0.0).astype(np.float64), axis=-2)
    return np.argsort(-spread, kind="stable", axis=-1)[..., : len(UNITS)]


def _flowing(plot: Plot) -> Words:
    """The answer: which part of the state's way is flow, and not jumps."""
    states = as_of(plot, "state")["state"]
    cuts = jump_places(states["moment"].values)
    before_tail = states.isel(moment=slice(int(cuts[-1]) + 2 if len(cuts) else None)).astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        ways = (before_tail.diff("moment") ** 2).sum("unit", skipna=False) ** 0.5
    jumps, whole = (way.sum("moment", skipna=False) for way in (ways.isel(moment=cuts), ways))
    shares = (1 - jumps / whole.where(np.isfinite(whole) & (whole > 0))).clip(min=0)
    return plot.each(shares, percent, within="Way between observations: {}.")


def _plane(plot: Plot, before: Run | None) -> Sequence[Mark]:
    """The field's arrows, the path with its jumps over the one ``before``, and the state in the arrows' plane."""
    if before is not None:
        plot.ds = _facing(plot.ds, before)
    now = as_of(plot, "plane_path", "plane_current", "arrow_position", "arrow_direction")
    moments, places = now["moment"].values, now["plane_path"].transpose("axis", "look", "moment").values
    cuts = jump_places(moments)
    last = int(cuts[-1]) + 1 if len(cuts) else 0
    was = lifted(places[..., : last + 1], cuts)
    if before is not None:
        jumps, way = _before(plot.ds, before)
        was = lifted(way[:, None], jumps)
    ghost: Any = _placed(
        lines, was, name="as recorded", colour="muted", width=1.5, mode="lines", legend=before is not None
    )
    marks = [*_arrows(now), replace(ghost, more={"hoverinfo": "skip"})]
    flows = (("flow", slice(0, last + 1), "solid"), ("after the last observation", slice(last, None), "dot"))
    for words, part, dash in flows:
        own = jump_places(moments[part])
        flow: dict[str, Any] = {"name": words, "colour": "ode_rnn", "dash": dash, "width": 3, "mode": "lines"}
        told: dict[str, Any] = {"more": {"customdata": lifted(moments[part], own)}}
        hover = "time %{customdata:.3f}<extra></extra>"
        marks.append(_placed(lines, lifted(places[..., part], own), hover=hover, **flow, **told))
    jump: dict[str, Any] = {"name": "jump", "colour": "text", "dash": "dash", "width": 1, "mode": "lines"}
    numbers = np.stack([np.arange(1, len(cuts) + 1), moments[cuts]], axis=-1).astype(np.float32)
    edge = {"width": 1, "color": plot.ink.background}
    current = now.get("plane_current", now["plane_path"].isel(moment=last)).transpose("axis", "look").values
    return [
        *marks,
        _placed(lines, uprights(places, cuts), more={"hoverinfo": "skip"}, **jump),
        _placed(
            dots,
            single(places[..., cuts + 1]),
            name="just after an observation",
            colour="text",
            size=8,
            marker={"color": depth_colours(len(cuts), plot.theme), "line": edge},
            hover="observation %{customdata[0]:.0f}, time %{customdata[1]:.3f}<extra></extra>",
            more={"customdata": numbers},
        ),
        _placed(
            dots,
            current[..., None],
            colour="ode_rnn",
            symbol="star",
            size=15,
            marker={"line": {"width": 1.5, "color": plot.ink.text}},
            hover="the arrows' plane goes through here<extra></extra>",
            more={"showlegend": False},
        ),
    ]


def _facing(ds: Run, before: Run) -> Run:
    """The plane with axes that point where those of before did: an axis has no direction of its own."""
    _, was = _before(ds, before)
    recorded = before["plane_path"].transpose("axis", "moment").values[:, : was.shape[-1]]
    signs = np.where((was * recorded).sum(-1) < 0, -1.0, 1.0)
    turned = {}
    for name in ("plane_path", "plane_current", "arrow_position", "arrow_direction"):
        values = ds[name].transpose(..., "axis")
        turned[name] = values.copy(data=values.values * signs)
    axes = ds["plane_axes"].transpose("axis", "unit")
    return ds.assign({**turned, "plane_axes": axes.copy(data=axes.values * signs[:, None])})


def _before(ds: Run, before: Run) -> tuple[NDArray[np.intp], NDArray[np.floating]]:
    """Where the path jumped and went (axis, place) before an observation was moved, in the plane that is drawn."""
    cuts = jump_places(before["moment"].values)
    states = before["state"].sel(network="ode_rnn").transpose("moment", "unit").values.astype(np.float64)
    last = int(cuts[-1]) + 2 if len(cuts) else 1
    axes = ds["plane_axes"].transpose("axis", "unit").values
    return cuts, axes @ (states[:last] - ds["plane_mean"].values).T


def _placed(mark: Callable[..., Mark], places: NDArray[np.floating], **how: Any) -> Mark:
    """A mark at places (axis, look, place) of the plane."""
    x, y = (given(one, look=None, place=None) for one in places)
    return mark(y, x=x, **how)


def _arrows(now: Run) -> list[Mark]:
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
    ways = single(ends.reshape(*position.shape[:-1], 3 * position.shape[-1]))
    angle = AtStep("look", single(90 - np.degrees(np.arctan2(direction[1], direction[0]))))
    faint: dict[str, Any] = {"showlegend": False, "opacity": 0.6, "hoverinfo": "skip"}
    told: dict[str, Any] = {"showlegend": False, "opacity": 0.7, "customdata": AtStep("look", single(speed))}
    heads: dict[str, Any] = {"symbol": "arrow", "size": 7, "marker": {"angle": angle}}
    hover = "%{customdata:.3g} per unit of time<extra></extra>"
    return [
        _placed(lines, ways, colour="muted", width=1.2, mode="lines", more=faint),
        _placed(dots, ways[..., 1::3], colour="muted", hover=hover, more=told, **heads),
    ]


def _places(axis: int, ds: Run) -> Values:
    """Where arrows stand around the path at the last look, along one principal axis."""
    if "arrow_position" not in ds or not ds["arrow_position"].size:
        return np.array([])
    places = ds["arrow_position"].isel(axis=axis)
    return np.asarray(places.isel(look=-1).values if "look" in places.dims else places.values)


def _reach(plot: Plot, axis: int) -> dict[str, Any]:
    """An axis around the path of the last look, and around the one that is drawn where that leaves it."""
    places = as_of(plot, "arrow_position")["arrow_position"].isel(axis=axis).transpose("look", "arrow").values
    low, high = plot.limit(f"plane_{axis + 1}")
    finite_places = [one[np.isfinite(one)] for one in places]
    return {"range": AtStep("look", [(min([low, *one]), max([high, *one])) for one in finite_places])}


def _explained(plot: Plot, **_: object) -> Words:
    def said(shares: Array) -> str:
        return f"Axes: {percent(float(shares.sum()))} of the variance." if np.isfinite(shares).all() else ""

    now = as_of(plot, "explained_variance")
    return plot.say(said, now["explained_variance"]) if "explained_variance" in now else ""


# Curves between the observations are the flow (document 001, eq. 31); upright parts are the jumps (eq. 33). A plain GRU
# only jumps.
LATENT = figure(
    "latent",
    "How does the state flow and jump?",
    _panels,
    needs=("state", "probe_time"),
    limits={"time": TIME},
    shows="The hidden units that move most.",
    over="time",
    x=axis(scale="free", told=time_axis),
    y=axis("h", "state", nticks=5),
    notes=(_flowing,),
    lead=step_in_words,
    says_step=False,
    height=lambda plot: 170 + 150 * len(plot.networks) + (60 if len(plot.networks) == 1 else 0),
    legend="under",
    legend_lines=2,
)

# The arrows are the field's directions in the parallel plane through the state just after the last observation (star),
# a longer one for a faster flow. Elsewhere on the path the field is another one than drawn, because the state is
# elsewhere in the axes that one does not see.
PLANE = figure(
    "plane",
    "Where does the field take the state?",
    _plane,
    needs=("plane_path", "arrow_position", "arrow_direction"),
    limits={f"plane_{axis + 1}": limits_over(partial(_places, axis)) for axis in (0, 1)},
    shows="The ODE-RNN's path in the plane of its two principal axes, and the field at its end.",
    x=axis("First principal axis", scale="free", told=lambda plot: _reach(plot, 0)),
    y=axis("Second", told=lambda plot: {**_reach(plot, 1), "scaleanchor": "x"}),
    notes=("Points brighten with time; star: the last one, whose field the arrows show.", _explained),
    lead=lambda plot, **_: step_in_words(plot),
    says_step=False,
    looks_at={"before": None},
    height=450,
    hover="closest",
    legend="under",
    legend_lines=4,
)
