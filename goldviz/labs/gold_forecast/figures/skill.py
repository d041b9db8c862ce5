"""Is the forecast better than the simplest one, when, and by how much: gains over time, and scores with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.forecasts.result import Result
from goldviz.diagnostics.forecasts.words import forecasts_counted, plain_number, signed_percent
from goldviz.figures.chart import Panel, axis, figure, panel, rule
from goldviz.figures.elements import MARKERS_UP_TO
from goldviz.figures.limits import Values, exact
from goldviz.figures.market import each_seed, scored
from goldviz.figures.marks import Canvas, Mark, Rule
from goldviz.figures.plot import Plot
from goldviz.figures.reading import MOST_COLUMNS, sentences, thinned
from goldviz.figures.theme import style_of, tone
from goldviz.labs.gold_forecast.figures.days import (
    AT_FIRST_LOOK,
    DAYS_UNDER_LEGEND,
    UNFINISHED,
    axis_of_days,
    curve,
    in_view,
    limits_of,
    missing,
    widened,
)
from goldviz.labs.gold_forecast.scoring.results import results, seed_scores
from goldviz.labs.gold_forecast.scoring.series import Series
from goldviz.labs.gold_forecast.words import model_name, source_words

SIMPLEST = {"return": "zero", "level": "“no change”", "volatility": "a constant variance"}
"""What the simplest forecast says, for each target."""
FLATTENING, LEAST_REACH = 25.0, 0.05
"""A baseline's curve that reaches so many times as far as the network's, or as a score of 0.05, is not drawn."""
ROOM = 3.0
"""How many times the network's own distance from zero the axis of scores reaches down to a much worse baseline."""
ALL_REFITS_MARKED = 12
"""Refits up to which each boundary is a line through the plot; more are short strokes at its foot."""


def score_unit(series: Series) -> float:
    """What scores are multiplied by to be drawn: R2 is drawn in percent, a gain in QLIKE as it is."""
    return 1.0 if series.target == "volatility" else 100.0


def curve_values(series: Series, gains: Values) -> Values:
    """Gains added up over time: in percent of the simplest forecast's loss, or in QLIKE."""
    return np.asarray(score_unit(series) * series.cumulative(gains))


def drawable(series: Series) -> tuple[dict[str, Values], list[str]]:
    """The curves of cumulative gains by model, and the baselines whose curves would flatten all others.

    The mean of all prices so far is thousands of times worse than the last price; drawn, it would leave a straight
    line of everything else.
    """
    curves = {model: curve_values(series, series.gains(model)) for model in series.models}
    reaches = {model: float(np.nanmax(np.abs(curve), initial=0.0)) for model, curve in curves.items()}
    most = FLATTENING * max(reaches.get("network", 0.0), LEAST_REACH * score_unit(series))
    far = [model for model, reach in reaches.items() if model != "network" and reach > most]
    return {model: curve for model, curve in curves.items() if model not in far}, far


def _of_seeds(series: Series) -> list[Values]:
    return [curve_values(series, gains) for gains in series.gains_by_seed().T]


def _reach(series: Series) -> list[Values]:
    return [np.array([0.0]), *drawable(series)[0].values(), *_of_seeds(series)]


def score_axis(by_model: Mapping[str, Result], seeds: Iterable[float] = ()) -> tuple[float, float]:
    """Limits that hold zero, the network with its interval and its seeds, and what is not much farther below."""
    own = by_model.get("network", Result(np.nan))
    network = [own.value, own.low, own.high, *seeds]
    everything = [end for result in by_model.values() for end in (result.value, result.low, result.high)]
    ends = [0.0, *(end for end in (*everything, *network) if np.isfinite(end))]
    near = max((abs(end) for end in network if np.isfinite(end)), default=0.0)
    low = max(min(ends), -ROOM * near) if near > 0 else min(ends)
    pad = 0.08 * (max(ends) - low) or 1.0
    return low - pad, max(ends) + pad


@dataclass(frozen=True)
class Scores:
    """What the figure of scores draws of one look, in its unit: results by model, and of each seed."""

    by_model: Mapping[str, Result]
    seeds: Values

    @classmethod
    def of(cls, series: Series, found: Mapping[str, Result]) -> Scores:
        """Of a run's forecasts at one look, and what was ``found`` of each model."""
        unit = score_unit(series)
        by_model = {model: result.times(unit) for model, result in found.items()}
        return cls(by_model, unit * np.array(seed_scores(series)))

    @property
    def rows(self) -> list[str]:
        """The models, the lowest row first."""
        return [*self.by_model][::-1]

    def ends(self, plot: Plot) -> tuple[float, float]:
        """The axis' ends, which hold the network at every look."""
        own = self.by_model.get("network", Result(np.nan))
        return widened(plot.limit("score"), np.array([own.value, own.low, own.high]), self.seeds)


