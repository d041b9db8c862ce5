"""What the figures of the *Forecast lab* have limits for, and how its dates and its words are put on them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Run
from goldviz.figures import limits, plot
from goldviz.figures.by_kind import quantities_by_kind
from goldviz.figures.draft import Figure
from goldviz.figures.limits import Quantity, Values, magnitudes, padded, places
from goldviz.figures.maps import legend_below
from goldviz.figures.reading import MOST_COLUMNS, absence, thinned
from goldviz.labs.gold_forecast.figures.gains import curve_values, drawable, score_axis, score_unit
from goldviz.labs.gold_forecast.scoring.direction import directions
from goldviz.labs.gold_forecast.scoring.intervals import coverages, fan_bands, probabilities
from goldviz.labs.gold_forecast.scoring.results import final_results, results, seed_scores
from goldviz.labs.gold_forecast.scoring.series import Dates, Series
from goldviz.labs.gold_forecast.settings import GoldForecast

UNFINISHED = ("queued", "running", "paused")
SHOWN_LAST = 120
"""Forecasts in the fan."""

FEWEST_FOR_20_BINS = 400
"""Probabilities from which their histogram has 20 bins, below 10."""

LEAST_OFF = 4.0
"""Points of coverage that its axis shows at least, both ways, so that a good one looks good."""


AT_FIRST_LOOK = "The first forecasts come with the first look."
AT_FIRST_EPOCH = "The first numbers come with the first epoch."
AT_THE_END = "This comes when the run ends."


def missing(*names: str, waiting: str = AT_FIRST_LOOK) -> Callable[[Run], str]:
    """Why these variables cannot be drawn; while a run goes on, ``waiting`` says when they come. Empty if they can."""

    def said(ds: Run) -> str:
        words, training = absence(ds, *names), str(ds.attrs.get("status", "")) in UNFINISHED
        return waiting if words and training and any(name not in ds for name in names) else words

    return said


def days(dates: Dates) -> NDArray[np.float64]:
    """Dates as days since 1970, the unit in which lanes share them."""
    return dates.astype("datetime64[D]").astype(np.float64)


def labels(dates: Dates) -> list[str]:
    """Dates as Plotly reads them."""
    return [str(date) for date in dates]


def dates_over_legend(figure: Figure) -> Figure:
    """Put the legend under an axis of dates, which has no title; a phone's plot has no room for it above."""
    legend_below(figure)
    return figure.update_layout(legend_y=-0.13, margin_b=100)


def _ends(values: Values) -> Values:
    finite = values[np.isfinite(values)]
    return np.array([finite.min(), finite.max()]) if finite.size else finite


def _of(read: Callable[[Series], list[Values]]) -> Callable[[Run], Values]:
    """A reading of the last look's forecasts; empty where there are no dates."""

    def values(ds: Run) -> Values:
        if not ds.sizes.get("time") or "target" not in ds:
            return np.array([])
        return np.concatenate([np.array([]), *(_ends(np.ravel(part)) for part in read(Series.of(ds)))])

    return values


def _skill(series: Series) -> list[Values]:
    curves, _ = drawable(series)
    seeds = [curve_values(series, gains) for gains in series.gains_by_seed().T]
    return [np.array([0.0]), *curves.values(), *seeds]


def _score(ds: Run) -> Values:
    if not ds.sizes.get("time") or "target" not in ds:
        return np.array([])
    series = Series.of(ds)
    unit = score_unit(series)
    by_model = {model: result.times(unit) for model, result in results(ds, series).items()}
    seeds, final = (unit * np.array(values) for values in (seed_scores(series), [*final_results(series).values()]))
    return np.array(score_axis(by_model, seeds, final))


def _scale(series: Series) -> list[Values]:
    beside = series.baseline_scales.values()
    own = [series.scale] if series.look is not None else []
    return [np.array([0.0]), *(shown(series, part) for part in (*own, *beside, np.abs(moves(series))))]


def moves(series: Series) -> Values:
    """By how much the target moved: what came, less the last price where prices are forecast."""
    return series.came - series.price if series.target == "level" else series.came


def shown(series: Series, values: Values) -> Values:
    """Values in the unit of the figures."""
    return series.moves.shown(values)


def _years(series: Series) -> list[Values]:
    years = series.dates.astype("datetime64[Y]").astype(np.float64) + 1970
    return [np.array([years.min() - 0.7, years.max() + 2.7])]


def _dates(series: Series) -> list[Values]:
    return [np.array([days(series.dates).min() - 3, days(series.dates).max() + 3])]


