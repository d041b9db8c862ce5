"""How sure and how large: the forecast as bands, what its intervals hold, its width over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.forecasts.words import forecasts_counted
from goldviz.figures.chart import Panel, axis, bars, between, dots, figure, lines, panel, rule
from goldviz.figures.limits import Values, exact
from goldviz.figures.market import in_template
from goldviz.figures.marks import Mark, given
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.reading import sentences
from goldviz.figures.theme import style_of, with_alpha
from goldviz.labs.gold_forecast.figures.days import (
    AT_FIRST_LOOK,
    DAYS_UNDER_LEGEND,
    axis_of_days,
    curve,
    in_view,
    limits_of,
    missing,
    widened,
)
from goldviz.labs.gold_forecast.scoring.intervals import Coverage, coverages, fan_bands, probabilities, recorded_at_end
from goldviz.labs.gold_forecast.scoring.series import REFERENCES, Dates, Series
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

of_forecasts = partial(figure, instead=missing("target", "mean", "scale"))


def _recent(ds: Run, series: Series) -> list[Any]:
    recent = series.dates[LAST]
    return [recent.min() - 2, recent.max() + 2]


def _edges(ds: Run, series: Series) -> dict[str, tuple[Values, Values]]:
    """The ends of each band of the last forecasts, the widest first."""
    shown = series.moves.shown
    return {name: (shown(low)[LAST], shown(high)[LAST]) for name, low, high in fan_bands(ds, series)}


def _fan_reach(ds: Run, series: Series) -> list[Values]:
    edges = _edges(ds, series).values()
    return [series.moves.shown(series.came)[LAST], *(edge for band in edges for edge in band)]


def _bands(plot: Plot) -> dict[str, tuple[Values, Values]]:
    return _edges(plot.ds, in_view(plot))


def _outside(plot: Plot) -> Values:
    """Whether each of the last values lies outside the widest band."""
    series = in_view(plot)
    _, low, high = fan_bands(plot.ds, series)[0]
    return np.asarray((series.came < low) | (series.came > high))[LAST]


def _fan(plot: Plot) -> Sequence[Mark]:
    series, outside = in_view(plot), plot.once(_outside)
    dates, unit, shown = series.dates[LAST], in_template(series.moves.suffix), series.moves.shown
    bands = plot.once(_bands)
    marks: list[Mark] = [
        between(given(low, day=dates), given(high, day=dates), colour=series.network, alpha=alpha, more={"name": name})
        for (name, (low, high)), alpha in zip(bands.items(), DARKNESS[-len(bands) :], strict=True)
    ]
    if series.target != "volatility":
        mean = given(shown(series.mean.mean(axis=1))[LAST], day=dates)
        marks.append(lines(mean, name="mean", colour=series.network, dash="solid", hover=f"mean %{{y:.4~g}}{unit}"))
    marker = {
        "size": np.where(outside, 9, 5).tolist(),
        "symbol": np.where(outside, "circle-open", "circle").tolist(),
        "color": np.where(outside, plot.ink.accent, plot.ink.text).tolist(),
        "line": {"width": np.where(outside, 2.5, 0).tolist()},
    }
    came = given(shown(series.came)[LAST], day=dates)
    look: dict[str, Any] = {"name": "what came", "colour": "text", "marker": marker}
    return [*marks, dots(came, x=given(dates, day=dates), hover=f"came %{{y:.4~g}}{unit}", **look)]


def _fan_axis(plot: Plot) -> Mapping[str, Any]:
    series = in_view(plot)
    widest = next(iter(plot.once(_bands).values()))
    drawn = [series.moves.shown(part)[LAST] for part in (series.came, series.mean.mean(axis=1))]
    return {"title_text": as_label(series.moves.next), "range": widened(plot.limit("fan"), *drawn, *widest)}


def _outside_words(plot: Plot) -> str:
    outside = plot.once(_outside)
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


def _probabilities(plot: Plot) -> Values:
    return probabilities(plot.ds, in_view(plot))


def _coverages(plot: Plot) -> Sequence[Coverage]:
    return coverages(plot.ds, in_view(plot))


def _calibration(plot: Plot) -> Sequence[Panel] | str:
    series, values, intervals = in_view(plot), plot.once(_probabilities), plot.once(_coverages)
    if not values.size or not intervals:
        return "No forecast has a width that is a finite number."
    style = style_of(series.network)
    counts, chance = _histogram(values)
    bins, flat, share = len(counts), 1 / len(counts), 100 * (counts / values.size)
    nominal, held = (np.array([getattr(one, name) for one in intervals]) for name in ("nominal", "share"))
    low, high = 100 * (np.array([one.interval for one in intervals]).T - nominal)
    reach = widened(plot.limit("off"), low, high)
    bar = bars(
        given(share, bin=(np.arange(bins) + 0.5) / bins),
        colour=series.network,
        hover="%{y:.1f} % (%{customdata})<extra>around %{x:.2f}</extra>",
        more={"width": 0.92 / bins, "opacity": 0.85, "customdata": counts},
    )
    dot = dots(
        given(100 * (held - nominal), interval=None),
        x=given([f"{100 * one:.0f} %" for one in nominal], interval=None),
        ends=(given(low, interval=None), given(high, interval=None)),
        bar={"thickness": 2},
        colour=series.network,
        symbol=style.symbol,
        hover="held %{customdata:.1f} %<br>%{y:+.1f} points<extra>%{x} interval</extra>",
        more={"customdata": 100 * held},
    )
    grey: dict[str, Any] = {"alpha": 0.32, "more": {"layer": "above"}}
    return [
        panel(
            bar,
            rule(y=100 * max(0.0, flat - chance), to=100 * (flat + chance), **grey),
            rule(y=100 * flat),
            heading="Where in its distribution what came fell",
            x=axis("Forecast probability of at most what came", range=(0, 1)),
            y=axis("Share (%)", scale="free", range=(0, widened(plot.limit("pit"), share)[1]), nticks=5),
        ),
        panel(
            dot,
            rule(y=0),
            heading="How much the intervals held",
            x=axis("Interval that should hold", type="category", showgrid=False),
            y=axis("Points off", scale="free", range=reach, nticks=5),
        ),
    ]


def _held(plot: Plot) -> str:
    intervals = plot.once(_coverages)
    nominal, held = (", ".join(f"{100 * getattr(one, name):.0f}" for one in intervals) for name in ("nominal", "share"))
    return f"Intervals of {nominal} % held {held} %."


def _whose(plot: Plot) -> str:
    series = in_view(plot)
    at_end = recorded_at_end(plot.ds, series, "pit")
    about = "" if at_end else "As if Gaussian; the run's own distributions come at its end."
    return sentences(f"Epoch {series.look}, {forecasts_counted(plot.once(_probabilities).size)}.", about)


def _moves(series: Series) -> Values:
    """By how much the target moved: what came, less the last price where prices are forecast."""
    return series.came - series.price if series.target == "level" else series.came


def _widths(ds: Run, series: Series) -> list[Values]:
    own = [series.scale] if series.look is not None else []
    parts = (*own, *series.baseline_scales.values(), np.abs(_moves(series)))
    return [np.array([0.0]), *(series.moves.shown(part) for part in parts)]


@dataclass(frozen=True)
class Widths:
    """Of windows of forecasts: their last days, the largest move, each model's width, and each seed's alone."""

    count: int
    dates: Dates
    largest: Values
    by_model: Mapping[str, Values]
    by_seed: Sequence[Values]

    @classmethod
    def of(cls, plot: Plot) -> Widths:
        """Of the forecasts in view, without the constant variance."""
        series = in_view(plot)
        shown, count = series.moves.shown, len(series.dates)
        width = max(1, -(-count // WINDOWS))
        starts = np.arange(0, count, width)

        def in_windows(scale: Values) -> Values:
            sums = np.add.reduceat(np.square(shown(scale)), starts)
            return np.asarray(np.sqrt(sums / np.diff(np.append(starts, count))))

        scales = {name: one for name, one in series.baseline_scales.items() if name != REFERENCES["volatility"]}
        own = series.scale if series.look is not None else np.empty((count, 0))
        if own.size:
            scales[series.network] = own.mean(axis=1)
        largest = np.asarray(np.fmax.reduceat(np.abs(shown(_moves(series))), starts))
        dates = series.dates[np.minimum(starts + width, count) - 1]
        by_model = {name: in_windows(one) for name, one in scales.items()}
        return cls(width, dates, largest, by_model, [in_windows(one) for one in own.T])


def _widths_over_time(plot: Plot) -> Sequence[Mark]:
    series, widths = in_view(plot), plot.once(Widths.of)
    # A stroke from zero to each size, all in one.
    largest = widths.largest
    strokes = np.stack([np.zeros_like(largest), largest, np.full_like(largest, np.nan)], axis=1).ravel()
    marks: list[Mark] = [
        lines(
            given(strokes, day=[day for date in map(str, widths.dates) for day in (date, date, None)]),
            name="largest move",
            colour=with_alpha(plot.ink.muted, 0.55),
            width=1,
            hover=f"|move| %{{y:.2f}}{in_template(series.moves.suffix)}",
            more={"legendgroup": "moves", "connectgaps": False},
        )
    ]
    for name, values in widths.by_model.items():
        seeds = widths.by_seed if name == series.network else ()
        marks += curve(name, values, widths.dates, "%{y:.3f}", width=0 if seeds else 1.8, seeds=seeds)
    return marks


def _width_axis(plot: Plot) -> Mapping[str, Any]:
    widths = plot.once(Widths.of)
    drawn = (np.array([0.0]), widths.largest, *widths.by_model.values(), *widths.by_seed)
    title = as_label(in_view(plot).moves.called("Standard deviation"))
    return {"title_text": title, "range": (0, widened(plot.limit("scale"), *drawn)[1])}


def _width_place(plot: Plot) -> str:
    series = in_view(plot)
    seeds = f"Mean of {series.seeds} seeds; band: each alone." if series.seeds > 1 else ""
    return sentences(f"Epoch {series.look}." if series.look is not None else AT_FIRST_LOOK, seeds)


def _width_source(plot: Plot) -> str:
    count = plot.once(Widths.of).count
    return sentences(f"Root mean squares of {count} forecasts." if count > 1 else "", source_words(plot.ds))


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
        _calibration,
        redrawn="how many bins it has, and how far its axes reach, changes with the look",
        shows="Where in its forecast distribution each value fell.",
        limits={
            "pit": limits_of(_highest_bar, "mean", "scale", rounded=exact),
            "off": limits_of(_off, "mean", "scale", rounded=exact),
        },
        apart=True,
        notes=(_held, _whose),
        lead="Grey, bars: 95 %, if days are independent.",
        height=560,
        legend="none",
        hover="closest",
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
)
