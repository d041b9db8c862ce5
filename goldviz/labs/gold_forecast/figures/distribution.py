"""How sure and how large: the forecast as bands, what its intervals hold, its width over time, its signs by year."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.forecasts.words import forecasts_counted, p_value
from goldviz.figures.chart import axis, between, dots, figure, lines, rule
from goldviz.figures.draft import Figure, make_subplots
from goldviz.figures.elements import add_heading, number_ticks
from goldviz.figures.limits import Values, exact
from goldviz.figures.market import in_template
from goldviz.figures.marks import Mark
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.reading import sentences
from goldviz.figures.theme import style_of, with_alpha
from goldviz.labs.gold_forecast.figures.days import (
    AT_FIRST_LOOK,
    DAYS_UNDER_LEGEND,
    along,
    axis_of_days,
    curve,
    in_view,
    limits_of,
    missing,
    shown,
    widened,
)
from goldviz.labs.gold_forecast.scoring.direction import difference_p_value, directions
from goldviz.labs.gold_forecast.scoring.intervals import coverages, fan_bands, probabilities, recorded_at_end
from goldviz.labs.gold_forecast.scoring.series import REFERENCES, Series
from goldviz.labs.gold_forecast.words import source_words

DARKNESS = (0.16, 0.22, 0.3)
"""How dark the fan's bands are laid over one another, widest first."""
SHOWN_LAST = 120
"""Forecasts in the fan."""
LAST = slice(-SHOWN_LAST, None)
FEWEST_FOR_20_BINS = 400
"""Probabilities from which their histogram has 20 bins, below 10."""
LEAST_OFF = 4.0
"""Points of coverage that its axis shows at least, both ways, so that a good one looks good."""
WINDOWS = 300
"""Windows over the test years; each is drawn as one point of every curve and one stroke."""
NO_SIGN = "A forecast of the variance has no sign: see how large the next move will be."

of_forecasts = partial(figure, instead=missing("target", "mean", "scale"))


def _recent(ds: Run, series: Series) -> list[Any]:
    recent = series.dates[LAST]
    return [recent.min() - 2, recent.max() + 2]


def _fan_reach(ds: Run, series: Series) -> list[Values]:
    edges = [edge for _, low, high in fan_bands(ds, series) for edge in (low, high)]
    return [shown(series, part)[LAST] for part in (series.came, *edges)]


def _outside(ds: Run, series: Series) -> Values:
    """Whether each of the last values lies outside the widest band."""
    _, low, high = fan_bands(ds, series)[0]
    return np.asarray((series.came < low) | (series.came > high))[LAST]


def _fan(plot: Plot) -> Sequence[Mark]:
    series = in_view(plot)
    dates, unit = series.dates[LAST], in_template(series.moves.suffix)
    came, outside = shown(series, series.came)[LAST], _outside(plot.ds, series)
    bands = fan_bands(plot.ds, series)
    marks: list[Mark] = [
        between(
            along(shown(series, low)[LAST], dates),
            along(shown(series, high)[LAST], dates),
            colour=series.network,
            alpha=alpha,
            more={"name": name},
        )
        for (name, low, high), alpha in zip(bands, DARKNESS[-len(bands) :], strict=True)
    ]
    if series.target != "volatility":
        mean = along(shown(series, series.mean.mean(axis=1))[LAST], dates)
        hover = f"mean %{{y:.4~g}}{unit}"
        marks.append(lines(mean, name="mean", colour=series.network, dash="solid", hover=hover))
    marker = {
        "size": np.where(outside, 9, 5).tolist(),
        "symbol": np.where(outside, "circle-open", "circle").tolist(),
        "color": np.where(outside, plot.ink.accent, plot.ink.text).tolist(),
        "line": {"width": np.where(outside, 2.5, 0).tolist()},
    }
    hover = f"came %{{y:.4~g}}{unit}"
    return [
        *marks,
        dots(along(came, dates), x=along(dates, dates), name="what came", colour="text", hover=hover, marker=marker),
    ]


