"""What the forecast is made from: gradients by lag, inputs by lag and channel, hidden states over time."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Array
from goldviz.diagnostics.findings import percent
from goldviz.figures.draft import Figure
from goldviz.figures.elements import number_ticks, power, power_ticks, unseen, whole
from goldviz.figures.frames import AtStep, line
from goldviz.figures.limits import Values, log10
from goldviz.figures.maps import SIGNED, cells, colour_bar, symmetric
from goldviz.figures.market import days_axis
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.reading import MOST_CELLS, finite, positive, sentences, thinned
from goldviz.figures.theme import SEQUENTIAL, style_of
from goldviz.labs.gold_forecast.figures.quantities import (
    AT_THE_END,
    figure,
    hidden_days,
    labels,
    missing,
)
from goldviz.labs.gold_forecast.measures import reach_of
from goldviz.labs.gold_forecast.scoring.series import settings_of
from goldviz.labs.gold_forecast.words import join_words

SLOW = 0.8
"""Autocorrelation above which a unit is called slow."""

LONGEST_NAME = 14
"""Characters of a channel's name on the axis."""

WITHOUT_STATES = "An MLP reads its window at once: it has no hidden state that travels through time."


@figure(
    "How far back does the network learn from?",
    title="How far back does it learn from?",
    shows="How long dL/dh is at each row before the forecast.",
)
def gradient_by_lag(plot: Plot) -> Figure:
    """Norm of dL/dh so many rows before the forecast, at one look of the last refit, on a log axis.

    Read it from left to right, as the error travels back. Where it is hundreds of times smaller than at the start,
    older rows hardly teach the network anything (document 001, eq. 6-9).
    """
    ds = plot.ds
    if settings_of(ds).get("network") == "mlp":
        return plot.instead(WITHOUT_STATES)
    if words := missing("state_gradient_norm")(ds):
        return plot.instead(words)
    now = plot.now["state_gradient_norm"].astype(np.float64)
    network = str(settings_of(ds).get("network", "gru"))
    plot.curve(positive(now), network, hover="%{y:.3e}")
    plot.number_axis("lag", "Rows back from the forecast", "%{x} rows back")
    plot.log_axis("state_gradient_norm", "Norm of dL/dh")
    unseen_words = unseen(now.expand_dims(network=[network]), "lag", "row")
    place = plot.when("Epoch {}, last refit.", "look")
    return plot.finish(plot.say(_reach, now), plot.drawn(place), unseen_words, legend=False)


def _reach(now: Array) -> str:
    """The answer: how many rows back the gradient is still a hundredth of its largest."""
    lags = now["lag"].values
    reach = reach_of(now.transpose("lag", "seed").values, lags)
    if not np.isfinite(reach).any():
        return "Every norm is exactly 0, or not a finite number."
    return f"Above 1/100 up to {int(np.nanmedian(reach))} of {int(lags[-1])} rows back."


