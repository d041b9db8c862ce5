"""What the forecast is made from: gradients by lag, inputs by lag and channel, hidden states over time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.diagnostics.findings import percent
from goldviz.figures.chart import Channel, axis, colours, curves, figure, heat
from goldviz.figures.elements import unseen
from goldviz.figures.frames import AtStep, Words, line
from goldviz.figures.limits import Quantity, Values, log10, magnitudes
from goldviz.figures.market import shortened
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.reading import MOST_CELLS, finite, sentences, thinned
from goldviz.figures.theme import style_of
from goldviz.labs.gold_forecast.figures.days import AT_THE_END, axis_of_days, missing
from goldviz.labs.gold_forecast.measures import reach_of
from goldviz.labs.gold_forecast.scoring.series import Dates, channels_of, settings_of
from goldviz.labs.gold_forecast.words import join_words

SLOW = 0.8
"""Autocorrelation above which a unit is called slow."""
WITHOUT_STATES = "An MLP reads its window at once: it has no hidden state that travels through time."


def _network(ds: Run) -> str:
    return str(settings_of(ds).get("network", "gru"))


def _reach(plot: Plot) -> Words:
    """The answer: how many rows back the gradient is still a hundredth of its largest."""
    lags = plot.ds["lag"].values

    def said(now: Array) -> str:
        reach = reach_of(now.transpose("lag", "seed").values, lags)
        if not np.isfinite(reach).any():
            return "Every norm is exactly 0, or not a finite number."
        return f"Above 1/100 up to {int(np.nanmedian(reach))} of {int(lags[-1])} rows back."

    return plot.say(said, plot.now["state_gradient_norm"].astype(np.float64))


def _unseen(plot: Plot) -> Words:
    now = plot.now["state_gradient_norm"].astype(np.float64)
    return unseen(now.expand_dims(network=[_network(plot.ds)]), "lag", "row")


def _last_refit(plot: Plot) -> Words:
    return plot.when("Epoch {}, last refit.", "look")


def _sizes(plot: Plot) -> Array:
    """How much each input moves the forecast, a row for each channel; the target, the first, stands at the top."""
    now = finite(plot.now["input_gradient"].astype(np.float64)).mean("seed").transpose("look", "channel", "lag")
    return now.isel(channel=slice(None, None, -1)).assign_coords(channel=np.arange(now.sizes["channel"]))


def _lags(plot: Plot) -> tuple[Values, str]:
    """Which lags are drawn, and a sentence if some are left out."""
    sizes = plot.ds.sizes
    return thinned(sizes["lag"], most=max(1, MOST_CELLS // max(sizes["channel"], 1)), noun="row")


def _logarithms(plot: Plot) -> Array:
    return log10(plot.once(_sizes).isel(lag=_lags(plot)[0]))


def _shares(plot: Plot) -> AtStep:
    """Each channel's share of all, the lowest row's first."""
    sums = plot.once(_sizes).sum("lag").values
    total = sums.sum(axis=1, keepdims=True)
    return AtStep("look", sums / np.where(total > 0, total, 1))


def _named(plot: Plot) -> Mapping[str, Any]:
    """The names in full, which an axis has no room for."""
    shape = plot.once(_logarithms).shape[1:]
    names = np.array([as_label(name) for name in channels_of(plot.ds)[::-1]])
    few = np.prod(shape) <= MOST_CELLS // 8
    return {"hoverongaps": False, "customdata": np.broadcast_to(names[:, None], shape) if few else None}


def _channels(plot: Plot) -> Mapping[str, Any]:
    names = [as_label(shortened(name, 14)) for name in channels_of(plot.ds)[::-1]]
    rows = _shares(plot).map(lambda now: [f"{name} {percent(one)}" for name, one in zip(names, now, strict=True)])
    return {"tickvals": [*range(len(names))], "ticktext": rows, "range": (-0.5, len(names) - 0.5)}


def _gaps(plot: Plot) -> AtStep:
    return AtStep("look", np.isnan(plot.once(_logarithms).values).any(axis=(1, 2)))


def _of_inputs(plot: Plot) -> Words:
    count = plot.ds.sizes["seed"]
    grey = _gaps(plot).map(lambda some: "Grey: unobserved, or exactly 0." if some else "")
    return line(_last_refit(plot), f"Mean of {count} seeds." if count > 1 else "", _lags(plot)[1], grey)


def autocorrelation(rows: Values) -> Values:
    """Each row's correlation with itself one step before (rows, steps); NaN for a row that never changes.

    >>> autocorrelation(np.array([[1.0, 2.0, 3.0, 4.0], [1.0, -1.0, 1.0, -1.0]])).round(2)
    array([ 0.25, -0.75])
    """
    around = rows - rows.mean(axis=1, keepdims=True)
    power_of = np.square(around).sum(axis=1)
    return np.asarray((around[:, 1:] * around[:, :-1]).sum(axis=1) / np.where(power_of > 0, power_of, np.nan))


def _states(plot: Plot) -> tuple[Array, Values, str]:
    """Hidden states, the slowest unit last; how slow each is; and a sentence if some units are left out."""
    states = finite(plot.ds["hidden"].transpose("unit", "recent").astype(np.float64))
    slowness = autocorrelation(states.values)
    order = np.argsort(np.nan_to_num(slowness, nan=-2.0))
    rows, thinning = thinned(len(order), most=max(1, MOST_CELLS // max(states.sizes["recent"], 1)), noun="unit")
    drawn = states.isel(unit=order[rows]).rename(unit="rank")
    places = {"rank": np.arange(len(rows)), "recent": _recent(plot.ds).astype(str)}
    return drawn.assign_coords(**places), slowness, thinning


def _recent(ds: Run) -> Dates:
    """The days at which hidden states were recorded."""
    return np.array([str(day)[:10] for day in ds["recent"].values], "datetime64[D]")


def _recent_days(ds: Run) -> Values:
    at = _recent(ds).astype(float) if ds.sizes.get("recent") else np.array([])
    return np.array([at.min() - 0.5, at.max() + 0.5]) if at.size else at


def _drawn_states(plot: Plot) -> Array:
    return plot.once(_states)[0]


def _slow_units(plot: Plot) -> str:
    slowness = plot.once(_states)[1]
    slow = f"{int((slowness > SLOW).sum())} of {len(slowness)} units slow (autocorrelation above {SLOW:g})."
    return slow if np.isfinite(slowness).any() else ""


def _whose_states(plot: Plot) -> str:
    seeds = ", first seed" if plot.ds.sizes.get("seed", 1) > 1 else ""
    return sentences(f"{style_of(_network(plot.ds)).label}, last refit{seeds}, at the end.", plot.once(_states)[2])


FIGURES = (
    # One look of the last refit. A bright row is a channel that the forecast moves with; what is dark everywhere has no
    # say. It says what the network uses, not what is worth using: a forecast without skill listens as well.
    figure(
        "listening",
        "What does the forecast listen to?",
        heat(
            Channel("input_gradient", lambda plot: plot.once(_logarithms), lambda plot: plot.once(_logarithms)),
            "lag",
            "channel",
            hover="%{customdata}, %{x} rows back<br>10<sup>%{z:.2f}</sup>",
            more=_named,
        ),
        instead=missing("input_gradient"),
        needs=(),
        shows="How much the forecast moves with each input, channel by channel.",
        limits=magnitudes("input_gradient"),
        y=axis("", told=_channels),
        colour=colours("Size of the derivative", ends=lambda plot: plot.limit("input_gradient"), powers=True),
        notes=(
            lambda plot: _shares(plot).map(
                lambda now: "" if now.any() else "The forecast does not depend on any input."
            ),
            _of_inputs,
        ),
        lead=lambda plot: join_words(plot.ds),
        says_step=False,
        seeds=False,
        height=lambda plot: 240 + 30 * plot.ds.sizes["channel"],
        layout=lambda plot: {"plot_bgcolor": _gaps(plot).map(lambda some: plot.ink.gap if some else None)},
    ),
    # Read it from left to right, as the error travels back. Where it is hundreds of times smaller than at the start,
    # older rows hardly teach the network anything (document 001, eq. 6-9).
    figure(
        "gradient_by_lag",
        "How far back does the network learn from?",
        lambda plot: [curves("state_gradient_norm", style=style_of(_network(plot.ds)))],
        title="How far back does it learn from?",
        instead=lambda ds: WITHOUT_STATES if _network(ds) == "mlp" else missing("state_gradient_norm")(ds),
        needs=(),
        shows="How long dL/dh is at each row before the forecast.",
        y=axis(None, "state_gradient_norm", scale="log"),
        notes=(_reach, lambda plot: plot.drawn(_last_refit(plot))),
        lead=_unseen,
        seeds=False,
        says_step=False,
        legend="none",
    ),
    # A unit is slow if its value resembles the one of the day before (autocorrelation at lag 1). Slow units carry what
    # lasts, such as how calm the market is; rows that flicker follow the last day.
    figure(
        "hidden",
        "What does the network keep in mind?",
        heat(_drawn_states, "recent", "rank", hover="%{x|%d %b %Y}<br>%{z:.3f}", more={"hoverongaps": False}),
        instead=missing("hidden", waiting=AT_THE_END),
        shows="The hidden states behind the last forecasts, slow units at the top.",
        limits={"hidden_time": Quantity(_recent_days)},
        x=axis_of_days("hidden_time", ticks=4, title="Forecast made on"),
        y=axis(
            "Units, slowest at the top",
            told=lambda plot: {"showticklabels": False, "ticks": "", "range": (-0.5, len(_drawn_states(plot)) - 0.5)},
        ),
        colour=colours("Value of the hidden unit", "hidden", scale="signed"),
        notes=(_slow_units,),
        lead=_whose_states,
        height=lambda plot: 300 + min(260, 8 * len(_drawn_states(plot))),
        layout=lambda plot: {"plot_bgcolor": plot.ink.gap if np.isnan(_drawn_states(plot).values).any() else None},
    ),
)