@dataclass(frozen=True)
class Beyond:
    """An arrow at the left edge of a row, with the number of a score that lies beyond it."""

    number: str
    row: float
    colour: str

    def draw(self, canvas: Canvas) -> None:
        """Write it."""
        font: dict[str, Any] = {"color": canvas.colour(self.colour), "size": 13}
        place: dict[str, Any] = {"x": 0, "xref": "x domain", "xanchor": "left", "y": self.row, "yref": "y"}
        canvas.plot.figure.add_annotation(text=f"◂ {self.number}", font=font, **place)


def said(series: Series, value: float) -> str:
    """A score in words."""
    return plain_number(value, 3) if series.target == "volatility" else signed_percent(value)


def _gains(plot: Plot) -> Sequence[Mark | Panel] | str:
    if words := missing("target")(plot.ds):
        return words
    series = in_view(plot)
    rows = drawn_rows(series)[0]
    dates = series.dates[rows]
    hover = "%{y:+.4f}" if series.target == "volatility" else "%{y:+.3f} %"
    mode = "lines+markers" if len(dates) <= MARKERS_UP_TO else "lines"
    marks: list[Mark] = []
    for model, values in reversed(drawable(series)[0].items()):
        if model == "network":
            seeds = [one[rows] for one in _of_seeds(series)]
            marks += curve(series.network, values[rows], dates, hover, seeds=seeds, mode=mode)
        else:
            marks += curve(model, values[rows], dates, hover, width=1.5)
    heading = f"Above 0: better than {SIMPLEST[series.target]}"
    return [panel(*marks, *_refits(series), rule(y=0), heading=heading)]


def drawn_rows(series: Series, most: int = MOST_COLUMNS) -> tuple[Values, str]:
    """Which forecasts are drawn, and a sentence if some are left out."""
    return thinned(len(series.dates), most=most, noun="forecast")


def _refits(series: Series) -> list[Rule]:
    """A stroke where the next refit takes over."""
    dates = series.dates[np.flatnonzero(np.diff(series.block) != 0) + 1]
    height = {} if len(dates) < ALL_REFITS_MARKED else {"y1": 0.04}
    return [rule(x=date, width=1, more={"opacity": 0.6, "layer": "below", **height}) for date in map(str, dates)]


def _place(plot: Plot) -> str:
    """Which look is drawn, of how many seeds, and what the strokes are."""
    series = in_view(plot)
    strokes = "Dotted: next refit." if len(np.unique(series.block)) > 1 else ""
    if series.look is None:
        return sentences(AT_FIRST_LOOK, strokes)
    seeds = f"Line: mean of {series.seeds} seeds; band: each alone." if series.seeds > 1 else ""
    return sentences(f"Epoch {series.look}.", seeds, strokes)


def _left_out(plot: Plot) -> str:
    series = in_view(plot)
    far = ", ".join(style_of(model).label for model in drawable(series)[1])
    return sentences(source_words(plot.ds), drawn_rows(series)[1], f"Far below, not drawn: {far}." if far else "")


def _gains_axis(plot: Plot) -> Mapping[str, Any]:
    series = in_view(plot)
    unit = "QLIKE gained" if series.target == "volatility" else "Squared error saved (%)"
    return {"title_text": unit, "range": widened(plot.limit("skill"), *_reach(series))}


def _scores(plot: Plot) -> Sequence[Mark | Panel] | str:
    if words := missing("target")(plot.ds):
        return words
    series, scores = in_view(plot), plot.once(_scores_in_view)
    low, rows, unit = scores.ends(plot)[0], scores.rows, _unit(series)
    marks: list[Mark] = []
    for row, model in enumerate(rows):
        result, own = scores.by_model[model], model == "network"
        style, name = style_of(series.network if own else model), model_name(model, series.network, series.target)
        if result.value < low:
            number = said(series, result.value / score_unit(series))
            marks.append(Beyond(number, row, tone(style.colour, plot.theme)))
        else:
            marks.append(scored(result, row, style, name, unit=unit, own=own))
    if scores.seeds.size:
        marks.append(each_seed(scores.seeds, rows.index("network"), style_of(series.network).colour))
    return [*marks, rule(x=0, width=2, dash="solid")]


