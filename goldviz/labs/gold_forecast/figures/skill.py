"""When is the forecast better than the simplest one: gains added up over time."""

from __future__ import annotations

import numpy as np

from goldviz.diagnostics.forecasts.words import forecasts_counted, plain_number, signed_percent
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure
from goldviz.figures.elements import MARKERS_UP_TO, add_range
from goldviz.figures.limits import Values
from goldviz.figures.market import days_axis
from goldviz.figures.plot import Plot
from goldviz.figures.reading import sentences
from goldviz.figures.theme import INKS, Theme, style_of
from goldviz.labs.gold_forecast.figures.gains import curve_values, drawable
from goldviz.labs.gold_forecast.figures.quantities import (
    AT_FIRST_LOOK,
    dates_over_legend,
    drawn_forecasts,
    figure,
    labels,
    missing,
    widened,
)
from goldviz.labs.gold_forecast.scoring.results import final_results
from goldviz.labs.gold_forecast.scoring.series import Series
from goldviz.labs.gold_forecast.words import source_words

SIMPLEST = {"return": "zero", "level": "“no change”", "volatility": "a constant variance"}
"""What the simplest forecast says, for each target."""

ALL_REFITS_MARKED = 12
"""Refits up to which each boundary is a line through the plot; more are short strokes at its foot."""


@figure(
    "Is the forecast better than the simplest one, and when?",
    redrawn="which baselines are drawn, and how far the axis reaches, changes with the look",
    shows="What each forecast gained over the simplest, added up over time.",
    cannot_show="How much of it is chance.",
)
def skill(plot: Plot) -> Figure:
    """Gains over the simplest forecast, added up over time (Goyal and Welch 2008): above 0 is better so far.

    For means the gain is squared error saved, in percent of all that the simplest forecast has, so the curve ends in
    R2 against it. For volatility it is QLIKE, divided by the number of forecasts. A curve that rises once and is
    flat otherwise owes its score to one episode.
    """
    ds = plot.ds
    series = Series.of(ds, plot.epoch)
    plot.title = f"Does it beat {SIMPLEST[series.target]}?"
    if words := missing("target")(ds):
        return plot.instead(words)
    rows, thinning = drawn_forecasts(len(series.dates))
    dates, figure = labels(series.dates[rows]), plot.figure
    curves_drawn = [np.array([0.0])]
    curves, far = drawable(series)
    for model, values in reversed(curves.items()):
        curves_drawn.append(values)
        if model == "network":
            curves_drawn += _add_network(figure, series, dates, values, rows)
        else:
            _add_baseline(figure, model, dates, values[rows], series)
    figure.update_layout(legend_traceorder="reversed")
    days_axis(figure, plot.limit("time"))
    plot.link("x", "day")
    unit = "QLIKE gained" if series.target == "volatility" else "Squared error saved (%)"
    figure.update_yaxes(title_text=unit, range=widened(plot.limit("skill"), *curves_drawn))
    figure.add_hline(y=0, line={"color": plot.ink.muted, "width": 1.5, "dash": "dot"})
    figure.add_annotation(
        x=0,
        xref="x domain",
        xanchor="left",
        y=1,
        yref="y domain",
        yanchor="bottom",
        text=f"above 0: better than {SIMPLEST[series.target]}",
        font={"size": 13, "color": plot.ink.muted},
    )
    _mark_refits(figure, series, plot.theme)
    final_words = _shade_final(figure, series, plot.theme)
    last = sentences(source_words(ds), thinning, _too_far(far))
    notes = [_place(series), final_words, last]
    plot.finish(*notes, height=500)
    dates_over_legend(figure)
    return figure.update_layout(margin_t=figure.layout.margin.t + 14)


