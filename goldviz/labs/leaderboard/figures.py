"""The figures of the laboratory *How a leaderboard fools*, in the order in which a page shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.figures.chart import (
    Panel,
    at,
    axis,
    colours,
    curves,
    dots,
    figure,
    heat,
    limits_over,
    lines,
    offered,
    panel,
    rule,
)
from goldviz.figures.draft import Figure
from goldviz.figures.frames import Words
from goldviz.figures.limits import Values
from goldviz.figures.maps import SIGNED
from goldviz.figures.marks import Dots, Heat
from goldviz.figures.plot import Now, Plot
from goldviz.figures.reading import absence
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.leaderboard.choices import TRAPS
from goldviz.labs.leaderboard.measures import abreast, change, leader, loader_sizes, order
from goldviz.labs.leaderboard.public_sets import TABLE
from goldviz.labs.leaderboard.settings import Leaderboard
from goldviz.models.series.forecasters.table import FORECASTERS

FIRST_CURVES = ("repeat", "least_squares")
"""Rows of which the first figure shows every batch size."""
OF_ORDER = {-1.0: "better", 0.0: "?", 1.0: "worse"}
ERROR = "Mean squared error"


def percents(ds: Run | Now) -> Array:
    """What each trap changes of each row's score, in percent."""
    return change(ds["trap_honest"].astype(np.float64), ds["trap_score"]) * 100


def _changes(ds: Run) -> Values:
    recorded = "trap_honest" in ds and "trap_score" in ds
    return np.append(percents(ds).values.ravel(), 0.0) if recorded else np.array([0.0])


def _first_curves(ds: Run) -> Values:
    if "batch_score" not in ds:
        return np.array([])
    return ds["batch_score"].sel(forecaster=list(FIRST_CURVES)).values.ravel()


def _loaders(plot: Plot) -> Sequence[Dots]:
    """The score at usual sizes of a batch, with its number."""
    sizes = loader_sizes(plot.ds)
    score = at("batch_score", forecaster=FIRST_CURVES[0], batch_size=sizes)
    places = ["top right", *["middle right"] * (len(sizes) - 2), "top left"][: len(sizes)]
    said = plot.at_step(score.read(plot), lambda values: [f"<b>{value:.3f}</b>" for value in values])
    more = {"text": said, "textposition": places, "textfont": {"size": 13, "color": plot.ink.text}}
    quiet = {"showlegend": False, "hoverinfo": "skip", "cliponaxis": False}
    return [dots(score, colour="text", text=".3f", more={**more, **quiet})]


def _batches(plot: Plot) -> Mapping[str, Any]:
    sizes = [int(size) for size in plot.ds["batch_size"].values]
    return {"range": (-12, sizes[-1] + 12), "tickvals": [1, *sizes[16::16]]}


def _leaders(score: Array, low: Array, high: Array) -> str:
    first, others = leader(score), abreast(score, low, high)
    if not first:
        return "No row has a score."
    label = FORECASTERS[first].label
    if not others:
        return f"{label} is ahead of every other row."
    names = ", ".join(FORECASTERS[name].label for name in others)
    return f"Not to be told from {label}, the lowest: {names}."


def standing(plot: Plot) -> Words:
    """Which rows cannot be told from the best one."""
    return plot.say(_leaders, plot.now["told"], plot.now["difference_low"], plot.now["difference_high"])


def _broken(words: str) -> str:
    return words.replace(" for one row", "<br>for one row").replace(" the whole", "<br>the whole")


def _published(plot: Plot) -> Figure:
    """A row for each name, own or published: what this run scores, and what is published under that name."""
    own = {plot.look_of(str(name)).label: str(name) for name in plot.ds["forecaster"].values}
    models = [str(model) for model in plot.ds["published_model"].values]
    labels = [*own, *(model for model in models if model not in own)][::-1]

    def mark(place: int, scores: Any, said: Any, kind: str, written: str, above: str, **marker: Any) -> None:
        plot.figure.scatter(
            x=scores,
            y=[place],
            text=said,
            textposition=f"{above} center",
            name=kind,
            mode="markers+text",
            marker={"size": 11, **marker},
            hovertemplate=f"{labels[place]}, {kind}: %{{x:{written}}}<extra></extra>",
        )

    for place, label in enumerate(labels):
        if label in own:
            look, scores = plot.look_of(own[label]), plot.now["told"].sel(forecaster=[own[label]])
            said = plot.at_step(scores, lambda numbers: [f"{number:.3f}" for number in numbers])
            mark(place, plot.at_step(scores), said, "this run", ".4f", "top", symbol=look.symbol, color=look.colour)
        if label in models:
            score = float(plot.ds["published"].sel(published_model=label))
            hollow = {"symbol": "diamond-open", "color": plot.ink.text}
            mark(place, [score], [f"{score:.3f}"], "published", ".3f", "bottom", **hollow)
    plot.figure.update_xaxes(title_text=ERROR, range=plot.limit("told + published, linear"), nticks=5)
    plot.figure.update_yaxes(
        range=(-0.7, len(labels) - 0.3), tickvals=[*range(len(labels))], ticktext=labels, showgrid=False
    )
    words = f"{plot.ds.attrs.get('public_set', '')}. Filled: this run. Hollow: published."
    return plot.finish(words, height=190 + 44 * len(labels), legend=False, hover="closest")


