"""The table, and how much of a score is the loader's, a trap's or chance."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Array
from goldviz.figures.draft import Figure, Heatmap
from goldviz.figures.elements import interval_bars
from goldviz.figures.frames import Words
from goldviz.figures.market import legend_under
from goldviz.figures.plot import Plot
from goldviz.figures.theme import DIVERGING
from goldviz.labs.leaderboard.choices import TRAPS
from goldviz.labs.leaderboard.figures.quantities import FIRST_CURVES, figure, percents, rows_of
from goldviz.labs.leaderboard.measures import abreast, leader, loader_sizes, order
from goldviz.models.series.forecasters.table import FORECASTERS

OF_ORDER = {-1.0: "better", 0.0: "?", 1.0: "worse"}


@figure(
    "How many scores has one forecast?",
    title="One forecast, many scores",
    needs=("batch_score",),
    shows="The score of the same forecasts with the last batch dropped, by batch size.",
    cannot_show="Which windows are missing.",
)
def same_forecast(plot: Plot) -> Figure:
    """Scores by the size of the test batch, whose last one is dropped."""
    scores, batch_sizes = plot.now["batch_score"], loader_sizes(plot.ds)
    for name in FIRST_CURVES:
        style, own = plot.look_of(name), scores.sel(forecaster=name)
        plot.figure.scatter(
            x=own["batch_size"].values,
            y=plot.at_step(own),
            name=style.label,
            mode="lines",
            line={"color": style.colour, "dash": style.dash, "width": 3.5 if name == FIRST_CURVES[0] else 2},
            hovertemplate="batches of %{x}: %{y:.4f}",
        )
    at_marks = scores.sel(forecaster=FIRST_CURVES[0], batch_size=batch_sizes)
    plot.figure.scatter(
        x=batch_sizes,
        y=plot.at_step(at_marks),
        text=plot.at_step(at_marks, lambda values: [f"<b>{value:.3f}</b>" for value in values]),
        textposition=["top right", *["middle right"] * (len(batch_sizes) - 2), "top left"][: len(batch_sizes)],
        textfont={"size": 15, "color": plot.ink.text},
        mode="markers+text",
        marker={"size": 11, "color": plot.ink.accent},
        showlegend=False,
        hoverinfo="skip",
        cliponaxis=False,
    )
    sizes = [int(size) for size in plot.ds["batch_size"].values]
    plot.figure.update_xaxes(
        title_text="Windows in a test batch", range=(-12, sizes[-1] + 12), tickvals=[1, *sizes[16::16]]
    )
    plot.linear_axis("batch_score", "Mean squared error")
    return plot.finish(f"{int(plot.ds.attrs.get('windows', 0)):,} test windows. Gold: loaders' batches.")


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


@figure(
    "Which rows of the table can be told apart?",
    title="Who is ahead?",
    needs=("told", "told_low", "told_high", "difference_low", "difference_high"),
    shows="Each row's score on the test part, with its 95 % interval.",
    cannot_show="Other years.",
)
def table(plot: Plot) -> Figure:
    """Scores with intervals of a block bootstrap; the figure's words name the rows that are abreast of the best."""
    names = rows_of(plot)[::-1]
    for place, name in enumerate(names):
        style = plot.look_of(name)
        score, low, high = (plot.now[variable].sel(forecaster=[name]) for variable in ("told", "told_low", "told_high"))
        plot.figure.scatter(
            x=plot.at_step(score),
            y=[place],
            text=plot.at_step(score, lambda values: [f"{value:.3f}" for value in values]),
            textposition="top center",
            textfont={"size": 13, "color": plot.ink.text},
            name=style.label,
            mode="markers+text",
            marker={"size": 11, "symbol": style.symbol, "color": style.colour},
            error_x=interval_bars(
                plot.at_step(high - score), plot.at_step(score - low), style.colour, thickness=2, width=5
            ),
            hovertemplate=f"{style.label}: %{{x:.4f}}<extra></extra>",
        )
    plot.figure.update_xaxes(title_text="Mean squared error", range=plot.limit("told"), nticks=5)
    plot.figure.update_yaxes(
        range=(-0.6, len(names) - 0.2),
        tickvals=list(range(len(names))),
        ticktext=[plot.look_of(name).label for name in names],
        showgrid=False,
    )
    return plot.finish(standing(plot), height=190 + 40 * len(names), legend=False, hover="closest")


