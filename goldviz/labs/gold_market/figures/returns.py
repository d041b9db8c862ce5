"""What the target's moves are like: their volatility, their distribution, their memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.forecasts.moves import Moves
from goldviz.figures import market
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure, Node, Scatter
from goldviz.figures.elements import link
from goldviz.figures.notes import as_label
from goldviz.figures.reading import sentences, single, thinned
from goldviz.figures.spec import drawn
from goldviz.figures.theme import INKS, Theme
from goldviz.labs.gold_market import measures

MOST_DAYS = 1_000
"""Days drawn of a curve at most."""

MOST_MOVES = 700
"""Spans of days of which the lowest and the highest move are drawn."""

NAMED_MOVES = 8


@drawn(
    "When are the moves large?",
    shows="The moves, and twice two volatilities known the day before.",
)
def returns(ds: Run, *, theme: Theme = "light") -> Figure:
    """Every move of the target within twice its volatility as it was known on the day before."""
    unit, window = market.unit_of_changes(ds), int(ds.attrs["window"])
    moves, dates = unit.factor * ds["change"].values, market.days(ds["change_day"])
    largest, span = extremes(moves, MOST_MOVES)
    figure = Figure().scatter(
        x=dates[largest],
        y=single(moves[largest]),
        mode="lines",
        name=unit.noun,
        hovertemplate="%{y:+.2f}",
        line={"color": INKS[theme].muted, "width": 1},
    )
    rows, thinning = thinned(len(moves), MOST_DAYS, "day")
    for name, label, colour, dash in (
        ("rolling_sd", f"±2 sd, last {window}", market.KNOWN, "solid"),
        ("expanding_sd", "±2 sd, all before", market.HIDDEN, "dash"),
    ):
        reach = single(2 * unit.factor * ds[name].values[rows])
        for sign in (1, -1):
            figure.scatter(
                x=dates[rows],
                y=sign * reach,
                mode="lines",
                name=label,
                legendgroup=name,
                showlegend=sign > 0,
                line={"color": colour, "dash": dash, "width": 2},
                hovertemplate="%{y:+.2f}" if sign > 0 else None,
                hoverinfo=None if sign > 0 else "skip",
            )
    figure.add_trace(_named_moves(ds, unit, theme))
    spans = f"Moves: the lowest and the highest of every {span} days." if span > 1 else ""
    lines = f"Lines: {thinning[0].lower()}{thinning[1:]}" if thinning else ""
    notes = [outside_sentence(ds), sentences(market.source_sentence(ds), spans, lines)]
    look.apply(figure, theme, title="When are the moves large?", notes=notes, height=440, hover="closest")
    market.legend_under(figure, lines=2)
    market.date_axis(figure, range=[dates[0], dates[-1]])
    link(figure, "x", "day")
    return figure.update_yaxes(title_text=as_label(unit.title))


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


def _named_moves(ds: Run, unit: Moves, theme: Theme) -> Node:
    """The largest moves, with their dates and how many standard deviations they were."""
    moves, sd = ds["change"].values, ds["rolling_sd"].values
    largest = np.argsort(-np.abs(moves))[:NAMED_MOVES]
    with np.errstate(invalid="ignore", divide="ignore"):
        times = np.abs(moves[largest]) / sd[largest]
    hover = [
        f"{abs(ratio):.1f} times the volatility known the day before" if np.isfinite(ratio) else "no volatility yet"
        for ratio in times
    ]
    return Scatter(
        x=market.days(ds["change_day"])[largest],
        y=unit.factor * moves[largest],
        mode="markers",
        name=f"{len(largest)} largest moves",
        customdata=hover,
        marker={
            "symbol": "diamond",
            "size": 9,
            "color": INKS[theme].accent,
            "line": {"color": INKS[theme].background, "width": 1},
        },
        hovertemplate=f"<b>%{{x|%a %d %b %Y}}: %{{y:+.2f}}{market.in_template(unit.suffix)}</b><br>"
        "%{customdata}<extra></extra>",
    )


@drawn(
    "Are large moves rarer than in a Gaussian?",
    shows="Days by their move, beside what a Gaussian gives.",
)
def distribution(ds: Run, *, theme: Theme = "light") -> Figure:
    """The moves' histogram beside a Gaussian of the same standard deviation, counts on a log axis."""
    unit = market.unit_of_changes(ds)
    middle, gaussian = unit.factor * ds["bin"].values, ds["gaussian"].values
    figure = Figure().bar(
        x=middle,
        y=ds["count"].values,
        name="days",
        width=unit.factor * ds.attrs["bin_width"],
        marker={"color": market.KNOWN, "line": {"width": 0}},
        hovertemplate="%{y:.0f}",
    )
    figure.scatter(
        x=middle,
        y=np.where(gaussian > 0.2, gaussian, np.nan),
        name="Gaussian of the same sd",
        mode="lines",
        line={"color": INKS[theme].accent, "dash": "dash", "width": 2.5},
        hovertemplate="%{y:.3~g}",
    )
    off = int(ds.attrs["off_scale"])
    beyond = f"{off} move{'' if off == 1 else 's'} beyond the axis." if off else ""
    notes = [tail_sentence(ds), worst_sentence(ds), sentences(market.source_sentence(ds), beyond)]
    look.apply(figure, theme, title="Are large moves rarer than in a Gaussian?", notes=notes, height=400)
    most = float(max(ds["count"].values.max(), gaussian.max()))
    market.legend_under(figure, lines=1, axis=52)
    figure.update_xaxes(title_text=as_label(unit.title), showgrid=False, hoverformat=".2f")
    return figure.update_yaxes(title_text="Days", **market.counting_log_axis(0.5, 1.3 * most))


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