def _orders(plot: Plot) -> Sequence[Heat]:
    """Each cell says in words what its colour says, so that no colour scale stands beside it."""
    labels = [plot.look_of(str(name)).label for name in plot.ds["forecaster"].values]
    signs = order(plot.now["difference_low"], plot.now["difference_high"])
    words = plot.at_step(signs.where(~np.eye(len(labels), dtype=bool)), _in_words)
    named = signs.assign_coords(forecaster=labels, rival=labels)
    more = {"text": words, "texttemplate": "%{text}"}
    return [heat(lambda plot: named, "rival", "forecaster", hover="%{y} is %{text} than %{x}", more=more)]


def _in_words(signs: Values) -> list[list[str]]:
    return [[OF_ORDER.get(sign, "") for sign in row] for row in signs.tolist()]


def _horizons(plot: Plot) -> Mapping[str, Any]:
    untils = [int(until) for until in plot.ds["until"].values]
    names = [f"{until} step{'' if until == 1 else 's'}" for until in untils]
    return {
        "tickvals": [*range(len(untils))],
        "ticktext": names,
        "range": (-0.5, len(untils) - 0.5),
        "showgrid": False,
    }


def _window(plot: Plot) -> str:
    channel, row = plot.ds.attrs.get("shown_channel", ""), plot.ds.attrs.get("shown_row", 0)
    return f"{channel}, forecast from row {row:,}."


def _explained(levels: Array, moves: Array) -> str:
    words = f"R²: repeating {float(levels):.3f} of levels, least squares {float(moves):.3f} over repeating."
    return words.replace("-", "−")


def _maps(plot: Plot) -> Sequence[Panel]:
    return [
        panel(
            heat(at("weight", linear_map=name), "lag", "step_ahead"),
            heading=FORECASTERS[str(name)].label,
        )
        for name in plot.ds["linear_map"].values
    ]


of_scores = partial(figure, says_step=False, legend="under")
"""A figure of rows of the table, which are told of all epochs up to the one in view."""

