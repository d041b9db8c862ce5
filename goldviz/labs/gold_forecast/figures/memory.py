"""What the forecast is made from: gradients by lag, inputs by lag and channel, hidden states over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.diagnostics.findings import percent
from goldviz.figures.chart import axis, colours, curves, figure, heat
from goldviz.figures.draft import Figure
from goldviz.figures.elements import number_ticks, power, power_ticks, unseen, whole
from goldviz.figures.frames import AtStep, Words, line
from goldviz.figures.limits import Quantity, Values, log10, magnitudes
from goldviz.figures.maps import cells, colour_bar
from goldviz.figures.marks import Mark
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.reading import MOST_CELLS, finite, sentences, thinned
from goldviz.figures.theme import SEQUENTIAL, style_of
from goldviz.labs.gold_forecast.figures.days import AT_THE_END, axis_of_days, missing
from goldviz.labs.gold_forecast.measures import reach_of
from goldviz.labs.gold_forecast.scoring.series import Dates, settings_of
from goldviz.labs.gold_forecast.words import join_words

SLOW = 0.8
"""Autocorrelation above which a unit is called slow."""
LONGEST_NAME = 14
"""Characters of a channel's name on the axis."""
WITHOUT_STATES = "An MLP reads its window at once: it has no hidden state that travels through time."


def _network(ds: Run) -> str:
    return str(settings_of(ds).get("network", "gru"))


def _without_states(ds: Run) -> str:
    return WITHOUT_STATES if _network(ds) == "mlp" else missing("state_gradient_norm")(ds)


def _gradients(plot: Plot) -> Sequence[Mark]:
    return [curves("state_gradient_norm", style=style_of(_network(plot.ds)))]


def _reach(plot: Plot) -> Words:
    return plot.say(_reach_in_words, plot.now["state_gradient_norm"].astype(np.float64))


def _reach_in_words(now: Array) -> str:
    """The answer: how many rows back the gradient is still a hundredth of its largest."""
    lags = now["lag"].values
    reach = reach_of(now.transpose("lag", "seed").values, lags)
    if not np.isfinite(reach).any():
        return "Every norm is exactly 0, or not a finite number."
    return f"Above 1/100 up to {int(np.nanmedian(reach))} of {int(lags[-1])} rows back."


def _unseen(plot: Plot) -> Words:
    now = plot.now["state_gradient_norm"].astype(np.float64)
    return unseen(now.expand_dims(network=[_network(plot.ds)]), "lag", "row")


def _last_refit(plot: Plot) -> Words:
    return plot.drawn(plot.when("Epoch {}, last refit.", "look"))