@figure(
    "What does the forecast listen to?",
    instead=missing("input_gradient"),
    shows="How much the forecast moves with each input, channel by channel.",
)
def listening(plot: Plot) -> Figure:
    """Mean size of the forecast's derivative by each input, by channel and by rows back, as log10 colour.

    A bright row is a channel that the forecast moves with. What is dark everywhere has no say. It says what the
    network uses, not what is worth using: a forecast without skill listens as well.
    """
    ds = plot.ds
    now = finite(plot.now["input_gradient"].astype(np.float64)).mean("seed").transpose("look", "channel", "lag")
    channels = [str(channel) for channel in ds["channel"].values]
    sums = now.sum("lag").values
    total = sums.sum(axis=1, keepdims=True)
    shares = sums / np.where(total > 0, total, 1)
    columns, thinning = thinned(now.sizes["lag"], most=max(1, MOST_CELLS // max(len(channels), 1)), noun="row")
    # The target, first among the channels, stands at the top.
    values = log10(now.isel(lag=columns)).values[:, ::-1]
    hover = "%{customdata}, %{x} rows back<br>10<sup>%{z:.2f}</sup>"
    names = np.broadcast_to(np.array([as_label(name) for name in channels[::-1]])[:, None], values.shape[1:])
    heat = cells(
        AtStep("look", values),
        x=now["lag"].values[columns],
        y=list(range(len(channels))),
        hover=hover,
        hoverongaps=False,
        customdata=names if names.size <= MOST_CELLS // 8 else None,
    )
    figure = plot.figure = Figure(heat)
    ends = plot.limit("lag")
    figure.update_xaxes(title_text="Rows back from the forecast", range=ends, showgrid=False)
    figure.update_xaxes(**number_ticks(*whole(ends), {}))
    plot.link("x", "lag")
    parts = AtStep("look", shares)
    figure.update_yaxes(
        tickvals=list(range(len(channels))),
        ticktext=parts.map(lambda now: _ticks(channels, now)[::-1]),
        range=(-0.5, len(channels) - 0.5),
        showgrid=False,
    )
    gaps = AtStep("look", np.isnan(values).any(axis=(1, 2)))
    grey = gaps.map(lambda some: "Grey: unobserved, or exactly 0." if some else "")
    seeds = f"Mean of {ds.sizes['seed']} seeds." if ds.sizes["seed"] > 1 else ""
    place = line(plot.when("Epoch {}, last refit.", "look"), seeds, thinning, grey)
    notes = [parts.map(_deaf), place, join_words(ds)]
    height = 240 + 30 * len(channels)
    plot.finish(*notes, height=height, legend=False, hover="closest")
    low, high = plot.limit("input_gradient")
    words = f"Size of the derivative, {power(low)} to {power(high)}"
    colour_bar(figure, (low, high), SEQUENTIAL, words, **power_ticks(low, high))
    return figure.update_layout(plot_bgcolor=gaps.map(lambda some: plot.ink.gap if some else None))


def _ticks(channels: list[str], shares: Values) -> list[str]:
    return [f"{as_label(_short(name))} {percent(share)}" for name, share in zip(channels, shares, strict=True)]


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"


def _deaf(shares: Values) -> str:
    return "" if shares.any() else "The forecast does not depend on any input."


@figure(
    "What does the network keep in mind?",
    instead=missing("hidden", waiting=AT_THE_END),
    shows="The hidden states behind the last forecasts, slow units at the top.",
)
def hidden(plot: Plot) -> Figure:
    """Hidden state behind each of the last forecasts, last refit, first seed; the slowest units at the top.

    A unit is slow if its value resembles the one of the day before (autocorrelation at lag 1). Slow units carry what
    lasts, such as how calm the market is; rows that flicker follow the last day.
    """
    ds = plot.ds
    states = finite(ds["hidden"].transpose("unit", "recent").astype(np.float64)).values
    slowness = autocorrelation(states)
    order = np.argsort(np.nan_to_num(slowness, nan=-2.0))
    rows, thinning = thinned(len(order), most=max(1, MOST_CELLS // max(states.shape[1], 1)), noun="unit")
    units = order[rows]
    style = style_of(str(settings_of(ds).get("network", "gru")))
    hover = "%{x|%d %b %Y}<br>%{z:.3f}"
    x = labels(hidden_days(ds))
    figure = plot.figure
    plot.add(cells(states[units], x=x, y=list(range(len(units))), hover=hover, hoverongaps=False))
    days_axis(figure, plot.limit("hidden_time"), ticks=4)
    plot.link("x", "day")
    figure.update_xaxes(title_text="Forecast made on")
    figure.update_yaxes(title_text="Units, slowest at the top", showticklabels=False, ticks="", showgrid=False)
    figure.update_yaxes(range=(-0.5, len(units) - 0.5))
    finite_slowness = slowness[np.isfinite(slowness)]
    slow = f"{int((finite_slowness > SLOW).sum())} of {len(order)} units slow (autocorrelation above {SLOW:g})."
    place = f"{style.label}, last refit{', first seed' if ds.sizes.get('seed', 1) > 1 else ''}, at the end."
    notes = [slow if finite_slowness.size else "", sentences(place, thinning)]
    height = 300 + min(260, 8 * len(units))
    plot.finish(*notes, height=height, legend=False, hover="closest")
    limit = plot.limit("hidden")
    colour_bar(figure, symmetric(states, np.array(limit)), SIGNED, "Value of the hidden unit")
    return figure.update_layout(plot_bgcolor=plot.ink.gap if bool(np.isnan(states).any()) else None)


def autocorrelation(rows: Values) -> Values:
    """Each row's correlation with itself one step before (rows, steps); NaN for a row that never changes.

    >>> autocorrelation(np.array([[1.0, 2.0, 3.0, 4.0], [1.0, -1.0, 1.0, -1.0]])).round(2)
    array([ 0.25, -0.75])
    """
    around = rows - rows.mean(axis=1, keepdims=True)
    power_of = np.square(around).sum(axis=1)
    return np.asarray((around[:, 1:] * around[:, :-1]).sum(axis=1) / np.where(power_of > 0, power_of, np.nan))