@figure(
    "What does each trap change?",
    needs=("trap_honest", "trap_score"),
    shows="How each trap changes each score. No mark: untouched, or it takes several seeds.",
)
def traps(plot: Plot) -> Figure:
    """The change of each row's score by each trap."""
    values, names = (
        percents(plot.ds.assign({one: plot.now[one] for one in ("trap_honest", "trap_score")})),
        rows_of(plot),
    )
    for place, name in enumerate(names):
        style = plot.look_of(name)
        plot.figure.scatter(
            x=plot.at_step(values.sel(forecaster=name)),
            y=np.arange(len(TRAPS))[::-1] + 0.5 * (0.5 - place / len(names)),
            name=style.label,
            mode="markers",
            marker={"size": 11, "symbol": style.symbol, "color": style.colour},
            hovertemplate=f"{style.label}: %{{x:+.1f}} %<extra></extra>",
        )
    words = [
        words.replace(" for one row", "<br>for one row").replace(" the whole", "<br>the whole")
        for words in TRAPS.values()
    ]
    plot.figure.update_xaxes(title_text="Change of the score, %", range=plot.limit("change"), nticks=6)
    plot.figure.update_yaxes(
        range=(-0.6, len(TRAPS) - 0.4), tickvals=list(range(len(TRAPS))), ticktext=words[::-1], showgrid=False
    )
    plot.figure.add_vline(x=0, line={"color": plot.ink.muted, "width": 2})
    chart = plot.finish("Left: looks better than it is.", height=470, hover="closest")
    legend_under(chart, lines=3, axis=50)
    return chart


@figure(
    "Which rows differ beyond chance?",
    needs=("difference_low", "difference_high"),
    shows="Which row is better than which; a question mark where nobody can say.",
    cannot_show="How large a difference is.",
)
def told_apart(plot: Plot) -> Figure:
    """Pairs of rows, by the interval of their difference over the same windows and seeds."""
    signs, names = order(plot.now["difference_low"], plot.now["difference_high"]), rows_of(plot)
    labels = [plot.look_of(name).label for name in names]
    plot.add(
        Heatmap(
            x=labels,
            y=labels,
            z=plot.at_step(signs),
            text=plot.at_step(signs, _cells),
            texttemplate="%{text}",
            zmin=-1.6,
            zmax=1.6,
            colorscale=DIVERGING,
            reversescale=True,
            showscale=False,
            hovertemplate="%{y} is %{text} than %{x}<extra></extra>",
        )
    )
    plot.figure.update_xaxes(tickangle=-35, showgrid=False)
    plot.figure.update_yaxes(autorange="reversed", showgrid=False)
    return plot.finish("The row is … than the column.", height=200 + 44 * len(names), legend=False, hover="closest")


def _cells(signs: np.ndarray) -> list[list[str]]:
    return [
        ["" if row == column else OF_ORDER.get(float(sign), "") for column, sign in enumerate(values)]
        for row, values in enumerate(signs)
    ]


@figure(
    "Does the order hold at every horizon?",
    title="Does the order always hold?",
    needs=("until_score", "until_low", "until_high"),
    shows="The score of the first so many steps, with 95 % intervals.",
)
def by_horizon(plot: Plot) -> Figure:
    """Scores at an eighth, a quarter, a half and all of the horizon."""
    names, untils = rows_of(plot), [int(until) for until in plot.ds["until"].values]
    for place, name in enumerate(names):
        style = plot.look_of(name)
        score, low, high = (
            plot.now[variable].sel(forecaster=name) for variable in ("until_score", "until_low", "until_high")
        )
        plot.figure.scatter(
            x=np.arange(len(untils)) + 0.7 * ((place + 0.5) / len(names) - 0.5),
            y=plot.at_step(score),
            name=style.label,
            mode="markers",
            marker={"size": 9, "symbol": style.symbol, "color": style.colour},
            error_y=interval_bars(plot.at_step(high - score), plot.at_step(score - low), style.colour, width=3),
            hovertemplate=f"{style.label}: %{{y:.4f}}<extra></extra>",
        )
    plot.figure.update_xaxes(
        title_text="First steps of the forecast",
        tickvals=list(range(len(untils))),
        ticktext=[f"{until} step{'' if until == 1 else 's'}" for until in untils],
        range=(-0.5, len(untils) - 0.5),
        showgrid=False,
    )
    plot.linear_axis("until", "Mean squared error")
    chart = plot.finish(height=460, hover="closest")
    legend_under(chart, lines=3, axis=50)
    return chart
