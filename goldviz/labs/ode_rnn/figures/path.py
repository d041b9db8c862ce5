"""The probe sequence of *ODE-RNN* as figures read it, and what is decoded between its observations and at each jump.

They draw a run's dataset, of which the scrubber picks a look, and in the same way what
``goldviz.labs.ode_rnn.path.path`` gives for edited observations, which has no looks.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.diagnostics.findings import times
from goldviz.figures import limits
from goldviz.figures.draft import Figure, Shape, make_subplots
from goldviz.figures.elements import add_band, add_heading, handle, title_below
from goldviz.figures.frames import AtStep, Words, line
from goldviz.figures.limits import Quantity, Values, exact, padded
from goldviz.figures.market import legend_under, shortened
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.reading import sentences, setting_of, single
from goldviz.figures.theme import INKS, Ink, Theme, style_of, tone, with_alpha

BAND_90 = 1.6448536269514722
"""Standard deviations to each side that hold 90 % of a normal distribution."""

LARGEST_OVERSHOOT = 0.6
"""Heights of the observed range that the axis of values follows a forecast upwards and downwards, at most."""

MOST_MOMENTS = 1400
"""Moments drawn at most in all panels of a figure of the probe; more would not be told apart."""

ALONE, FIRST_PANEL, OTHER_PANEL, BETWEEN, RUG_ROW = 300, 200, 85, 36, 20
"""Pixels: the panel of a network alone, the first of several, each other one's, the room between them, and one
channel's row of the rug."""

HANDLE = 5
"""Radius in pixels of an observation's handle: Plotly resizes a shape of more than 10 pixels instead of moving it."""


def legend_lines(plot: Plot) -> int:
    """Lines that a legend of the run's networks takes on a phone."""
    return max(1, len(plot.networks) - 1)


def as_of(plot: Plot, *names: str) -> Run:
    """The run with these variables at the looks that are drawn, look first; a dataset without looks is one look."""
    now = {name: plot.now[name] for name in names if name in plot.now}
    looks = {name: values if "look" in values.dims else values.expand_dims("look") for name, values in now.items()}
    return plot.ds.drop_dims("look", errors="ignore").assign(looks)


def step_in_words(plot: Plot) -> Words:
    """Which look is drawn; empty for a dataset without looks."""
    return plot.step_in_words("look", one_seed=True) if "look" in plot.ds.dims else ""


def longest_gap(ds: Run) -> float:
    """The longest gap in training; infinite where neither attributes nor settings say."""
    gap = ds.attrs.get("longest_gap", setting_of(ds, "longest_gap"))
    return float(gap) if gap is not None else float("inf")


def time_unit(ds: Run) -> str:
    """The unit of the times as a label, 's' where the dataset does not say."""
    return as_label(str(ds.attrs.get("time_unit", "s")))


def time_axis(plot: Plot) -> Mapping[str, Any]:
    """The axis of the probe's moments."""
    unit = time_unit(plot.ds)
    words = {"title_text": f"Time ({unit})", "unifiedhovertitle_text": f"time %{{x:.3f}} {unit}"}
    return {"range": plot.limit("time"), "showgrid": False, **words}


def gaps_before(ds: Run) -> NDArray[np.float64]:
    """The gap before each observation of the probe sequence; the first has none: NaN."""
    return np.diff(ds["probe_time"].values.astype(np.float64), prepend=np.nan)


def beyond_training(ds: Run) -> list[tuple[float, float]]:
    """Stretches of time in which the last observation is farther away than any was in training."""
    times, longest = ds["probe_time"].values.astype(np.float64), longest_gap(ds)
    ends = np.append(times[1:], max(float(ds["moment"].values[-1]), float(times[-1])))
    # A gap that equals the longest may be a little longer after rounding to single precision.
    return [(at + longest, end) for at, end in zip(times, ends, strict=True) if end - at > longest * (1 + 1e-6)]


def jump_places(moments: NDArray[Any]) -> NDArray[np.intp]:
    """Indices of the moments just before a jump: the next one has the same time.

    >>> jump_places(np.array([0.0, 0.0, 0.5, 1.0, 1.0]))
    array([0, 3])
    """
    return np.flatnonzero(np.diff(moments) == 0)