def _unit(series: Series) -> str:
    """What stands after a number."""
    return "" if series.target == "volatility" else " %"


def _scores_in_view(plot: Plot) -> Scores:
    return Scores.of(in_view(plot), plot.once(_results_in_view))


def _results_in_view(plot: Plot) -> Mapping[str, Result]:
    return results(plot.ds, in_view(plot))


def _score_axis(plot: Plot) -> Mapping[str, Any]:
    series = in_view(plot)
    score = "QLIKE gain over" if series.target == "volatility" else "R² against"
    title = {"title_text": f"{score} {SIMPLEST[series.target]}"}
    return {"range": plot.once(_scores_in_view).ends(plot), "nticks": 5, "ticksuffix": _unit(series), **title}


def _models(plot: Plot) -> Mapping[str, Any]:
    series = in_view(plot)
    names = [model_name(model, series.network, series.target) for model in plot.once(_scores_in_view).rows]
    return {"range": (-0.6, len(names) - 0.4), "tickvals": [*range(len(names))], "ticktext": names, "showgrid": False}


def _answer(plot: Plot) -> str:
    series = in_view(plot)
    result = plot.once(_results_in_view).get("network")
    if result is None:
        return AT_FIRST_LOOK
    text = f"{style_of(series.network).label}: {said(series, result.value)}"
    if not result.sure:
        return f"{text}."
    doubt = f", which the test disputes (p = {result.p:.2f})" if result.disputed else ""
    return f"{text}, 95 % {said(series, result.low)} to {said(series, result.high)}{doubt}."


def _bars(plot: Plot) -> str:
    series = in_view(plot)
    sure = any(result.sure for result in plot.once(_results_in_view).values())
    waiting = str(plot.ds.attrs.get("status", "")) in UNFINISHED
    bars = "Bars: 95 %, block bootstrap." if sure else "Intervals come when the run ends." if waiting else ""
    counted = forecasts_counted(int(np.isfinite(series.came).sum()))
    return sentences(bars, f"Epoch {series.look}, {counted}." if series.look else "")


def _all_scores(ds: Run, series: Series) -> list[Any]:
    scores = Scores.of(series, results(ds, series))
    return [score_axis(scores.by_model, scores.seeds)]


FIGURES = (
    # Goyal and Welch 2008: above 0 is better so far. For means the gain is squared error saved, in percent of all that
    # the simplest forecast has, so that the curve ends in R2 against it; for volatility it is QLIKE, divided by the
    # number of forecasts. A curve that rises once and is flat otherwise owes its score to one episode.
    figure(
        "skill",
        "Is the forecast better than the simplest one, and when?",
        _gains,
        title=lambda plot: f"Does it beat {SIMPLEST[in_view(plot).target]}?",
        redrawn="which baselines are drawn, and how far the axis reaches, changes with the look",
        shows="What each forecast gained over the simplest, added up over time.",
        cannot_show="How much of it is chance.",
        limits={
            "skill": limits_of(lambda ds, series: _reach(series)),
            "time": limits_of(lambda ds, series: [series.dates.min() - 3, series.dates.max() + 3], rounded=exact),
        },
        x=axis_of_days("time"),
        y=axis(scale="free", told=_gains_axis),
        notes=(_place,),
        lead=_left_out,
        legend="below",
        height=500,
        layout={"legend_traceorder": "reversed", **DAYS_UNDER_LEGEND},
    ),
    # R2 out of sample for means (Campbell and Thompson 2008), the gain in QLIKE for volatility. An interval that holds
    # zero says that chance alone could have brought the score.
    figure(
        "scoreboard",
        "Who forecasts best?",
        _scores,
        title=lambda plot: f"Who beats {SIMPLEST[in_view(plot).target]}?",
        redrawn="what is a dot, or an arrow at the edge, changes with the look",
        shows="Every forecast's score against the simplest; at the run's end with 95 % intervals.",
        cannot_show="Costs of trading.",
        limits={"score": limits_of(_all_scores, rounded=exact)},
        x=axis(scale="free", told=_score_axis),
        y=axis(scale="free", told=_models),
        notes=(_answer, _bars, lambda plot: "Strokes below: each seed alone." if in_view(plot).seeds > 1 else ""),
        lead=lambda plot: source_words(plot.ds),
        legend="none",
        hover="closest",
        height=lambda plot: 190 + 44 * max(len(in_view(plot).models), 2),
    ),
)
