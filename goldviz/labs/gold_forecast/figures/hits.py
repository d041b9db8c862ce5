"""How often the sign of the forecast is right, year by year, beside always saying *up*."""

from __future__ import annotations

import numpy as np

from goldviz.diagnostics.forecasts.words import p_value
from goldviz.figures.draft import Figure
from goldviz.figures.elements import interval_bars, number_ticks
from goldviz.figures.plot import Plot
from goldviz.figures.reading import sentences
from goldviz.figures.theme import style_of
from goldviz.labs.gold_forecast.figures.quantities import figure, missing
from goldviz.labs.gold_forecast.scoring.direction import Direction, difference_p_value, directions
from goldviz.labs.gold_forecast.scoring.series import Series
from goldviz.labs.gold_forecast.words import source_words

NO_SIGN = "A forecast of the variance has no sign: see how large the next move will be."


@figure(
    "How often is the sign right?",
    redrawn="which years have enough moves to count changes with the look",
    shows="The share of right signs by year, with 95 % intervals.",
    cannot_show="The size of moves.",
)
def hits(plot: Plot) -> Figure:
    """Share of moves whose sign the forecast had right, by year and in all, with 95 % Wilson intervals.

    Not one half but always saying *up* is what to beat: gold has risen on more days than not. Moves and forecasts of
    exactly zero are not counted, nor is a year with fewer than eight forecasts.
    """
    ds = plot.ds
    series = Series.of(ds, plot.epoch)
    if series.target == "volatility":
        return plot.instead(NO_SIGN)
    if words := missing("target", "mean")(ds):
        return plot.instead(words)
    years = directions(series)
    if not years:
        return plot.instead("There are too few forecasts with a sign to count.")
    ends = plot.limit("year")
    last = int(np.floor(ends[1]))
    places = [last if entry.year is None else entry.year for entry in years]
    figure = plot.figure
    _add_rates(figure, series.network, places, years)
    figure.scatter(
        x=places,
        y=[100 * entry.up.rate for entry in years],
        mode="markers",
        name="always up",
        marker={"symbol": "line-ew-open", "size": 18, "color": plot.ink.accent, "line": {"width": 3}},
        hovertemplate="always up %{y:.1f} %",
    )
    figure.add_vline(x=last - 1, line={"color": plot.ink.muted, "width": 1, "dash": "dot"})
    ticks = number_ticks(int(np.ceil(ends[0])), last - 2, {}, most=3)
    ticks = {**ticks, "tickvals": [*ticks["tickvals"], last], "ticktext": [*ticks["ticktext"], "all"]}
    figure.update_xaxes(range=ends, showgrid=False, unifiedhovertitle_text="%{x}", **ticks)
    figure.update_yaxes(title_text="Sign right", range=plot.limit("rate"), ticksuffix=" %")
    test = p_value(difference_p_value(series))
    answer = f"Difference in all: {test}." if test else ""
    seeds = f"Mean forecast of {series.seeds} seeds." if series.seeds > 1 else ""
    place = f"Epoch {series.look}, {years[-1].network.counted:,} moves. Bars: 95 %."
    final = "The final block is left out." if series.final.any() else ""
    notes = [answer, sentences(place, seeds, final), source_words(ds)]
    return plot.finish(*notes)


def _add_rates(figure: Figure, network: str, places: list[int], entries: list[Direction]) -> None:
    style = style_of(network)
    rates = np.array([100 * entry.network.rate for entry in entries])
    ends = 100 * np.array([entry.interval for entry in entries])
    counts = [entry.network.counted for entry in entries]
    figure.scatter(
        x=places,
        y=rates,
        mode="markers",
        name=style.label,
        marker={"symbol": style.symbol, "size": 10, "color": style.colour},
        error_y=interval_bars(ends[:, 1] - rates, rates - ends[:, 0], style.colour, width=4),
        customdata=np.stack([ends[:, 0], ends[:, 1], counts], axis=1),
        hovertemplate="%{y:.1f} %, 95 %: %{customdata[0]:.1f} to %{customdata[1]:.1f}, of %{customdata[2]:.0f}",
    )
