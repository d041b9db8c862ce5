"""Where prices went, and what the target's moves are like: their volatility, their distribution, their memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.figures import market
from goldviz.figures.chart import Panel, axis, bars, lines, panel, rule
from goldviz.figures.marks import Mark
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.reading import sentences, single
from goldviz.labs.gold_market import measures
from goldviz.labs.gold_market.figures.drawing import DATES, around_zero, free, of, of_market, thin, told

MOST_PRICES, MOST_DAYS = 1_300, 1_000
"""Days drawn of a curve at most."""
MOST_MOVES = 700
"""Spans of days of which the lowest and the highest move are drawn."""
NAMED_MOVES = 8
SPREADS = {
    "rolling_sd": ("±2 sd, last {}", market.KNOWN, "solid"),
    "expanding_sd": ("±2 sd, all before", market.HIDDEN, "dash"),
}
LONGEST_WORDS = 34
"""Characters of a channel's words in a legend."""


def _courses(ds: Run) -> list[tuple[Array, str, int, str, str]]:
    """Prices, their days, channel number, colour and dash: the target, and the covariate that has values."""
    target = (ds["price"], "day", 0, "accent", "solid")
    beside = (ds["beside"], "beside_day", int(ds.attrs["number"]), market.BESIDE, "dot")
    return [target, *([beside] if ds.sizes["beside_day"] else [])]


def _start(ds: Run) -> np.datetime64 | None:
    """The first day of both, where they are drawn on one axis: both are prices, and observed on some day."""
    kinds = ds["transformation"].values[[0, int(ds.attrs["number"])]]
    common = np.intersect1d(ds["day"].values, ds["beside_day"].values)
    return common[0] if common.size and set(kinds) == {"log_return"} else None


def _indices(plot: Plot) -> list[Array]:
    """Each as an index that is 100 on the first day of both."""
    start, indices = _start(plot.ds), []
    for prices, day, *_ in _courses(plot.ds):
        base = float(prices.values[plot.ds[day].values == start][0])
        indices.append((100 / base * prices.astype(np.float64))[thin(plot, day, MOST_PRICES)])
    return indices


def _went(plot: Plot) -> Sequence[Mark | Panel]:
    """On one log axis from 100 on, or in panels of their own, prices above zero on a log axis."""
    ds, apart, parts = plot.ds, _start(plot.ds) is None, []
    for number, (prices, day, channel, colour, dash) in enumerate(_courses(ds)):
        values, unit = prices[thin(plot, day, MOST_PRICES)], str(ds["unit"].values[channel])
        after = f" {market.in_template(unit)}" if unit else ""
        beside = {"customdata": single(values.values)}
        line = lines(
            of(values if apart else _indices(plot)[number], day=day),
            name=as_label(market.shortened(market.words(ds, channel), LONGEST_WORDS)),
            colour=colour,
            dash="solid" if apart else dash,
            hover="%{y:,.6~g}" + after if apart else "%{y:.4~g} (%{customdata:,.6~g}" + after + ")",
            legend=not apart,
            more={} if apart else beside,
        )
        title = as_label(unit or "its own unit")
        logs = ds["transformation"].values[channel] == "log_return"
        y = _log_axis(f"{title}, log axis", values.values) if logs else {"title_text": title}
        parts.append(
            panel(line, heading=market.shortened(market.words(ds, channel), 44), y=axis(scale="free", **y))
            if apart
            else line
        )
    return parts


def _log_axis(title: str, values: NDArray[Any]) -> dict[str, Any]:
    return {"title_text": title, **market.counting_log_axis(0.94 * values.min(), 1.06 * values.max())}


def _index_axis(plot: Plot) -> dict[str, Any]:
    both = _start(plot.ds) is not None
    return _log_axis("Index, log axis", np.concatenate([one.values for one in _indices(plot)])) if both else {}


def _where(plot: Plot) -> str:
    both = [market.shortened(str(name)) for name in plot.ds["channel"].values[[0, int(plot.ds.attrs["number"])]]]
    return f"Where did {' and '.join(dict.fromkeys(both))} go?"


def _from(ds: Run) -> str:
    """From when on both are compared, or what has no value."""
    start, number = _start(ds), int(ds.attrs["number"])
    if start is not None:
        return f"Both start at 100 on {str(start)[:10]}."
    return f"{market.words(ds, number)} has no value in these years." if number and not ds.sizes["beside_day"] else ""


