"""How large the next move will be: the forecast width over time, beside simple forecasts' and what came."""

from __future__ import annotations

import numpy as np

from goldviz.figures import theme as look
from goldviz.figures.draft import Figure, Node, Scatter
from goldviz.figures.elements import add_range
from goldviz.figures.limits import Values
from goldviz.figures.market import days_axis, in_template
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.reading import sentences
from goldviz.figures.theme import INKS, Theme, style_of
from goldviz.labs.gold_forecast.figures.quantities import (
    AT_FIRST_LOOK,
    dates_over_legend,
    figure,
    labels,
    missing,
    moves,
    shown,
    widened,
)
from goldviz.labs.gold_forecast.scoring.series import REFERENCES, Series
from goldviz.labs.gold_forecast.words import source_words

WINDOWS = 300
"""Windows over the test years; each is drawn as one point of every curve and one stroke."""


@figure(
    "How large will the next move be?",
    redrawn="its axis reaches as far as the look needs",
    instead=missing("target"),
    shows="The forecast standard deviation beside simple ones, over the largest moves.",
)
def volatility(plot: Plot) -> Figure:
    """Forecast standard deviation of network and baselines over time, over the largest move of each window.

    Large moves come in clusters, so a width that rises after one is right more often than not. A flat curve knows no
    more than a constant variance.
    """
    ds = plot.ds
    series = Series.of(ds, plot.epoch)
    width = max(1, -(-len(series.dates) // WINDOWS))
    starts = np.arange(0, len(series.dates), width)
    dates = labels(series.dates[np.minimum(starts + width, len(series.dates)) - 1])
    sizes = _largest(np.abs(shown(series, moves(series))), starts)
    figure = plot.figure = Figure(_strokes(dates, sizes, plot.theme, in_template(series.moves.suffix)))
    curves = [np.array([0.0]), sizes]
    for name, scale in _changing(series).items():
        curves.append(_root_mean_square(shown(series, scale), starts))
        _add_line(figure, name, dates, curves[-1], 1.8)
    if series.look is not None:
        curves += _add_network(figure, series, dates, starts)
    days_axis(figure, plot.limit("time"))
    plot.link("x", "day")
    high = widened(plot.limit("scale"), *curves)[1]
    figure.update_yaxes(title_text=as_label(series.moves.called("Standard deviation")), range=(0, high))
    each = f"Root mean squares of {width} forecasts." if width > 1 else ""
    place = f"Epoch {series.look}." if series.look is not None else AT_FIRST_LOOK
    seeds = f"Mean of {series.seeds} seeds; band: each alone." if series.seeds > 1 else ""
    notes = [sentences(place, seeds), sentences(each, source_words(ds))]
    plot.finish(*notes, height=500)
    return dates_over_legend(figure)


def _changing(series: Series) -> dict[str, Values]:
    """The baselines' forecasts, but for the constant variance."""
    return {name: scale for name, scale in series.baseline_scales.items() if name != REFERENCES["volatility"]}


def _strokes(dates: list[str], sizes: Values, theme: Theme, unit: str) -> Node:
    """A stroke from zero to each size, all in one trace."""
    x = [day for date in dates for day in (date, date, None)]
    y = np.stack([np.zeros_like(sizes), sizes, np.full_like(sizes, np.nan)], axis=1).ravel()
    line = {"color": look.with_alpha(INKS[theme].muted, 0.55), "width": 1}
    return Scatter(
        x=x,
        y=y,
        mode="lines",
        name="largest move",
        legendgroup="moves",
        line=line,
        hovertemplate=f"|move| %{{y:.2f}}{unit}",
        connectgaps=False,
    )


def _add_network(figure: Figure, series: Series, dates: list[str], starts: Values) -> list[Values]:
    scales = shown(series, series.scale)
    by_seed = np.stack([_root_mean_square(scale, starts) for scale in scales.T])
    low, high = by_seed.min(axis=0), by_seed.max(axis=0)
    if series.seeds > 1:
        add_range(figure, series.network, dates, low, high)
    middle = _root_mean_square(scales.mean(axis=1), starts)
    _add_line(figure, series.network, dates, middle, 2.5)
    return [low, high, middle]


def _add_line(figure: Figure, name: str, dates: list[str], values: Values, width: float) -> None:
    style = style_of(name)
    dash = style.dash if width < 2 else "solid"
    figure.scatter(
        x=dates,
        y=values,
        name=style.label,
        legendgroup=name,
        mode="lines",
        hovertemplate="%{y:.3f}",
        line={"color": style.colour, "dash": dash, "width": width},
    )


def _largest(values: Values, starts: Values) -> Values:
    return np.asarray(np.fmax.reduceat(values, starts))


def _root_mean_square(values: Values, starts: Values) -> Values:
    counts = np.diff(np.append(starts, len(values)))
    return np.asarray(np.sqrt(np.add.reduceat(np.square(values), starts) / counts))
