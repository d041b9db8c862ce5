"""The probe sequence of *ODE-RNN*: what is decoded between the observations, and the jump at each of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.diagnostics.findings import times
from goldviz.figures.draft import Figure, Shape, make_subplots
from goldviz.figures.elements import add_band, add_heading
from goldviz.figures.frames import AtStep, line
from goldviz.figures.limits import padded
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.reading import sentences, single
from goldviz.figures.theme import style_of, tone, with_alpha
from goldviz.labs.ode_rnn.figures.moments import MOST_MOMENTS, drawn_moments, jump_places, lifted, uprights
from goldviz.labs.ode_rnn.figures.probe import (
    BAND_90,
    as_of,
    beyond_training,
    farthest,
    legend_below,
    step_in_words,
    time_unit,
    value_limits,
)

FIRST_PANEL, OTHER_PANEL, BETWEEN, RUG_ROW = 200, 85, 36, 20
"""Pixels: the first network's panel, each other one's, the room between them, and one channel's row of the rug."""

LONGEST_NAME = 12
"""Characters of a channel's name beside the rug."""

HANDLE = 5
"""Radius in pixels of an observation's handle: Plotly resizes a shape of more than 10 pixels instead of moving it."""


def path(plot: Plot, *, channel: str | None = None, editable: bool = False) -> Figure:
    """What each network says of every moment of the probe sequence, of one channel (None: the first), at one look.

    Thick: the decoded mean before the next observation is looked at, with its 90 % band. Upright: the jump from what
    h(t-) says to what h(t+) says (document 001, eq. 31-33). A network that knows time bends between observations; one
    that does not stays flat. Shaded: farther from the last observation than in any gap of training.

    With ``editable``, each observation of the channel is also a small circle that can be dragged in the first panel.
    These circles are the first shapes of the layout, in the order of those observations whose value is not missing:
    ``layout.shapes[i]`` is the i-th of them. They are sized in pixels around ``xanchor`` (time) and ``yanchor``
    (value), which a drag changes. Where a page lets shapes be moved it lets all of them: there are no others here.
    """
    ds = plot.ds
    now = as_of(plot, "decoded_mean", "decoded_scale")
    first = str(ds["channel"].values[0])
    channel_name = channel or first
    names = plot.networks
    rows = _rug_rows(ds)
    plot.figure = _panels(plot, rows)
    ends = plot.limit("value") if channel_name == first else value_limits(ds, channel_name)
    stretches = beyond_training(ds)
    moments = now.isel(moment=drawn_moments(now["moment"].values, MOST_MOMENTS // len(names)))
    for row, name in enumerate(names, start=1):
        _shade(plot, stretches, row, ends)
        _draw_network(plot, moments.sel(network=name, channel=channel_name), name, row)
    if rows:
        _draw_rug(plot, len(names) + 1)
    if editable:
        plot.figure.update_layout(shapes=_handles(ds, channel_name, plot.ink.accent))
    for row in range(1, len(names) + 1):
        plot.figure.update_yaxes(
            title_text=as_label(_short(channel_name)), range=ends, nticks=6 if row == 1 else 4, row=row
        )
    plot.figure.update_xaxes(
        range=plot.limit("time"),
        showgrid=False,
        unifiedhovertitle_text=f"time %{{x:.3f}} {as_label(time_unit(ds))}",
    )
    plot.link("x", "time")
    plot.figure.update_xaxes(title_text=f"Time ({as_label(time_unit(ds))})", row=len(names) + bool(rows))
    misses = forecast_misses(now, channel_name).mean("observation")
    widest = padded(*farthest(ds, channel_name))
    edges = min(ends[0], widest[0]), max(ends[1], widest[1])
    outside = plot.say(lambda mean: _outside(mean, edges), now["decoded_mean"].sel(channel=channel_name))
    notes = [
        plot.each(misses, times, within="Mean miss before looking: {}."),
        "Shaded: longer gaps than in training." if beyond_training(ds) else "",
        line("Band: 90 %.", step_in_words(plot), outside),
    ]
    height = 146 + FIRST_PANEL + (len(names) - 1) * (OTHER_PANEL + BETWEEN) + (rows and rows * RUG_ROW + BETWEEN)
    return legend_below(plot.finish(*notes, height=height), 3 if rows else 2, below_headings=True)


def _panels(plot: Plot, rug_rows: int) -> Figure:
    """A panel for each network, the first one the largest, and a low one for the rug."""
    names = plot.networks
    heights = [FIRST_PANEL, *[OTHER_PANEL] * (len(names) - 1), *([rug_rows * RUG_ROW] if rug_rows else [])]
    total = sum(heights) + BETWEEN * (len(heights) - 1)
    figure = make_subplots(
        rows=len(heights), cols=1, shared_xaxes=True, row_heights=heights, vertical_spacing=BETWEEN / total
    )
    headings = [(style_of(name).heading, style_of(name).colour) for name in names]
    if rug_rows:
        headings.append(("Observed or missing", plot.ink.text))
    for row, (heading, colour) in enumerate(headings, start=1):
        add_heading(figure, row, f"<b>{as_label(heading)}</b>", font={"size": 14, "color": tone(colour, plot.theme)})
    return figure


def _draw_network(plot: Plot, now: Run, name: str, row: int) -> None:
    moments, ink = now["moment"].values, plot.ink
    cuts = jump_places(moments)
    mean, reach = now["decoded_mean"].values, BAND_90 * now["decoded_scale"].values
    colour = style_of(name).colour
    with np.errstate(invalid="ignore"):
        low, high = (AtStep("look", single(side)) for side in (mean - reach, mean + reach))
    add_band(plot.figure, single(moments), low, high, with_alpha(colour, 0.18), row=row)
    drawn: dict[str, dict[str, Any]] = {
        "forecast": {
            "x": lifted(moments, cuts),
            "y": AtStep("look", lifted(mean, cuts)),
            "line": {"color": colour, "width": 2.5},
        },
        "jump": {
            "x": uprights(moments, cuts),
            "y": AtStep("look", uprights(mean, cuts)),
            "line": {"color": ink.accent, "width": 1.5},
            "hovertemplate": None,
            "hoverinfo": "skip",
        },
        "observed": {
            "x": now["probe_time"].values,
            "y": now["probe_value"].values,
            "mode": "markers",
            "marker": {"size": 7, "color": ink.text, "line": {"width": 1, "color": ink.background}},
        },
    }
    if "probe_truth" in now and np.isfinite(now["probe_truth"].values).any():
        dotted = {"color": ink.text, "width": 1.5, "dash": "dot"}
        x, y = single(moments), single(now["probe_truth"].values)
        truth = {"x": x, "y": y, "line": dotted, "legendgroup": "truth"}
        drawn = {"true signal": truth, **drawn}
    for words, trace in drawn.items():
        named = {"name": words, "legendgroup": words, "showlegend": row == 1}
        plot.figure.scatter(**{"mode": "lines", "hovertemplate": "%{y:.3f}", **named, **trace}, row=row)


def _rug_rows(ds: Run) -> int:
    """Channels to show below: all of them if there are several or anything is missing, else none."""
    if "probe_value" not in ds:
        return 0
    values = ds["probe_value"].values
    return values.shape[1] if values.shape[1] > 1 or np.isnan(values).any() else 0


def _draw_rug(plot: Plot, row: int) -> None:
    """Which channels each observation brings: filled if it was observed, a cross if it is missing."""
    ds = plot.ds
    values = ds["probe_value"].transpose("observation", "channel").values
    channels = [str(channel) for channel in ds["channel"].values]
    ink = plot.ink
    kinds = (
        ("observed", ~np.isnan(values), {"symbol": "circle", "size": 6, "color": ink.text}),
        ("missing", np.isnan(values), {"symbol": "x-thin", "size": 7, "line": {"width": 1.5, "color": ink.muted}}),
    )
    for words, where, marker in kinds:
        observation, place = np.nonzero(where)
        labels = np.array([as_label(channel) for channel in channels])[place]
        plot.figure.scatter(
            x=ds["probe_time"].values[observation],
            y=place,
            mode="markers",
            name=words,
            marker=marker,
            showlegend=words == "missing",
            customdata=labels,
            cliponaxis=False,
            hovertemplate=f"%{{customdata}} {words}<extra></extra>",
            row=row,
        )
    plot.figure.update_yaxes(
        range=(len(channels) - 0.5, -0.5),
        tickvals=list(range(len(channels))),
        showgrid=False,
        ticks="",
        ticktext=[as_label(_short(channel)) for channel in channels],
        row=row,
    )


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1].rstrip() + "…"


def _handles(ds: Run, channel: str, accent: str) -> list[Shape]:
    values = ds["probe_value"].sel(channel=channel).values
    pixels = {"xsizemode": "pixel", "ysizemode": "pixel", "x0": -HANDLE, "x1": HANDLE, "y0": -HANDLE, "y1": HANDLE}
    form: dict[str, Any] = {"type": "circle", "xref": "x", "yref": "y", "editable": True, **pixels}
    form |= {"fillcolor": accent, "line": {"width": 8, "color": with_alpha(accent, 0.35)}}
    return [
        Shape(**form, xanchor=float(time), yanchor=float(value))
        for time, value in zip(ds["probe_time"].values, values, strict=True)
        if not np.isnan(value)
    ]


def _shade(plot: Plot, stretches: Sequence[tuple[float, float]], row: int, ends: tuple[float, float]) -> None:
    """Grey over stretches of time: a trace, because where handles may be dragged Plotly lets one drag any shape."""
    low, high = ends[0] - (ends[1] - ends[0]), ends[1] + (ends[1] - ends[0])
    x = [place for start, end in stretches for place in (start, start, end, end, None)]
    plot.figure.scatter(
        x=x,
        y=[low, high, high, low, None] * len(stretches),
        mode="none",
        fill="toself",
        showlegend=False,
        fillcolor=with_alpha(plot.ink.muted, 0.16),
        hoverinfo="skip",
        name="beyond training",
        row=row,
    )


def forecast_misses(now: Run, channel: str) -> Array:
    """How far the forecast just before each observation is from what is then observed, by network; NaN if missing.

    The first observation has nothing before it and is left out.
    """
    before = now["decoded_mean"].sel(channel=channel).isel(moment=jump_places(now["moment"].values))
    before = before.drop_vars("moment").rename(moment="observation")
    return abs(before - now["probe_value"].sel(channel=channel)).isel(observation=slice(1, None))


def _outside(mean: Array, ends: tuple[float, float]) -> str:
    """Whose forecasts leave the axis or are no numbers."""
    parts = []
    for name, row in zip(mean["network"].values, mean.values, strict=True):
        if not np.isfinite(row).all():
            parts.append(f"{style_of(name).label}: some values are not finite numbers.")
        elif row.min() < ends[0] or row.max() > ends[1]:
            parts.append(f"{style_of(name).label} leaves the axis: {row.min():.3g} to {row.max():.3g}.")
    return sentences(*parts)
