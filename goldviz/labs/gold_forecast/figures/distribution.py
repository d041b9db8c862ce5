"""How sure the forecast is: its fan over the last days, and whether its intervals hold what they promise."""

from __future__ import annotations

from functools import partial

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.forecasts.words import forecasts_counted
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure, make_subplots
from goldviz.figures.elements import add_band, add_heading
from goldviz.figures.limits import Values
from goldviz.figures.market import days_axis, in_template
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.reading import sentences
from goldviz.figures.theme import INKS, Theme, style_of
from goldviz.labs.gold_forecast.figures.quantities import (
    SHOWN_LAST,
    figure,
    histogram,
    labels,
    missing,
    shown,
    widened,
)
from goldviz.labs.gold_forecast.scoring.intervals import coverages, fan_bands, probabilities, recorded_at_end
from goldviz.labs.gold_forecast.scoring.series import Series
from goldviz.labs.gold_forecast.words import source_words

DARKNESS = (0.16, 0.22, 0.3)
"""How dark the fan's bands are laid over one another, widest first."""


of_forecasts = partial(figure, instead=missing("target", "mean", "scale"))


@of_forecasts(
    "How sure is the forecast?",
    redrawn="it has more bands at the run's end, and its axis reaches as far as the look needs",
    shows="The last forecasts as bands, and what came. At the run's end: 50, 80 and 95 %.",
    cannot_show="Other times.",
)
def fan(plot: Plot) -> Figure:
    """The last forecasts as bands of 50, 80 and 95 %, with their mean, and what came.

    Before the run's end there is one band, two standard deviations around the mean. Bands that never widen or narrow
    say that the network has found nothing that the size of moves depends on.
    """
    ds = plot.ds
    series = Series.of(ds, plot.epoch)
    last = slice(-SHOWN_LAST, None)
    dates, came = labels(series.dates[last]), shown(series, series.came)[last]
    bands = fan_bands(ds, series)
    style, figure = style_of(series.network), plot.figure
    for (name, low, high), alpha in zip(bands, DARKNESS[-len(bands) :], strict=True):
        under, over = (shown(series, edge)[last] for edge in (low, high))
        add_band(figure, dates, under, over, look.with_alpha(style.colour, alpha), name=name)
    unit = in_template(series.moves.suffix)
    mean = shown(series, series.mean.mean(axis=1))[last]
    if series.target != "volatility":
        figure.scatter(
            x=dates,
            y=mean,
            name="mean",
            mode="lines",
            line={"color": style.colour, "width": 2},
            hovertemplate=f"mean %{{y:.4~g}}{unit}",
        )
    _, low, high = bands[0]
    outside = (came < shown(series, low)[last]) | (came > shown(series, high)[last])
    _add_points(figure, dates, came, outside, unit, plot.theme)
    days_axis(figure, plot.limit("recent"), ticks=4)
    plot.link("x", "day")
    curves = [came, mean, shown(series, low)[last], shown(series, high)[last]]
    figure.update_yaxes(title_text=as_label(series.moves.next), range=widened(plot.limit("fan"), *curves))
    expectation = f"{0.05 * len(dates):.0f} expected"
    outside_words = f"{int(outside.sum())} of {forecasts_counted(len(dates))} outside the widest band; {expectation}."
    notes = [outside_words, sentences(f"Epoch {series.look}.", _what_bands(ds, series)), source_words(ds)]
    return plot.finish(*notes)


def _what_bands(ds: Run, series: Series) -> str:
    seeds = f"Means over {series.seeds} seeds." if series.seeds > 1 else ""
    at_end = recorded_at_end(ds, series, "quantile")
    return sentences("" if at_end else "Band: mean ± 2 standard deviations.", seeds)


def _add_points(figure: Figure, dates: list[str], came: Values, outside: Values, unit: str, theme: Theme) -> None:
    """What came, as dots; in gold and ringed where it lies outside the widest band."""
    ink = INKS[theme]
    figure.scatter(
        x=dates,
        y=came,
        name="what came",
        mode="markers",
        hovertemplate=f"came %{{y:.4~g}}{unit}",
        marker={
            "size": np.where(outside, 9, 5).tolist(),
            "symbol": np.where(outside, "circle-open", "circle").tolist(),
            "color": np.where(outside, ink.accent, ink.text).tolist(),
            "line": {"width": np.where(outside, 2.5, 0).tolist()},
        },
    )