def _fan_axis(plot: Plot) -> Mapping[str, Any]:
    series = in_view(plot)
    _, low, high = fan_bands(plot.ds, series)[0]
    drawn = [shown(series, part)[LAST] for part in (series.came, series.mean.mean(axis=1), low, high)]
    return {"title_text": as_label(series.moves.next), "range": widened(plot.limit("fan"), *drawn)}


def _outside_words(plot: Plot) -> str:
    outside = _outside(plot.ds, in_view(plot))
    counted = forecasts_counted(len(outside))
    return f"{int(outside.sum())} of {counted} outside the widest band; {0.05 * len(outside):.0f} expected."


def _what_bands(plot: Plot) -> str:
    series = in_view(plot)
    band = "" if recorded_at_end(plot.ds, series, "quantile") else "Band: mean ± 2 standard deviations."
    seeds = f"Means over {series.seeds} seeds." if series.seeds > 1 else ""
    return sentences(f"Epoch {series.look}.", band, seeds)


def _histogram(values: Values) -> tuple[NDArray[np.intp], float]:
    """Counts of probabilities in bins of equal width, 20 of them or 10 where there are few, and half the width of the
    band in which 95 % of the shares lie by chance, each bin by itself."""
    bins = 20 if values.size >= FEWEST_FOR_20_BINS else 10
    counts, _ = np.histogram(np.clip(values, 0, 1), bins=bins, range=(0, 1))
    # The normal approximation of the binomial: a bin expects ten values or more from 100 forecasts on.
    return counts, 1.96 * float(np.sqrt((bins - 1) / values.size)) / bins


def _highest_bar(ds: Run, series: Series) -> list[float]:
    values = probabilities(ds, series)
    if not values.size:
        return []
    counts, chance = _histogram(values)
    return [0.0, 108 * max(float(counts.max()) / values.size, 1 / len(counts) + chance)]


def _off(ds: Run, series: Series) -> list[float]:
    """How far intervals, with their own intervals, are off what they promise, in points and both ways."""
    intervals = coverages(ds, series)
    most = max((100 * abs(end - entry.nominal) for entry in intervals for end in entry.interval), default=0.0)
    reach = max(LEAST_OFF, 1.15 * most)
    return [-reach, reach]