def drawn_moments(moments: NDArray[Any], most: int) -> NDArray[np.intp]:
    """Indices of the moments to draw: both sides of every jump and the last one, and of the rest as many as fit.

    >>> drawn_moments(np.array([0.0, 0.0, 0.1, 0.2, 0.3, 1.0, 1.0]), most=5)
    array([0, 1, 4, 5, 6])
    """
    sides = np.zeros(len(moments), dtype=bool)
    cuts = jump_places(moments)
    sides[cuts] = sides[cuts + 1] = sides[-1] = True
    rest = np.flatnonzero(~sides)
    stride = max(1, -(-len(rest) // max(1, most - int(sides.sum()))))
    sides[rest[stride - 1 :: stride]] = True
    return np.flatnonzero(sides)


def lifted(values: NDArray[Any], cuts: NDArray[np.intp]) -> NDArray[np.float32]:
    """Values along the moments (last axis) with NaN inside each jump, where a line is to be lifted.

    >>> lifted(np.array([1.0, 2.0, 3.0]), np.array([0]))
    array([ 1., nan,  2.,  3.], dtype=float32)
    """
    with np.errstate(over="ignore"):
        return np.insert(np.asarray(values, dtype=np.float32), cuts + 1, np.nan, axis=-1)


def uprights(values: NDArray[Any], cuts: NDArray[np.intp]) -> NDArray[np.float32]:
    """The two sides of every jump and a NaN after them, along the last axis: what a line of jumps is drawn from.

    >>> uprights(np.array([1.0, 2.0, 3.0]), np.array([0]))
    array([ 1.,  2., nan], dtype=float32)
    """
    with np.errstate(over="ignore"):
        before, after = (np.asarray(values[..., sides], dtype=np.float32) for sides in (cuts, cuts + 1))
    sides = np.stack([before, after, np.full_like(before, np.nan)], axis=-1)
    return sides.reshape(*before.shape[:-1], 3 * len(cuts))


def _seen(channel: str, ds: Run) -> Values:
    values = np.concatenate(
        [ds[name].sel(channel=channel).values.ravel() for name in ("probe_value", "probe_truth") if name in ds]
    )
    return np.asarray(values[np.isfinite(values)])


def farthest(ds: Run, channel: str) -> tuple[float, float]:
    """How far the axis of one channel's values follows a forecast at most, whatever later looks bring."""
    values = _seen(channel, ds)
    if not values.size:
        return -np.inf, np.inf
    room = LARGEST_OVERSHOOT * (float(np.ptp(values)) or 1.0)
    return float(values.min()) - room, float(values.max()) + room


def _of_values(channel: str, ds: Run) -> Values:
    observations = _seen(channel, ds)
    if "decoded_mean" not in ds or "decoded_scale" not in ds:
        return observations
    mean, scale = (
        ds[name].sel(channel=channel).values.ravel().astype(np.float64) for name in ("decoded_mean", "decoded_scale")
    )
    with np.errstate(invalid="ignore"):
        band = np.concatenate([mean, mean - BAND_90 * scale, mean + BAND_90 * scale])
    return np.concatenate([observations, np.clip(band[np.isfinite(band)], *farthest(ds, channel))])


def of_first_channel(ds: Run) -> Values:
    """The values of the first channel, which its axis reaches over."""
    if "channel" not in ds.coords or "probe_value" not in ds:
        return np.array([])
    return _of_values(str(ds["channel"].values[0]), ds)


TIME = Quantity(
    lambda ds: ds["moment"].values.astype(np.float64) if ds.sizes.get("moment") else np.array([]),
    lambda low, high: padded(*exact(low, high)),
)


def flow(plot: Plot, *, before: Run | None = None, editable: bool = False) -> Figure:
    """:func:`path` of the first network alone, over a thin line of what it said of the sequence ``before``.

    Without one that is the line itself, so what is drawn of it stays in view while an observation is dragged.
    """
    plot.ds = plot.ds.sel(network=plot.networks[:1])
    return path(plot, editable=editable, ghost=as_of(plot, "decoded_mean") if before is None else before)


def path(plot: Plot, *, channel: str | None = None, editable: bool = False, ghost: Run | None = None) -> Figure:
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
    heights = [
        ALONE if len(names) == 1 else FIRST_PANEL,
        *[OTHER_PANEL] * (len(names) - 1),
        *([rug * RUG_ROW] if rug else []),
    ]
    total = sum(heights) + BETWEEN * (len(heights) - 1)
    plot.figure = make_subplots(
        rows=len(heights), cols=1, shared_xaxes=True, row_heights=heights, vertical_spacing=BETWEEN / total
    )
    ends = plot.limit("value") if chosen == first else limits.limit(Quantity(partial(_of_values, chosen), padded), [ds])
    moments = now.isel(moment=drawn_moments(now["moment"].values, MOST_MOMENTS // len(names)))
    for row, name in enumerate(names, start=1):
        style = style_of(name)
        _head(plot, row, style.heading, tone(style.colour, plot.theme))
        _shade(plot, row, ends)
        signal = moments.sel(network=name, channel=chosen)
        if ghost is not None:
            # What is edited has no signal of its own, and a hand finds the same lines in the same order.
            signal = _draw_ghost(plot, ghost.sel(network=name).isel(channel=0), row)
        _draw_network(plot, moments.sel(network=name, channel=chosen), signal, style.colour, row)
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
        plot.figure.update_layout(shapes=_handles(ds, chosen, plot.ink), dragmode=False)
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


def _handles(ds: Run, channel: str, ink: Ink) -> list[Shape]:
    places = zip(ds["probe_time"].values, ds["probe_value"].sel(channel=channel).values, strict=True)
    return [handle(float(time), float(value), ink.accent, HANDLE) for time, value in places if not np.isnan(value)]


def shapes_of(ds: Run, theme: Theme) -> list[dict[str, Any]]:
    """The handles of a run's own :func:`flow`, as Plotly's layout has them."""
    return [dict(one) for one in _handles(ds, str(ds["channel"].values[0]), INKS[theme])]


def _head(plot: Plot, row: int, words: str, colour: str) -> None:
    add_heading(plot.figure, row, f"<b>{as_label(words)}</b>", font={"color": colour})


def _draw_ghost(plot: Plot, was: Run, row: int) -> Run:
    """What was said before, at each look or at the one that is meant; returns what was drawn."""
    was = was.isel(moment=drawn_moments(was["moment"].values, MOST_MOMENTS))
    cuts = jump_places(was["moment"].values)
    y = lifted(was["decoded_mean"].values, cuts)
    plot.figure.scatter(
        x=lifted(was["moment"].values, cuts),
        y=AtStep("look", y) if y.ndim > 1 else y,
        name="as recorded",
        mode="lines",
        line={"color": plot.ink.muted, "width": 1.5},
        hoverinfo="skip",
        showlegend=y.ndim == 1,
        row=row,
    )
    return was


def _draw_network(plot: Plot, now: Run, signal: Run, colour: str, row: int) -> None:
    moments, ink = now["moment"].values, plot.ink
    cuts = jump_places(moments)
    mean, reach = now["decoded_mean"].values, BAND_90 * now["decoded_scale"].values
    with np.errstate(invalid="ignore"):
        low, high = (AtStep("look", single(side)) for side in (mean - reach, mean + reach))
    add_band(plot.figure, single(moments), low, high, with_alpha(colour, 0.18), row=row)
    drawn: dict[str, dict[str, Any]] = {}
    if "probe_truth" in signal and np.isfinite(truth := signal["probe_truth"].values).any():
        dotted = {"color": ink.text, "width": 1.5, "dash": "dot"}
        x = single(signal["moment"].values)
        drawn["true signal"] = {"x": x, "y": single(truth), "line": dotted, "legendgroup": "truth"}
    forecast = {"x": lifted(moments, cuts), "y": AtStep("look", lifted(mean, cuts))}
    jump = {"x": uprights(moments, cuts), "y": AtStep("look", uprights(mean, cuts))}
    seen = {"x": now["probe_time"].values, "y": now["probe_value"].values, "mode": "markers"}
    dot = {"size": 7, "color": ink.text, "line": {"width": 1, "color": ink.background}}
    drawn["forecast"] = {**forecast, "line": {"color": colour, "width": 2.5}}
    drawn["jump"] = {**jump, "line": {"color": ink.text, "width": 1.2}, "hovertemplate": None, "hoverinfo": "skip"}
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
