"""Where prices went, and what the target's moves are like: their volatility, their distribution, their memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.figures import market
from goldviz.figures.chart import Channel, Panel, attribute, axis, bars, changed, lines, panel, rule
from goldviz.figures.elements import drawn_ends
from goldviz.figures.marks import Mark
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.reading import sentences, single
from goldviz.labs.gold_market import measures
from goldviz.labs.gold_market.figures.drawing import DATES, FLAT, around_zero, of_market, on_days, thin, told
from goldviz.plurals import how_many

MOST_PRICES = 1_300
"""Days drawn of a price at most."""
MOST_MOVES = 700
"""Spans of days of which the lowest and the highest move are drawn."""
NAMED_MOVES = 8
SPREADS = {
    "rolling_sd": ("±2 sd, last {}", market.KNOWN, "solid"),
    "expanding_sd": ("±2 sd, all before", market.HIDDEN, "dash"),
}
LONGEST_WORDS = 34
"""Characters of a channel's words in a legend."""


def _start(ds: Run) -> np.datetime64 | None:
    """The first day of both, where they are drawn on one axis: both are prices, and observed on some day."""
    kinds = ds["transformation"].values[[0, int(ds.attrs["number"])]]
    common = np.intersect1d(ds["day"].values, ds["beside_day"].values)
    return common[0] if common.size and set(kinds) == {"log_return"} else None


def _went(plot: Plot) -> Sequence[Mark | Panel]:
    """On one log axis from 100 on, or in panels of their own, prices above zero on a log axis."""
    ds, start = plot.ds, _start(plot.ds)
    parts: list[Mark | Panel] = []
    beside = (int(ds.attrs["number"]), market.BESIDE, "dot")
    for name, (channel, colour, dash) in {"price": (0, "accent", "solid"), "beside": beside}.items():
        day = str(ds[name].dims[0])
        if not ds.sizes[day]:
            continue
        values, unit = ds[name][thin(plot, day, MOST_PRICES)], str(ds["unit"].values[channel])
        words, after = market.words(ds, channel), f" {market.in_template(unit)}" if unit else ""
        looks: dict[str, Any] = {"name": as_label(market.shortened(words, LONGEST_WORDS)), "colour": colour}
        if start is not None:
            index = 100 / float(ds[name].values[ds[day].values == start][0]) * values.astype(np.float64)
            hover, said = "%{y:.4~g} (%{customdata:,.6~g}" + after + ")", {"customdata": single(values.values)}
            parts.append(lines(on_days(index), **looks, dash=dash, hover=hover, more=said))
        else:
            line = lines(on_days(values), **looks, hover="%{y:,.6~g}" + after, legend=False)
            title = as_label(unit or "its own unit")
            ratios = ds["transformation"].values[channel] == "log_return"
            y = _log_axis(title, values.values.min(), values.values.max()) if ratios else {"title_text": title}
            parts.append(panel(line, heading=market.shortened(words, 44), y=axis(scale="free", **y)))
    return parts


def _log_axis(title: str, low: float, high: float) -> dict[str, Any]:
    return {"title_text": f"{title}, log axis", **market.counting_log_axis(0.94 * low, 1.06 * high)}


def _index_axis(plot: Plot) -> dict[str, Any]:
    return {} if _start(plot.ds) is None else _log_axis("Index", *drawn_ends(plot.figure))


def _where(plot: Plot) -> str:
    both = dict.fromkeys(market.name_of(plot.ds, number) for number in (0, int(plot.ds.attrs["number"])))
    return f"Where did {' and '.join(both)} go?"


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
    y=axis(scale="free", told=_index_axis),
    notes=(told(_from),),
    height=460,
    legend_lines=lambda plot: 0 if _start(plot.ds) is None else 2,
)