def _calibration(plot: Plot) -> Figure:
    """Two panels whose x axes have nothing in common: probabilities, and intervals by name."""
    ds, series = plot.ds, in_view(plot)
    values, intervals = probabilities(ds, series), coverages(ds, series)
    if not values.size or not intervals:
        return plot.instead("No forecast has a width that is a finite number.")
    style, dotted = style_of(series.network), {"color": plot.ink.muted, "width": 1.5, "dash": "dot"}
    figure = plot.figure = make_subplots(rows=2, cols=1, vertical_spacing=0.24)
    counts, chance = _histogram(values)
    bins, flat = len(counts), 1 / len(counts)
    share = counts / values.size
    figure.bar(
        x=(np.arange(bins) + 0.5) / bins,
        y=100 * share,
        width=0.92 / bins,
        marker_color=style.colour,
        opacity=0.85,
        customdata=counts,
        hovertemplate="%{y:.1f} % (%{customdata})<extra>around %{x:.2f}</extra>",
        row=1,
    )
    low, high = 100 * max(0.0, flat - chance), 100 * (flat + chance)
    grey = {"fillcolor": with_alpha(plot.ink.muted, 0.32), "line_width": 0, "layer": "above"}
    figure.add_shape(type="rect", x0=0, x1=1, y0=low, y1=high, row=1, col=1, **grey)
    figure.add_shape(type="line", x0=0, x1=1, y0=100 * flat, y1=100 * flat, line=dotted, row=1, col=1)
    held = np.array([100 * entry.share for entry in intervals])
    off = np.array([100 * (entry.share - entry.nominal) for entry in intervals])
    from_below, from_above = 100 * np.array([entry.interval for entry in intervals]).T
    figure.scatter(
        x=[f"{entry.nominal:.0%}".replace("%", " %") for entry in intervals],
        y=off,
        mode="markers",
        marker={"symbol": style.symbol, "size": 11, "color": style.colour},
        error_y={"array": from_above - held, "arrayminus": held - from_below, "color": style.colour, "thickness": 2},
        customdata=held,
        hovertemplate="held %{customdata:.1f} %<br>%{y:+.1f} points<extra>%{x} interval</extra>",
        row=2,
    )
    figure.add_hline(y=0, row=2, col=1, line=dotted)
    top = widened(plot.limit("pit"), 100 * share)[1]
    reach = widened(plot.limit("off"), from_below - held + off, from_above - held + off)
    figure.update_yaxes(title_text="Share (%)", range=(0, top), nticks=5, row=1, col=1)
    figure.update_yaxes(title_text="Points off", range=reach, nticks=5, row=2, col=1)
    figure.update_xaxes(title_text="Forecast probability of at most what came", range=(0, 1), row=1, col=1)
    figure.update_xaxes(title_text="Interval that should hold", type="category", showgrid=False, row=2, col=1)
    for row, words in enumerate(("Where in its distribution what came fell", "How much the intervals held"), start=1):
        add_heading(figure, row, f"<b>{words}</b>", font={"size": 14})
    promised = ", ".join(f"{100 * entry.nominal:.0f}" for entry in intervals)
    shares = ", ".join(f"{100 * entry.share:.0f}" for entry in intervals)
    at_end = recorded_at_end(ds, series, "pit")
    about = "" if at_end else "As if Gaussian; the run's own distributions come at its end."
    plot.finish(
        f"Intervals of {promised} % held {shares} %.",
        sentences(f"Epoch {series.look}, {forecasts_counted(values.size)}.", about),
        "Grey, bars: 95 %, if days are independent.",
        height=560,
        legend=False,
        hover="closest",
    )
    return figure.update_layout(margin_t=figure.layout.margin.t + 14)


def _moves(series: Series) -> Values:
    """By how much the target moved: what came, less the last price where prices are forecast."""
    return series.came - series.price if series.target == "level" else series.came


def _widths(ds: Run, series: Series) -> list[Values]:
    own = [series.scale] if series.look is not None else []
    parts = (*own, *series.baseline_scales.values(), np.abs(_moves(series)))
    return [np.array([0.0]), *(shown(series, part) for part in parts)]