FIGURES, shared_limits = offered(
    Leaderboard,
    of_scores(
        "same_forecast",
        "How many scores has one forecast?",
        *(
            lines(
                at("batch_score", forecaster=name),
                name=FORECASTERS[name].label,
                colour=name,
                width=3.5 if name == FIRST_CURVES[0] else 2,
                hover="batches of %{x}: %{y:.4f}",
            )
            for name in FIRST_CURVES
        ),
        _loaders,
        title="One forecast, many scores",
        cannot_show="Which windows are missing.",
        x=axis("Windows in a test batch", scale="free", told=_batches),
        y=axis(read=_first_curves),
        lead=lambda plot: f"{int(plot.ds.attrs.get('windows', 0)):,} test windows. With numbers: usual batch sizes.",
        legend="above",
    ),
    # Intervals are of a block bootstrap over windows, and over seeds.
    of_scores(
        "table",
        "Which rows of the table can be told apart?",
        dots(
            "told",
            rows="forecaster",
            ends=("told_low", "told_high"),
            text=".3f",
            hover=": %{x:.4f}",
            bar={"thickness": 2, "width": 5},
        ),
        title="Who is ahead?",
        needs=("told", "told_low", "told_high", "difference_low", "difference_high"),
        also="Bars: 95 % intervals.",
        cannot_show="Other years.",
        x=axis(ERROR, "told", "told_low", "told_high", nticks=5),
        lead=standing,
        legend="none",
        hover="closest",
        height=lambda plot: 190 + 40 * plot.ds.sizes["forecaster"],
    ),
    of_scores(
        "traps",
        "What does each trap change?",
        dots(lambda plot: percents(plot.now), rows="trap", by="forecaster", dodge=0.5, hover=": %{x:+.1f} %"),
        rule(x=0, width=2, dash="solid"),
        needs=("trap_honest", "trap_score"),
        also="No mark: untouched, or it takes several seeds.",
        x=axis("Change of the score, %", read=_changes, nticks=6),
        y=axis(range=(-0.6, len(TRAPS) - 0.4), ticktext=[*map(_broken, TRAPS.values())][::-1]),
        lead="Left: looks better than it is.",
        hover="closest",
        height=470,
    ),
    # Two marks in the row of a name, of two dimensions that have some names in common.
    figure(
        "published",
        "What do others publish?",
        draw=_published,
        needs=("told", "published"),
        shows=f"Filled: this run. Hollow: {TABLE}.",
        cannot_show="Equal conditions: published rows drop the last batch; linear ones read 336 steps, others 96.",
        limits={"told + published, linear": limits_over(("told", "published"))},
    ),
    # Pairs of rows, by the interval of their difference over the same windows and seeds.
    of_scores(
        "told_apart",
        "Which rows differ beyond chance?",
        _orders,
        needs=("difference_low", "difference_high"),
        shows="Which row is better than which; a question mark where nobody can say.",
        cannot_show="How large a difference is.",
        x=axis("", tickangle=-35, showgrid=False),
        y=axis("", autorange="reversed"),
        lead="The row is … than the column.",
        legend="none",
        height=lambda plot: 200 + 44 * plot.ds.sizes["forecaster"],
        layout={"coloraxis": {"cmin": -1.6, "cmax": 1.6, "colorscale": SIGNED, "showscale": False}},
    ),
    of_scores(
        "by_horizon",
        "Does the order hold at every horizon?",
        dots(
            "until_score",
            over="until",
            by="forecaster",
            dodge=0.7,
            ends=("until_low", "until_high"),
            size=9,
            hover="%{fullData.name}: %{y:.4f}<extra></extra>",
        ),
        title="Does the order always hold?",
        also="Bars: 95 % intervals.",
        x=axis("First steps of the forecast", scale="free", told=_horizons),
        y=axis(None, "until_low", "until_high"),
        hover="closest",
        height=460,
    ),
    of_scores(
        "forecast",
        "What does each row say of one window?",
        *(
            lines(
                name,
                name="what came",
                colour="text",
                width=3,
                legend=name == "truth",
                more={"legendgroup": "what came"},
            )
            for name in ("past", "truth")
        ),
        lines("forecast", by="forecaster"),
        rule(x=0.5),
        title="What does each row say?",
        shows="The first seed's forecasts of one window, and what came.",
        over="ahead",
        x=axis("Steps ahead", scale="free"),
        lead=_window,
        height=470,
    ),
    of_scores(
        "by_step",
        "How does the error grow with the step ahead?",
        lines("step_error", by="forecaster"),
        title="How does the error grow?",
        height=450,
    ),
    # Lowest at one step before, the forecast is the last value.
    of_scores(
        "follows",
        "Does the forecast only follow?",
        lines("shift_error", by="forecaster"),
        needs=("shift_error", "level_r2", "move_r2"),
        also="At 0: what came; from 1 on: what was known.",
        lead=lambda plot: plot.say(
            _explained,
            plot.now["level_r2"].sel(forecaster="repeat"),
            plot.now["move_r2"].sel(forecaster="least_squares"),
        ),
        height=450,
    ),
    figure(
        "weights",
        "What does a linear map read?",
        _maps,
        needs=("weight",),
        shows="The weight of each lag in each step's forecast.",
        colour=colours("Weight", "weight", scale="diverging"),
        height=lambda plot: 300 + 200 * plot.ds.sizes["linear_map"],
    ),
    figure(
        "stopping",
        "Which epoch would the test part choose?",
        curves("test_error"),
        title="Which epoch would it choose?",
        shows="The test error after each epoch, which nobody may choose by.",
    ),
)


def picture(ds: Run) -> str:
    """The home page's picture: the score of one forecast by the size of the test batch."""
    label = "The score of one and the same forecast, by the size of the test loader's batch."
    if absence(ds, "batch_score"):
        return polyline_svg([], label=label)
    scores = ds["batch_score"].isel(epoch=-1)
    styles = {name: FORECASTERS[name].style for name in FIRST_CURVES}
    return polyline_svg(
        [Curve(one.label, scores.sel(forecaster=name).values, one.colour, one.dash) for name, one in styles.items()],
        label=label,
        axes=("test batch", "score"),
    )