prices = of_market(
    "prices",
    "Where did the target and the covariate go?",
    _went,
    title=_where,
    shows="Prices on a log axis, or both as an index on one: equal heights are equal ratios.",
    cannot_show="Whether the two are related.",
    over="day",
    x=DATES,
    y=free(_index_axis),
    notes=(told(_from),),
    height=460,
    legend_lines=lambda plot: 0 if _start(plot.ds) is None else 2,
)


def _moves(plot: Plot) -> Sequence[Mark]:
    """Every move within twice its volatility as it was known on the day before, and the largest by name."""
    ds, unit, day, rows = plot.ds, market.unit_of_changes(plot.ds), "change_day", thin(plot, "change_day", MOST_DAYS)
    changes = ds["change"].values
    largest = np.argsort(-np.abs(changes))[:NAMED_MOVES]
    with np.errstate(invalid="ignore", divide="ignore"):
        times = np.abs(changes[largest]) / ds["rolling_sd"].values[largest]
    said = [
        f"{abs(ratio):.1f} times the volatility known the day before" if np.isfinite(ratio) else "no volatility yet"
        for ratio in times
    ]
    edge = {"line": {"color": plot.ink.background, "width": 1}}
    return [
        lines(
            of(ds["change"], day=day, rows=extremes(changes, MOST_MOVES)[0], factor=unit.factor),
            name=unit.noun,
            colour="muted",
            width=1,
            hover="%{y:+.2f}",
        ),
        *(
            lines(
                of(ds[name], day=day, rows=rows, factor=2 * sign * unit.factor),
                name=words.format(ds.attrs["window"]),
                colour=colour,
                dash=dash,
                hover="%{y:+.2f}",
                legend=sign > 0,
                more={"legendgroup": name},
            )
            for name, (words, colour, dash) in SPREADS.items()
            for sign in (1, -1)
        ),
        lines(
            of(ds["change"], day=day, rows=largest, factor=unit.factor),
            name=f"{len(largest)} largest moves",
            mode="markers",
            colour="accent",
            hover=f"<b>%{{x|%a %d %b %Y}}: %{{y:+.2f}}{market.in_template(unit.suffix)}</b><br>"
            "%{customdata}<extra></extra>",
            more={"customdata": said, "marker": {"symbol": "diamond", "size": 9, **edge}},
        ),
    ]