def _windows(series: Series) -> tuple[int, NDArray[np.intp]]:
    """How many forecasts a window has, and where each begins."""
    width = max(1, -(-len(series.dates) // WINDOWS))
    return width, np.arange(0, len(series.dates), width)


def _root_mean_square(values: Values, starts: NDArray[np.intp]) -> Values:
    counts = np.diff(np.append(starts, len(values)))
    return np.asarray(np.sqrt(np.add.reduceat(np.square(values), starts) / counts))


def _widths_in_windows(series: Series) -> tuple[Values, dict[str, Values], list[Values]]:
    """The largest move of each window; each model's width in it, without the constant; each seed's alone."""
    _, starts = _windows(series)
    largest = np.asarray(np.fmax.reduceat(np.abs(shown(series, _moves(series))), starts))
    scales = {name: one for name, one in series.baseline_scales.items() if name != REFERENCES["volatility"]}
    by_seed = [shown(series, one) for one in series.scale.T] if series.look is not None else []
    if by_seed:
        scales[series.network] = series.scale.mean(axis=1)
    widths = {name: _root_mean_square(shown(series, one), starts) for name, one in scales.items()}
    return largest, widths, [_root_mean_square(one, starts) for one in by_seed]


def _widths_over_time(plot: Plot) -> Sequence[Mark]:
    series = in_view(plot)
    width, starts = _windows(series)
    largest, widths, by_seed = _widths_in_windows(series)
    dates = series.dates[np.minimum(starts + width, len(series.dates)) - 1]
    # A stroke from zero to each size, all in one.
    strokes = np.stack([np.zeros_like(largest), largest, np.full_like(largest, np.nan)], axis=1).ravel()
    marks: list[Mark] = [
        lines(
            along(strokes, [day for date in map(str, dates) for day in (date, date, None)]),
            name="largest move",
            colour=with_alpha(plot.ink.muted, 0.55),
            width=1,
            hover=f"|move| %{{y:.2f}}{in_template(series.moves.suffix)}",
            more={"legendgroup": "moves", "connectgaps": False},
        )
    ]
    for name, values in widths.items():
        own = bool(by_seed) and name == series.network
        marks += curve(name, values, dates, "%{y:.3f}", width=0 if own else 1.8, seeds=by_seed if own else ())
    return marks


def _width_axis(plot: Plot) -> Mapping[str, Any]:
    series = in_view(plot)
    largest, widths, by_seed = _widths_in_windows(series)
    high = widened(plot.limit("scale"), np.array([0.0]), largest, *widths.values(), *by_seed)[1]
    return {"title_text": as_label(series.moves.called("Standard deviation")), "range": (0, high)}


def _width_place(plot: Plot) -> str:
    series = in_view(plot)
    seeds = f"Mean of {series.seeds} seeds; band: each alone." if series.seeds > 1 else ""
    return sentences(f"Epoch {series.look}." if series.look is not None else AT_FIRST_LOOK, seeds)


def _width_source(plot: Plot) -> str:
    width, _ = _windows(in_view(plot))
    return sentences(f"Root mean squares of {width} forecasts." if width > 1 else "", source_words(plot.ds))


def _years(ds: Run, series: Series) -> list[float]:
    years = series.dates.astype("datetime64[Y]").astype(np.float64) + 1970
    return [years.min() - 0.7, years.max() + 2.7]


def _rates(ds: Run, series: Series) -> list[float]:
    years = directions(series)
    values = [50.0, *(100 * end for entry in years for end in (*entry.interval, entry.up.rate))]
    return [max(0.0, min(values) - 3), min(100.0, max(values) + 3)] if years else []


def _hits(plot: Plot) -> Sequence[Mark] | str:
    series = in_view(plot)
    if series.target == "volatility":
        return NO_SIGN
    if words := missing("target", "mean")(plot.ds):
        return words
    years = directions(series)
    if not years:
        return "There are too few forecasts with a sign to count."
    last = _all_years(plot)
    places = [last if entry.year is None else entry.year for entry in years]
    rates = np.array([100 * entry.network.rate for entry in years])
    low, high = 100 * np.array([entry.interval for entry in years]).T
    style, counts = style_of(series.network), [entry.network.counted for entry in years]
    return [
        dots(
            along(rates, places, "year"),
            name=style.label,
            colour=series.network,
            symbol=style.symbol,
            size=10,
            ends=(along(low, places, "year"), along(high, places, "year")),
            bar={"width": 4},
            hover="%{y:.1f} %, 95 %: %{customdata[0]:.1f} to %{customdata[1]:.1f}, of %{customdata[2]:.0f}",
            more={"customdata": np.stack([low, high, counts], axis=1)},
        ),
        dots(
            along([100 * entry.up.rate for entry in years], places, "year"),
            name="always up",
            colour="accent",
            symbol="line-ew-open",
            size=18,
            marker={"line": {"width": 3}},
            hover="always up %{y:.1f} %",
        ),
        rule(x=last - 1, width=1),
    ]


def _all_years(plot: Plot) -> int:
    """Where all years stand, behind the last."""
    return int(np.floor(plot.limit("year")[1]))


def _year_axis(plot: Plot) -> Mapping[str, Any]:
    ends, last = plot.limit("year"), _all_years(plot)
    ticks = number_ticks(int(np.ceil(ends[0])), last - 2, {}, most=3)
    with_all = {"tickvals": [*ticks["tickvals"], last], "ticktext": [*ticks["ticktext"], "all"]}
    return {**ticks, **with_all, "range": ends, "showgrid": False, "unifiedhovertitle_text": "%{x}"}


def _difference(plot: Plot) -> str:
    test = p_value(difference_p_value(in_view(plot)))
    return f"Difference in all: {test}." if test else ""


def _moves_counted(plot: Plot) -> str:
    series = in_view(plot)
    place = f"Epoch {series.look}, {directions(series)[-1].network.counted:,} moves. Bars: 95 %."
    seeds = f"Mean forecast of {series.seeds} seeds." if series.seeds > 1 else ""
    return sentences(place, seeds, "The final block is left out." if series.final.any() else "")


FIGURES = (
    # Before the run's end there is one band, two standard deviations around the mean. Bands that never widen or narrow
    # say that the network has found nothing that the size of moves depends on.
    of_forecasts(
        "fan",
        "How sure is the forecast?",
        _fan,
        redrawn="it has more bands at the run's end, and its axis reaches as far as the look needs",
        shows="The last forecasts as bands, and what came. At the run's end: 50, 80 and 95 %.",
        cannot_show="Other times.",
        limits={
            "fan": limits_of(_fan_reach, "mean", "scale"),
            "recent": limits_of(_recent, rounded=exact),
        },
        over="day",
        x=axis_of_days("recent", ticks=4),
        y=axis(scale="free", told=_fan_axis),
        notes=(_outside_words, _what_bands),
        lead=lambda plot: source_words(plot.ds),
    ),
    # The histogram of the forecast probability of at most what came (PIT). If the distributions are right, it is flat
    # but for chance (Dawid 1984). A hill in the middle says that the intervals are too wide, a valley that they are too
    # narrow, a slope that the mean is off.
    of_forecasts(
        "calibration",
        "Do its intervals keep their word?",
        draw=_calibration,
        redrawn="how many bins it has, and how far its axes reach, changes with the look",
        shows="Where in its forecast distribution each value fell.",
        limits={
            "pit": limits_of(_highest_bar, "mean", "scale", rounded=exact),
            "off": limits_of(_off, "mean", "scale", rounded=exact),
        },
    ),
    # Large moves come in clusters, so a width that rises after one is right more often than not. A flat curve knows no
    # more than a constant variance.
    figure(
        "volatility",
        "How large will the next move be?",
        _widths_over_time,
        instead=missing("target"),
        redrawn="its axis reaches as far as the look needs",
        shows="The forecast standard deviation beside simple ones, over the largest moves.",
        limits={"scale": limits_of(_widths)},
        x=axis_of_days("time"),
        y=axis(scale="free", told=_width_axis),
        notes=(_width_place,),
        lead=_width_source,
        legend="below",
        height=500,
        layout=DAYS_UNDER_LEGEND,
    ),
    # With 95 % Wilson intervals. Not one half but always saying *up* is what to beat: gold has risen on more days than
    # not. Moves and forecasts of exactly zero are not counted, nor is a year with fewer than eight forecasts.
    figure(
        "hits",
        "How often is the sign right?",
        _hits,
        redrawn="which years have enough moves to count changes with the look",
        shows="The share of right signs by year, with 95 % intervals.",
        cannot_show="The size of moves.",
        limits={"year": limits_of(_years, rounded=exact), "rate": limits_of(_rates, rounded=exact)},
        x=axis(scale="free", told=_year_axis),
        y=axis("Sign right", scale="free", told=lambda plot: {"range": plot.limit("rate"), "ticksuffix": " %"}),
        notes=(_difference, _moves_counted),
        lead=lambda plot: source_words(plot.ds),
    ),
)