def _recent_dates(series: Series) -> list[Values]:
    recent = days(series.dates)[-SHOWN_LAST:]
    return [np.array([recent.min() - 2, recent.max() + 2])]


def _fan(ds: Run) -> Values:
    if "mean" not in ds or "scale" not in ds or "target" not in ds or not ds["mean"].size:
        return np.array([])
    series, last = Series.of(ds), slice(-SHOWN_LAST, None)
    parts = [series.came, *(edge for _, low, high in fan_bands(ds, series) for edge in (low, high))]
    return np.concatenate([_ends(shown(series, part)[last]) for part in parts])


def _rates(series: Series) -> list[Values]:
    years = directions(series)
    values = [50.0, *(100 * end for entry in years for end in (*entry.interval, entry.up.rate))]
    return [np.array([max(0.0, min(values) - 3), min(100.0, max(values) + 3)])] if years else []


def _off(ds: Run) -> Values:
    """How far intervals, with their own intervals, are off what they promise, in points and both ways."""
    if "mean" not in ds or "scale" not in ds or "target" not in ds or not ds["mean"].size:
        return np.array([])
    intervals = coverages(ds, Series.of(ds))
    most = max((100 * abs(end - entry.nominal) for entry in intervals for end in entry.interval), default=0.0)
    reach = max(LEAST_OFF, 1.15 * most)
    return np.array([-reach, reach])


def hidden_days(ds: Run) -> Dates:
    """The days at which hidden states were recorded."""
    return np.array([str(day)[:10] for day in ds["recent"].values], "datetime64[D]")


def _hidden_time(ds: Run) -> Values:
    at = days(hidden_days(ds)) if ds.sizes.get("recent") else np.array([])
    return np.array([at.min() - 0.5, at.max() + 0.5]) if at.size else at


def histogram(values: Values) -> tuple[NDArray[np.intp], float]:
    """Counts of probabilities in bins of equal width, 20 of them or 10 where there are few, and half the width of the
    band in which 95 % of the shares lie by chance, each bin by itself."""
    bins = 20 if values.size >= FEWEST_FOR_20_BINS else 10
    counts, _ = np.histogram(np.clip(values, 0, 1), bins=bins, range=(0, 1))
    # The normal approximation of the binomial: a bin expects ten values or more from 100 forecasts on.
    return counts, 1.96 * float(np.sqrt((bins - 1) / values.size)) / bins


def _pit(ds: Run) -> Values:
    if "mean" not in ds or "scale" not in ds or "target" not in ds or not ds["mean"].size:
        return np.array([])
    values = probabilities(ds, Series.of(ds))
    if not values.size:
        return values
    counts, chance = histogram(values)
    return np.array([0.0, 108 * max(float(counts.max()) / values.size, 1 / len(counts) + chance)])


def _hidden(ds: Run) -> Values:
    largest = np.abs(ds["hidden"].values[np.isfinite(ds["hidden"].values)]) if "hidden" in ds else np.array([])
    return np.array([-largest.max(), largest.max()]) if largest.size else largest


KINDS = GoldForecast.variables_by_kind

QUANTITIES = {
    **quantities_by_kind(KINDS),
    "skill": Quantity(_of(_skill), padded),
    "score": Quantity(_score),
    "time": Quantity(_of(_dates)),
    "recent": Quantity(_of(_recent_dates)),
    "scale": Quantity(_of(_scale), padded),
    "year": Quantity(_of(_years)),
    "rate": Quantity(_of(_rates)),
    "fan": Quantity(_fan, padded),
    "off": Quantity(_off),
    **places("lag"),
    **magnitudes("state_gradient_norm", "input_gradient"),
    "hidden": Quantity(_hidden),
    "hidden_time": Quantity(_hidden_time),
    "pit": Quantity(_pit),
}

figure = partial(plot.figure, QUANTITIES)
shared_limits = partial(limits.shared_limits, QUANTITIES)


def widened(ends: tuple[float, float], *values: Values) -> tuple[float, float]:
    """Limits that also hold these values.

    Shared limits are those of the last look, where the answer is fine; a wild early one must not flatten it, and
    must not be cut off either when someone goes back to it.
    """
    numbers = np.concatenate([np.ravel(part) for part in values])
    numbers = numbers[np.isfinite(numbers)]
    if not numbers.size or (numbers.min() >= ends[0] and numbers.max() <= ends[1]):
        return ends
    return padded(min(ends[0], float(numbers.min())), max(ends[1], float(numbers.max())))


def drawn_forecasts(count: int, most: int = MOST_COLUMNS) -> tuple[NDArray[np.intp], str]:
    """Which forecasts are drawn, and a sentence if some are left out."""
    return thinned(count, most=most, noun="forecast")
