"""Who forecasts best: the score of the network and of every baseline, with intervals."""

from __future__ import annotations

from typing import Any

import numpy as np

from goldviz.diagnostics.forecasts.result import Result
from goldviz.diagnostics.forecasts.words import forecasts_counted
from goldviz.figures.draft import Figure
from goldviz.figures.elements import interval_bars
from goldviz.figures.limits import Values
from goldviz.figures.plot import Plot
from goldviz.figures.reading import sentences
from goldviz.figures.theme import INKS, Theme, style_of, tone
from goldviz.labs.gold_forecast.figures.gains import score_unit
from goldviz.labs.gold_forecast.figures.quantities import AT_FIRST_LOOK, UNFINISHED, figure, missing, widened
from goldviz.labs.gold_forecast.figures.skill import SIMPLEST, said, short_name
from goldviz.labs.gold_forecast.scoring.results import final_results, results, seed_scores
from goldviz.labs.gold_forecast.scoring.series import Series
from goldviz.labs.gold_forecast.words import model_name, source_words


@figure(
    "Who forecasts best?",
    redrawn="what is a dot, or an arrow at the edge, changes with the look",
    shows="Every forecast's score against the simplest; at the run's end with 95 % intervals.",
    cannot_show="Costs of trading.",
)
def scoreboard(plot: Plot) -> Figure:
    """Scores against the simplest forecast, with the 95 % interval of a block bootstrap once the run has ended.

    R2 out of sample for means (Campbell and Thompson 2008), the gain in QLIKE for volatility. An interval that holds
    zero says that chance alone could have brought the score.
    """
    ds = plot.ds
    series = Series.of(ds, plot.epoch)
    plot.title = f"Who beats {SIMPLEST[series.target]}?"
    if words := missing("target")(ds):
        return plot.instead(words)
    by_model, final = results(ds, series), final_results(series)
    figure = plot.figure
    unit = score_unit(series)
    scores = {model: result.times(unit) for model, result in by_model.items()}
    own = scores.get("network", Result(np.nan))
    seeds = unit * np.array(seed_scores(series))
    low, high = widened(plot.limit("score"), np.array([own.value, own.low, own.high]), seeds)
    names = list(reversed(by_model))
    for row, model in enumerate(names):
        _add_score(figure, series, model, row, scores[model], low, plot.theme)
    if seeds.size:
        _add_seeds(figure, series, names.index("network"), seeds)
    _add_final(figure, series, final, names, low, plot.theme)
    percent = series.target != "volatility"
    words = f"R² against {SIMPLEST[series.target]}" if percent else "QLIKE gain over a constant variance"
    figure.update_xaxes(title_text=words, range=(low, high), nticks=5, ticksuffix=" %" if percent else "")
    ticks = [model_name(model, series.network, series.target) for model in names]
    figure.update_yaxes(range=(-0.6, len(names) - 0.4), tickvals=list(range(len(names))), ticktext=ticks)
    figure.update_yaxes(showgrid=False)
    figure.add_vline(x=0, line={"color": plot.ink.muted, "width": 2})
    sure = any(result.sure for result in by_model.values())
    waiting = str(ds.attrs.get("status", "")) in UNFINISHED
    bars = "Bars: 95 %, block bootstrap." if sure else "Intervals come when the run ends." if waiting else ""
    has_network = "network" in by_model
    answer = (
        f"{short_name(series, 'network')}: {_with_interval(series, by_model['network'])}."
        if has_network
        else AT_FIRST_LOOK
    )
    look_words = f"Epoch {series.look}, {forecasts_counted(int((~series.final).sum()))}." if series.look else ""
    notes = [answer, sentences(bars, look_words), _small_marks(series, final), source_words(ds)]
    height = 190 + 44 * max(len(names), 2)
    return plot.finish(*notes, height=height, legend=False, hover="closest")


def _beyond(figure: Figure, series: Series, row: float, value: float, colour: str) -> None:
    """An arrow at the left edge, with its number, for a score that lies beyond it."""
    figure.add_annotation(
        x=0,
        xref="x domain",
        xanchor="left",
        y=row,
        yref="y",
        font={"color": colour, "size": 13},
        text=f"◂ {said(series, value / score_unit(series))}",
    )


def _add_score(figure: Figure, series: Series, model: str, row: int, result: Result, low: float, theme: Theme) -> None:
    """A dot with its interval."""
    style = style_of(series.network if model == "network" else model)
    own = model == "network"
    name = model_name(model, series.network, series.target)
    unit = "" if series.target == "volatility" else " %"
    if np.isfinite(result.value) and result.value < low:
        _beyond(figure, series, row, result.value, tone(style.colour, theme))
        return
    bars: dict[str, Any] | None = None
    words = f"%{{x:+.3f}}{unit}"
    if result.sure:
        above, below = [result.high - result.value], [result.value - result.low]
        bars = interval_bars(above, below, style.colour, thickness=2.5 if own else 1.5, width=6)
        words += f"<br>95 %: {result.low:+.3f} to {result.high:+.3f}{unit}"
    figure.scatter(
        x=[result.value],
        y=[row],
        name=name,
        mode="markers",
        error_x=bars,
        marker={"symbol": style.symbol, "size": 13 if own else 10, "color": style.colour},
        hovertemplate=f"{words}<extra>{name}</extra>",
    )


def _add_seeds(figure: Figure, series: Series, row: int, values: Values) -> None:
    """A stroke for each seed's score alone."""
    figure.scatter(
        x=values,
        y=np.full(values.size, row - 0.26),
        mode="markers",
        name="each seed",
        marker={"symbol": "line-ns-open", "size": 10, "color": style_of(series.network).colour, "line": {"width": 1.5}},
        hovertemplate="one seed alone: %{x:+.3f}<extra></extra>",
    )


def _add_final(
    figure: Figure, series: Series, final: dict[str, float], names: list[str], low: float, theme: Theme
) -> None:
    """A diamond for each score in the final block."""
    places = [
        (score_unit(series) * value, names.index(model) + 0.26) for model, value in final.items() if np.isfinite(value)
    ]
    for value, row in places:
        if value < low:
            _beyond(figure, series, row, value, INKS[theme].accent)
    if places:
        figure.scatter(
            x=[value for value, _ in places],
            y=[row for _, row in places],
            mode="markers",
            name="final block",
            marker={"symbol": "diamond-open", "size": 10, "color": INKS[theme].accent, "line": {"width": 2}},
            hovertemplate="final block: %{x:+.3f}<extra></extra>",
        )


def _small_marks(series: Series, final: dict[str, float]) -> str:
    seeds = "Strokes below: each seed alone." if series.seeds > 1 else ""
    return sentences(seeds, "Gold diamonds above: final block." if final else "")


def _with_interval(series: Series, result: Result) -> str:
    text = said(series, result.value)
    if not result.sure:
        return text
    doubt = f", which the test disputes (p = {result.p:.2f})" if result.disputed else ""
    return f"{text}, 95 % {said(series, result.low)} to {said(series, result.high)}{doubt}"
