"""The probe sequence of *ODE-RNN*: what is decoded between the observations, and the jump at each of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.diagnostics.findings import times
from goldviz.figures.draft import Figure, Shape, make_subplots
from goldviz.figures.elements import add_band, add_heading, handle, title_below
from goldviz.figures.frames import AtStep, line
from goldviz.figures.limits import padded
from goldviz.figures.market import legend_under, shortened
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.reading import sentences, single
from goldviz.figures.theme import style_of, tone, with_alpha
from goldviz.labs.ode_rnn.figures.probe import (
    BAND_90,
    MOST_MOMENTS,
    as_of,
    beyond_training,
    drawn_moments,
    farthest,
    jump_places,
    lifted,
    step_in_words,
    time_axis,
    uprights,
    value_limits,
)

FIRST_PANEL, OTHER_PANEL, BETWEEN, RUG_ROW = 200, 85, 36, 20
"""Pixels: the first network's panel, each other one's, the room between them, and one channel's row of the rug."""

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
    ds, names = plot.ds, plot.networks
    now = as_of(plot, "decoded_mean", "decoded_scale")
    first = str(ds["channel"].values[0])
    chosen = channel or first
    rug = _rug_rows(ds)
    heights = [FIRST_PANEL, *[OTHER_PANEL] * (len(names) - 1), *([rug * RUG_ROW] if rug else [])]
    total = sum(heights) + BETWEEN * (len(heights) - 1)
    plot.figure = make_subplots(
        rows=len(heights), cols=1, shared_xaxes=True, row_heights=heights, vertical_spacing=BETWEEN / total
    )
    ends = plot.limit("value") if chosen == first else value_limits(ds, chosen)
    moments = now.isel(moment=drawn_moments(now["moment"].values, MOST_MOMENTS // len(names)))
    for row, name in enumerate(names, start=1):
        style = style_of(name)
        _head(plot, row, style.heading, tone(style.colour, plot.theme))
        _shade(plot, row, ends)
        _draw_network(plot, moments.sel(network=name, channel=chosen), style.colour, row)
        axis: dict[str, Any] = {
            "title_text": as_label(shortened(chosen)),
            "range": ends,
            "nticks": 6 if row == 1 else 4,
        }
        plot.figure.update_yaxes(**axis, row=row)
    if rug:
        _head(plot, len(heights), "Observed or missing", plot.ink.text)
        _draw_rug(plot, len(heights))
    if editable:
        plot.figure.update_layout(shapes=_handles(ds, chosen, plot.ink.accent))
    across = dict(time_axis(plot))
    title = across.pop("title_text")
    plot.figure.update_xaxes(**across)
    title_below(plot.figure, title)
    plot.link("x", "time")
    misses = forecast_misses(now, chosen).mean("observation")
    widest = padded(*farthest(ds, chosen))
    edges = min(ends[0], widest[0]), max(ends[1], widest[1])
    outside = plot.say(lambda mean: _outside(mean, edges), now["decoded_mean"].sel(channel=chosen))
    plot.finish(
        plot.each(misses, times, within="Mean miss before looking: {}."),
        "Shaded: longer gaps than in training." if beyond_training(ds) else "",
        line("Band: 90 %.", step_in_words(plot), outside),
        height=146 + total,
    )
    legend_under(plot.figure, lines=3 if rug else 2, axis=50)
    return plot.figure.update_layout(margin_t=plot.figure.layout.margin.t + 16)


def _head(plot: Plot, row: int, words: str, colour: str) -> None:
    add_heading(plot.figure, row, f"<b>{as_label(words)}</b>", font={"size": 14, "color": colour})


def _draw_network(plot: Plot, now: Run, colour: str, row: int) -> None:
    moments, ink = now["moment"].values, plot.ink
    cuts = jump_places(moments)
    mean, reach = now["decoded_mean"].values, BAND_90 * now["decoded_scale"].values
    with np.errstate(invalid="ignore"):
        low, high = (AtStep("look", single(side)) for side in (mean - reach, mean + reach))
    add_band(plot.figure, single(moments), low, high, with_alpha(colour, 0.18), row=row)
    drawn: dict[str, dict[str, Any]] = {}
    if "probe_truth" in now and np.isfinite(truth := now["probe_truth"].values).any():
        dotted = {"color": ink.text, "width": 1.5, "dash": "dot"}
        drawn["true signal"] = {"x": single(moments), "y": single(truth), "line": dotted, "legendgroup": "truth"}
    forecast = {"x": lifted(moments, cuts), "y": AtStep("look", lifted(mean, cuts))}
    jump = {"x": uprights(moments, cuts), "y": AtStep("look", uprights(mean, cuts))}
    seen = {"x": now["probe_time"].values, "y": now["probe_value"].values, "mode": "markers"}
    dot = {"size": 7, "color": ink.text, "line": {"width": 1, "color": ink.background}}
    drawn["forecast"] = {**forecast, "line": {"color": colour, "width": 2.5}}
    drawn["jump"] = {**jump, "line": {"color": ink.accent, "width": 1.5}, "hovertemplate": None, "hoverinfo": "skip"}
    drawn["observed"] = {**seen, "marker": dot}
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
    ds, ink = plot.ds, plot.ink
    missing = np.isnan(ds["probe_value"].transpose("observation", "channel").values)
    channels = [str(channel) for channel in ds["channel"].values]
    cross = {"symbol": "x-thin", "size": 7, "line": {"width": 1.5, "color": ink.muted}}
    kinds = {"observed": (~missing, {"symbol": "circle", "size": 6, "color": ink.text}), "missing": (missing, cross)}
    for words, (where, marker) in kinds.items():
        observation, place = np.nonzero(where)
        plot.figure.scatter(
            x=ds["probe_time"].values[observation],
            y=place,
            mode="markers",
            name=words,
            marker=marker,
            showlegend=words == "missing",
            customdata=np.array([as_label(channel) for channel in channels])[place],
            cliponaxis=False,
            hovertemplate=f"%{{customdata}} {words}<extra></extra>",
            row=row,
        )
    names: dict[str, Any] = {
        "tickvals": [*range(len(channels))],
        "ticktext": [as_label(shortened(channel)) for channel in channels],
    }
    plot.figure.update_yaxes(range=(len(channels) - 0.5, -0.5), showgrid=False, ticks="", **names, row=row)


def _handles(ds: Run, channel: str, accent: str) -> list[Shape]:
    values = ds["probe_value"].sel(channel=channel).values
    places = zip(ds["probe_time"].values.tolist(), values.tolist(), strict=True)
    return [handle(time, value, accent, HANDLE) for time, value in places if not np.isnan(value)]


def _shade(plot: Plot, row: int, ends: tuple[float, float]) -> None:
    """Grey beyond training: a trace, because where handles may be dragged Plotly lets one drag any shape."""
    low, high = ends[0] - (ends[1] - ends[0]), ends[1] + (ends[1] - ends[0])
    stretches = beyond_training(plot.ds)
    plot.figure.scatter(
        x=[place for start, end in stretches for place in (start, start, end, end, None)],
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