def extremes(values: NDArray[np.float64], most: int) -> tuple[NDArray[np.int64], int]:
    """Indices of the lowest and highest value of each of at most ``most`` equal spans, and a span's length.

    >>> extremes(np.array([0.0, 5.0, 1.0, -1.0, 2.0, 2.0]), 2)[0].tolist()
    [0, 1, 3, 4]
    """
    span = max(1, -(-len(values) // most))
    places: set[int] = set()
    for start in range(0, len(values), span):
        part = values[start : start + span]
        places |= {start + int(part.argmin()), start + int(part.argmax())}
    return np.array(sorted(places)), span


def outside_sentence(ds: Run) -> str:
    """How many moves were larger than twice each volatility."""
    rolling, expanding = (market.percent(share(ds)) for share in (measures.outside_rolling, measures.outside_expanding))
    return f"Outside the lines: {rolling} (last {int(ds.attrs['window'])}), {expanding} (all before)."


def _spans(plot: Plot) -> str:
    """Where the numbers come from, and which of them are drawn."""
    _, span = extremes(plot.ds["change"].values, MOST_MOVES)
    spans = f"Moves: the lowest and the highest of every {span} days." if span > 1 else ""
    lines, plot.thinning = f"Lines: {plot.thinning[0].lower()}{plot.thinning[1:]}" if plot.thinning else "", ""
    return sentences(market.source_sentence(plot.ds), spans, lines)


def _unit(plot: Plot) -> dict[str, Any]:
    return {"title_text": as_label(market.unit_of_changes(plot.ds).title)}


returns = of_market(
    "returns",
    "When are the moves large?",
    _moves,
    shows="The moves, and twice two volatilities known the day before.",
    over="change_day",
    x=free(lambda plot: {**market.DATES, "range": market.days(plot.ds["change_day"])[[0, -1]].tolist()}),
    y=free(_unit),
    notes=(told(outside_sentence),),
    lead=_spans,
    height=440,
    hover="closest",
)


def _days_by_move(plot: Plot) -> Sequence[Mark]:
    """The moves' histogram beside a Gaussian of the same standard deviation."""
    ds, factor = plot.ds, market.unit_of_changes(plot.ds).factor
    count, gaussian = (ds[name].assign_coords(bin=factor * ds["bin"]) for name in ("count", "gaussian"))
    flat = {"line": {"width": 0}}
    width = {"width": factor * ds.attrs["bin_width"]}
    return [
        bars(of(count), name="days", colour=market.KNOWN, marker=flat, hover="%{y:.0f}", more=width),
        lines(
            of(gaussian.where(gaussian > 0.2)),
            name="Gaussian of the same sd",
            colour="accent",
            dash="dash",
            width=2.5,
            hover="%{y:.3~g}",
        ),
    ]


def tail_sentence(ds: Run) -> str:
    """The kurtosis, and what lies beyond four standard deviations."""
    count, by_gaussian = int(ds.attrs["beyond"]), float(ds.attrs["gaussian_beyond"])
    return (
        f"Excess kurtosis {ds.attrs['excess_kurtosis']:.1f} (Gaussian: 0). Beyond 4 standard deviations: "
        f"{count} day{'' if count == 1 else 's'}; a Gaussian gives {by_gaussian:.2g}."
    )


def worst_sentence(ds: Run) -> str:
    """The largest loss and the largest gain with their dates."""
    unit, moves, dates = market.unit_of_changes(ds), ds["change"].values, market.days(ds["change_day"])
    low, high = measures.worst_and_best(ds)
    return f"Worst day {unit.said(moves[low])} ({dates[low]}), best {unit.said(moves[high])} ({dates[high]})."


def _beyond(ds: Run) -> str:
    off = int(ds.attrs["off_scale"])
    beyond = f"{off} move{'' if off == 1 else 's'} beyond the axis." if off else ""
    return sentences(market.source_sentence(ds), beyond)


def _counts(plot: Plot) -> dict[str, Any]:
    most = float(max(plot.ds["count"].values.max(), plot.ds["gaussian"].values.max()))
    return market.counting_log_axis(0.5, 1.3 * most)


distribution = of_market(
    "distribution",
    "Are large moves rarer than in a Gaussian?",
    _days_by_move,
    shows="Days by their move, beside what a Gaussian gives.",
    x=free(lambda plot: {**_unit(plot), "showgrid": False, "hoverformat": ".2f"}),
    y=free(_counts, "Days"),
    notes=(told(tail_sentence), told(worst_sentence)),
    lead=told(_beyond),
    height=400,
    legend_lines=1,
)


def _by_lag(plot: Plot) -> Sequence[Mark]:
    """Autocorrelation of the moves and of their squares, with the band of white noise."""
    ds = plot.ds
    noise = float(ds.attrs["noise"])
    flat = {"line": {"width": 0}}
    return [
        bars(
            "of_squares",
            name="squares: their size",
            colour=market.HIDDEN,
            marker=flat,
            hover="%{y:+.3f}",
            more={"width": 0.55},
        ),
        lines(
            "of_changes",
            name=f"{market.unit_of_changes(ds).plural} themselves",
            colour=market.KNOWN,
            mode="lines+markers",
            symbol="circle",
            size=6,
            width=1.5,
            hover="%{y:+.3f}",
        ),
        rule(y=-noise, to=noise),
    ]


def memory_sentence(ds: Run) -> str:
    """How many lags stand out of the band of white noise."""
    noise, lags = float(ds.attrs["noise"]), ds.sizes["lag"]
    squares, moves = measures.lags_of_squares(ds), measures.lags_of_moves(ds)
    return (
        f"Outside the grey band of white noise (±{noise:.3f}): {squares:.0f} of {lags} lags of the squares, "
        f"{moves:.0f} of the moves; chance gives {0.05 * lags:.0f}."
    )


memory = of_market(
    "memory",
    "What do past moves tell?",
    _by_lag,
    shows="The autocorrelation of the moves, and of their squares.",
    y=around_zero(lambda ds: "Autocorrelation"),
    notes=(told(memory_sentence),),
    height=400,
)