def _moves(plot: Plot) -> Sequence[Mark]:
    """Every move within twice its volatility as it was known on the day before, and the largest by name."""
    ds, unit, rows = plot.ds, market.unit_of_changes(plot.ds), thin(plot, "change_day")
    moves, changes = unit.factor * ds["change"], ds["change"].values
    largest = np.argsort(-np.abs(changes))[:NAMED_MOVES]
    with np.errstate(invalid="ignore", divide="ignore"):
        times = np.abs(changes[largest]) / ds["rolling_sd"].values[largest]
    said = [
        f"{ratio:.1f} times the volatility known the day before" if np.isfinite(ratio) else "no volatility yet"
        for ratio in times
    ]
    edge = {"line": {"color": plot.ink.background, "width": 1}}
    spans = extremes(changes, MOST_MOVES)[0]
    return [
        lines(on_days(moves, spans), name=unit.noun, colour="muted", width=1, hover="%{y:+.2f}"),
        *(
            lines(
                on_days(2 * sign * unit.factor * ds[name], rows),
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
            on_days(moves, largest),
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
    x=axis(
        scale="free",
        told=lambda plot: {**market.DATES, "range": market.days(plot.ds["change_day"])[[0, -1]].tolist()},
    ),
    y=axis(scale="free", told=_unit),
    notes=(told(outside_sentence),),
    lead=_spans,
    height=440,
    hover="closest",
)


def _by_move(name: str) -> Channel:
    def read(plot: Plot) -> Array:
        return plot.ds[name].assign_coords(bin=market.unit_of_changes(plot.ds).factor * plot.ds["bin"].values)

    return Channel(name, read, read)


def tail_sentence(ds: Run) -> str:
    """The kurtosis, and what lies beyond four standard deviations."""
    count, by_gaussian = int(ds.attrs["beyond"]), float(ds.attrs["gaussian_beyond"])
    return (
        f"Excess kurtosis {ds.attrs['excess_kurtosis']:.1f} (Gaussian: 0). Beyond 4 standard deviations: "
        f"{how_many(count, 'day')}; a Gaussian gives {by_gaussian:.2g}."
    )


def worst_sentence(ds: Run) -> str:
    """The largest loss and the largest gain with their dates."""
    unit, moves, dates = market.unit_of_changes(ds), ds["change"].values, market.days(ds["change_day"])
    low, high = measures.worst_and_best(ds)
    return f"Worst day {unit.said(moves[low])} ({dates[low]}), best {unit.said(moves[high])} ({dates[high]})."


def _beyond(ds: Run) -> str:
    off = int(ds.attrs["off_scale"])
    return f"{how_many(off, 'move')} beyond the axis." if off else ""


distribution = of_market(
    "distribution",
    "Are large moves rarer than in a Gaussian?",
    bars(_by_move("count"), name="days", colour=market.KNOWN, marker=FLAT, hover="%{y:.0f}"),
    lines(
        changed(_by_move("gaussian"), lambda days: days.where(days > 0.2)),
        name="Gaussian of the same sd",
        colour="accent",
        dash="dash",
        width=2.5,
        hover="%{y:.3~g}",
    ),
    over="bin",
    x=axis(scale="free", told=lambda plot: {**_unit(plot), "showgrid": False, "hoverformat": ".2f"}),
    y=axis("Days", scale="free", told=lambda plot: market.counting_log_axis(0.5, 1.3 * drawn_ends(plot.figure)[1])),
    notes=(told(tail_sentence), told(worst_sentence), told(_beyond)),
    height=400,
    legend_lines=1,
    layout={"bargap": 0},
)


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
    bars("of_squares", name="squares (their size)", colour=market.HIDDEN, marker=FLAT, hover="%{y:+.3f}"),
    lines(
        "of_changes",
        name="moves themselves",
        colour=market.KNOWN,
        mode="lines+markers",
        symbol="circle",
        size=6,
        width=1.5,
        hover="%{y:+.3f}",
    ),
    rule(y=lambda plot: -plot.ds.attrs["noise"], to=attribute("noise")),
    over="lag",
    y=around_zero("Autocorrelation"),
    notes=(told(memory_sentence),),
    height=400,
    layout={"bargap": 0.45},
)
