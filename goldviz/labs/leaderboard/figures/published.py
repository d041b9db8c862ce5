"""A run's scores beside the published ones of the same public set."""

from __future__ import annotations

from goldviz.figures.draft import Figure
from goldviz.figures.plot import Plot
from goldviz.labs.leaderboard.figures.quantities import figure, rows_of
from goldviz.labs.leaderboard.public_sets import TABLE


@figure(
    "What do others publish?",
    needs=("told", "published"),
    shows=f"Filled: this run. Hollow: {TABLE}.",
    cannot_show="Equal conditions: published rows drop the last batch; linear ones read 336 steps, others 96.",
)
def published(plot: Plot) -> Figure:
    """A row for each name: what this run scores, and what is published under that name."""
    own = {plot.look_of(name).label: name for name in rows_of(plot)}
    values = {str(model): float(plot.ds["published"].sel(published_model=model)) for model in _models(plot)}
    labels = [*own, *(model for model in values if model not in own)][::-1]
    for place, label in enumerate(labels):
        if label in own:
            style, scores = plot.look_of(own[label]), plot.now["told"].sel(forecaster=[own[label]])
            plot.figure.scatter(
                x=plot.at_step(scores),
                y=[place],
                text=plot.at_step(scores, lambda numbers: [f"{number:.3f}" for number in numbers]),
                textposition="top center",
                name="this run",
                mode="markers+text",
                marker={"size": 11, "symbol": style.symbol, "color": style.colour},
                hovertemplate=f"{label}, this run: %{{x:.4f}}<extra></extra>",
            )
        if label in values:
            plot.figure.scatter(
                x=[values[label]],
                y=[place],
                text=[f"{values[label]:.3f}"],
                textposition="bottom center",
                name="published",
                mode="markers+text",
                marker={"size": 11, "symbol": "diamond-open", "color": plot.ink.text},
                hovertemplate=f"{label}, published: %{{x:.3f}}<extra></extra>",
            )
    plot.figure.update_xaxes(title_text="Mean squared error", range=plot.limit("published"), nticks=5)
    plot.figure.update_yaxes(
        range=(-0.7, len(labels) - 0.3), tickvals=list(range(len(labels))), ticktext=labels, showgrid=False
    )
    words = f"{plot.ds.attrs.get('public_set', '')}. Filled: this run. Hollow: published."
    return plot.finish(words, height=190 + 44 * len(labels), legend=False, hover="closest")


def _models(plot: Plot) -> list[str]:
    return [str(model) for model in plot.ds["published_model"].values]