@of_forecasts(
    "Do its intervals keep their word?",
    redrawn="how many bins it has, and how far its axes reach, changes with the look",
    shows="Where in its forecast distribution each value fell.",
)
def calibration(plot: Plot) -> Figure:
    """Histogram of the forecast probability of at most what came (PIT), and how much the intervals held.

    If the distributions are right, the histogram is flat but for chance (Dawid 1984). A hill in the middle says that
    the intervals are too wide, a valley that they are too narrow, a slope that the mean is off.
    """
    ds = plot.ds
    series = Series.of(ds, plot.epoch)
    values, intervals = probabilities(ds, series), coverages(ds, series)
    if not values.size or not intervals:
        return plot.instead("No forecast has a width that is a finite number.")
    style, ink = style_of(series.network), plot.ink
    figure = plot.figure = make_subplots(rows=2, cols=1, vertical_spacing=0.24)
    _add_histogram(figure, values, style.colour, plot.theme)
    highest = widened(plot.limit("pit"), np.array([max(bar for bar in figure.data[0].y)]))[1]
    figure.update_yaxes(title_text="Share (%)", range=(0, highest), nticks=5, row=1, col=1)
    off = np.array([100 * (entry.share - entry.nominal) for entry in intervals])
    ends = 100 * np.array([entry.interval for entry in intervals])
    at = np.array([100 * (entry.share) for entry in intervals])
    names = [f"{entry.nominal:.0%}".replace("%", " %") for entry in intervals]
    figure.scatter(
        x=names,
        y=off,
        mode="markers",
        marker={"symbol": style.symbol, "size": 11, "color": style.colour},
        error_y={"array": ends[:, 1] - at, "arrayminus": at - ends[:, 0], "color": style.colour, "thickness": 2},
        customdata=at,
        hovertemplate="held %{customdata:.1f} %<br>%{y:+.1f} points<extra>%{x} interval</extra>",
        row=2,
    )
    figure.add_hline(y=0, row=2, col=1, line={"color": ink.muted, "width": 1.5, "dash": "dot"})
    beyond = np.concatenate([ends[:, 0] - at + off, ends[:, 1] - at + off])
    ends_off = widened(plot.limit("off"), beyond)
    figure.update_yaxes(title_text="Points off", range=ends_off, nticks=5, row=2, col=1)
    figure.update_xaxes(title_text="Interval that should hold", type="category", showgrid=False, row=2, col=1)
    figure.update_xaxes(title_text="Forecast probability of at most what came", range=(0, 1), row=1, col=1)
    for panel, words in enumerate(("Where in its distribution what came fell", "How much the intervals held"), start=1):
        add_heading(figure, panel, f"<b>{words}</b>", font={"size": 14})
    nominal_shares = ", ".join(f"{100 * entry.nominal:.0f}" for entry in intervals)
    shares = ", ".join(f"{100 * entry.share:.0f}" for entry in intervals)
    at_end = recorded_at_end(ds, series, "pit")
    about = "" if at_end else "As if Gaussian; the run's own distributions come at its end."
    look_words = f"Epoch {series.look}, {forecasts_counted(values.size)}."
    notes = [
        f"Intervals of {nominal_shares} % held {shares} %.",
        sentences(look_words, about),
        "Grey, bars: 95 %, if days are independent.",
    ]
    plot.finish(*notes, height=560, legend=False, hover="closest")
    return figure.update_layout(margin_t=figure.layout.margin.t + 14)


def _add_histogram(figure: Figure, values: Values, colour: str, theme: Theme) -> None:
    counts, chance = histogram(values)
    bins, share = len(counts), counts / values.size
    flat = 1 / bins
    figure.bar(
        x=(np.arange(bins) + 0.5) / bins,
        y=100 * share,
        width=0.92 / bins,
        marker_color=colour,
        opacity=0.85,
        customdata=counts,
        hovertemplate="%{y:.1f} % (%{customdata})<extra>around %{x:.2f}</extra>",
        row=1,
    )
    figure.add_shape(
        type="rect",
        x0=0,
        x1=1,
        y0=100 * max(0.0, flat - chance),
        y1=100 * (flat + chance),
        row=1,
        col=1,
        fillcolor=look.with_alpha(INKS[theme].muted, 0.32),
        line_width=0,
        layer="above",
    )
    line = {"color": INKS[theme].muted, "width": 1.5, "dash": "dot"}
    figure.add_shape(type="line", x0=0, x1=1, y0=100 * flat, y1=100 * flat, line=line, row=1, col=1)