@drawn(
    "What do past moves tell?",
    shows="The autocorrelation of the moves, and of their squares.",
)
def memory(ds: Run, *, theme: Theme = "light") -> Figure:
    """Autocorrelation of the moves and of their squares, with the band of white noise."""
    unit, noise = market.unit_of_changes(ds), float(ds.attrs["noise"])
    lags = ds["lag"].values
    figure = Figure().bar(
        x=lags,
        y=ds["of_squares"].values,
        name="squares: their size",
        width=0.55,
        marker={"color": market.HIDDEN, "line": {"width": 0}},
        hovertemplate="%{y:+.3f}",
    )
    figure.scatter(
        x=lags,
        y=ds["of_changes"].values,
        name=f"{unit.plural} themselves",
        mode="lines+markers",
        line={"color": market.KNOWN, "width": 1.5},
        marker={"size": 6},
        hovertemplate="%{y:+.3f}",
    )
    figure.add_hrect(y0=-noise, y1=noise, line_width=0, fillcolor=look.with_alpha(INKS[theme].muted, 0.25))
    notes = [memory_sentence(ds), market.source_sentence(ds)]
    look.apply(figure, theme, title="What do past moves tell?", notes=notes, height=400)
    market.legend_under(figure, lines=2, axis=52)
    figure.update_xaxes(title_text="Lag (observations)", showgrid=False, range=[0, lags[-1] + 1])
    return figure.update_yaxes(title_text="Autocorrelation", zeroline=True, zerolinecolor=INKS[theme].muted)


def memory_sentence(ds: Run) -> str:
    """How many lags stand out of the band of white noise."""
    noise, lags = float(ds.attrs["noise"]), ds.sizes["lag"]
    squares, moves = measures.lags_of_squares(ds), measures.lags_of_moves(ds)
    return (
        f"Outside the grey band of white noise (±{noise:.3f}): {squares:.0f} of {lags} lags of the squares, "
        f"{moves:.0f} of the moves; chance gives {0.05 * lags:.0f}."
    )