def _add_network(figure: Figure, series: Series, dates: list[str], values: Values, mask: Values) -> list[Values]:
    """The network's curve over the range of its seeds; returns what was drawn beside the curve."""
    style, name = style_of(series.network), series.network
    edges = []
    if series.seeds > 1:
        curves = np.stack([curve_values(series, gains) for gains in series.gains_by_seed().T])
        usable = np.isfinite(curves)
        low = np.where(usable.any(0), np.where(usable, curves, np.inf).min(0), np.nan)
        high = np.where(usable.any(0), np.where(usable, curves, -np.inf).max(0), np.nan)
        add_range(figure, name, dates, low[mask], high[mask])
        edges = [low, high]
    figure.scatter(
        x=dates,
        y=values[mask],
        name=style.label,
        legendgroup=name,
        mode="lines+markers" if len(dates) <= MARKERS_UP_TO else "lines",
        line={"color": style.colour, "width": 2.5},
        marker={"symbol": style.symbol, "size": 7},
        hovertemplate=_hover(series),
    )
    return edges


def _add_baseline(figure: Figure, model: str, dates: list[str], values: Values, series: Series) -> None:
    style = style_of(model)
    figure.scatter(
        x=dates,
        y=values,
        name=style.label,
        legendgroup=model,
        mode="lines",
        line={"color": style.colour, "dash": style.dash, "width": 1.5},
        hovertemplate=_hover(series),
    )


def _hover(series: Series) -> str:
    return "%{y:+.4f}" if series.target == "volatility" else "%{y:+.3f} %"


def _too_far(far: list[str]) -> str:
    """Which baselines are so much worse that they are not drawn."""
    return f"Far below, not drawn: {', '.join(style_of(model).label for model in far)}." if far else ""


def _mark_refits(figure: Figure, series: Series, theme: Theme) -> None:
    """A stroke where the next refit takes over."""
    starts = np.flatnonzero(np.diff(series.block) != 0) + 1
    height = 1 if len(starts) < ALL_REFITS_MARKED else 0.04
    line = {"color": INKS[theme].muted, "width": 1, "dash": "dot"}
    for date in map(str, series.dates[starts]):
        figure.add_shape(
            type="line",
            x0=date,
            x1=date,
            xref="x",
            y0=0,
            y1=height,
            yref="y domain",
            layer="below",
            line=line,
            opacity=0.6,
        )


def _shade_final(figure: Figure, series: Series, theme: Theme) -> str:
    """The final block as a shaded part with its name, where it was opened; returns the sentence about it."""
    final_scores = final_results(series)
    if not final_scores:
        return ""
    inside = series.dates[series.final]
    figure.add_shape(
        type="rect",
        x0=str(inside[0]),
        x1=str(inside[-1]),
        xref="x",
        y0=0,
        y1=1,
        yref="y domain",
        layer="below",
        line_width=0,
        fillcolor=look.with_alpha(INKS[theme].accent, 0.14),
    )
    figure.add_annotation(
        x=str(inside[-1]),
        xref="x",
        xanchor="right",
        y=0,
        yref="y domain",
        yanchor="bottom",
        text="final block",
        font={"size": 13, "color": INKS[theme].accent},
    )
    own = said(series, final_scores["network"]) if "network" in final_scores else "no number"
    return f"Final block alone: {own} over {forecasts_counted(len(inside))}."


def said(series: Series, value: float) -> str:
    """A score in words."""
    return plain_number(value, 3) if series.target == "volatility" else signed_percent(value)


def short_name(series: Series, model: str) -> str:
    """A model as legends name it."""
    return style_of(series.network if model == "network" else model).label


def _place(series: Series) -> str:
    """Which look is drawn, of how many seeds, and what the strokes are."""
    refits = len(np.unique(series.block))
    strokes = "Dotted: next refit." if refits > 1 else ""
    if series.look is None:
        return sentences(AT_FIRST_LOOK, strokes)
    seeds = f"Line: mean of {series.seeds} seeds; band: each alone." if series.seeds > 1 else ""
    return sentences(f"Epoch {series.look}.", seeds, strokes)