def _listening(plot: Plot) -> Figure:
    """The names of its rows say each channel's share of the step in view, and what is grey hangs on the step."""
    ds = plot.ds
    now = finite(plot.now["input_gradient"].astype(np.float64)).mean("seed").transpose("look", "channel", "lag")
    channels = [str(channel) for channel in ds["channel"].values]
    sums = now.sum("lag").values
    total = sums.sum(axis=1, keepdims=True)
    shares = AtStep("look", sums / np.where(total > 0, total, 1))
    columns, thinning = thinned(now.sizes["lag"], most=max(1, MOST_CELLS // max(len(channels), 1)), noun="row")
    # The target, first among the channels, stands at the top.
    values = log10(now.isel(lag=columns)).values[:, ::-1]
    names = np.broadcast_to(np.array([as_label(name) for name in channels[::-1]])[:, None], values.shape[1:])
    plot.add(
        cells(
            AtStep("look", values),
            x=now["lag"].values[columns],
            y=[*range(len(channels))],
            hover="%{customdata}, %{x} rows back<br>10<sup>%{z:.2f}</sup>",
            hoverongaps=False,
            customdata=names if names.size <= MOST_CELLS // 8 else None,
        )
    )
    ends = plot.limit("lag")
    ticks = number_ticks(*whole(ends), {})
    plot.figure.update_xaxes(title_text="Rows back from the forecast", range=ends, showgrid=False, **ticks)
    plot.link("x", "lag")
    plot.figure.update_yaxes(
        tickvals=[*range(len(channels))],
        ticktext=shares.map(lambda now: _shares(channels, now)[::-1]),
        range=(-0.5, len(channels) - 0.5),
        showgrid=False,
    )
    gaps = AtStep("look", np.isnan(values).any(axis=(1, 2)))
    grey = gaps.map(lambda some: "Grey: unobserved, or exactly 0." if some else "")
    seeds = f"Mean of {ds.sizes['seed']} seeds." if ds.sizes["seed"] > 1 else ""
    deaf = shares.map(lambda now: "" if now.any() else "The forecast does not depend on any input.")
    place = line(plot.when("Epoch {}, last refit.", "look"), seeds, thinning, grey)
    plot.finish(deaf, place, join_words(ds), height=240 + 30 * len(channels), legend=False, hover="closest")
    low, high = plot.limit("input_gradient")
    words = f"Size of the derivative, {power(low)} to {power(high)}"
    colour_bar(plot.figure, (low, high), SEQUENTIAL, words, **power_ticks(low, high))
    return plot.figure.update_layout(plot_bgcolor=gaps.map(lambda some: plot.ink.gap if some else None))


def _shares(channels: list[str], shares: Values) -> list[str]:
    short = [name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…" for name in channels]
    return [f"{as_label(name)} {percent(share)}" for name, share in zip(short, shares, strict=True)]


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


def _units(plot: Plot) -> Mapping[str, Any]:
    count = _states(plot)[0].sizes["rank"]
    return {"showticklabels": False, "ticks": "", "range": (-0.5, count - 0.5)}


def _slow_units(plot: Plot) -> str:
    _, slowness, _ = _states(plot)
    told = slowness[np.isfinite(slowness)]
    slow = f"{int((told > SLOW).sum())} of {len(slowness)} units slow (autocorrelation above {SLOW:g})."
    return slow if told.size else ""


def _whose_states(plot: Plot) -> str:
    seeds = ", first seed" if plot.ds.sizes.get("seed", 1) > 1 else ""
    return sentences(f"{style_of(_network(plot.ds)).label}, last refit{seeds}, at the end.", _states(plot)[2])


FIGURES = (
    # One look of the last refit. A bright row is a channel that the forecast moves with; what is dark everywhere has no
    # say. It says what the network uses, not what is worth using: a forecast without skill listens as well.
    figure(
        "listening",
        "What does the forecast listen to?",
        draw=_listening,
        instead=missing("input_gradient"),
        shows="How much the forecast moves with each input, channel by channel.",
        limits=magnitudes("input_gradient"),
    ),
    # Read it from left to right, as the error travels back. Where it is hundreds of times smaller than at the start,
    # older rows hardly teach the network anything (document 001, eq. 6-9).
    figure(
        "gradient_by_lag",
        "How far back does the network learn from?",
        _gradients,
        title="How far back does it learn from?",
        instead=_without_states,
        needs=(),
        shows="How long dL/dh is at each row before the forecast.",
        limits=magnitudes("state_gradient_norm"),
        y=axis(None, "state_gradient_norm", scale="log"),
        notes=(_reach, _last_refit),
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
        lambda plot: [
            heat(
                lambda plot: _states(plot)[0],
                "recent",
                "rank",
                hover="%{x|%d %b %Y}<br>%{z:.3f}",
                more={"hoverongaps": False},
            )
        ],
        instead=missing("hidden", waiting=AT_THE_END),
        shows="The hidden states behind the last forecasts, slow units at the top.",
        limits={"hidden_time": Quantity(_recent_days)},
        x=axis_of_days("hidden_time", ticks=4, title="Forecast made on"),
        y=axis("Units, slowest at the top", told=_units),
        colour=colours("Value of the hidden unit", "hidden", scale="signed"),
        notes=(_slow_units,),
        lead=_whose_states,
        height=lambda plot: 300 + min(260, 8 * _states(plot)[0].sizes["rank"]),
        layout=lambda plot: {"plot_bgcolor": plot.ink.gap if np.isnan(_states(plot)[0].values).any() else None},
    ),
)
