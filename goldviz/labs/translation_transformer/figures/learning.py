"""What training makes: free writing, longer sequences, what a norm does, and who learns first."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.word_labels import words_of
from goldviz.figures.answers import right_by_length
from goldviz.figures.draft import Bar, Figure, Scatter
from goldviz.figures.notes import as_label
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite
from goldviz.labs.translation_transformer.figures.quantities import figure
from goldviz.labs.translation_transformer.measures import steps_by_rate


@figure(
    "Does it write as well alone?",
    needs=("told_right", "free_right"),
    shows="Right words, told the right ones before. Dotted: it reads its own.",
)
def alone(plot: Plot) -> Figure:
    """Teacher forcing against free running: one wrong word may draw others after it."""
    plot.curves(finite(plot.ds["told_right"]), hover="%{y:.1%} told")
    plot.lines(finite(plot.ds["free_right"]), "on its own", hover="%{y:.1%} on its own", width=2.5)
    plot.step_grid()
    plot.linear_axis("share", "Right words", tickformat=".0%")
    return plot.finish(plot.drawn())


@figure(
    "Does it know longer sequences?",
    needs=("length_accuracy",),
    shows="Unseen sequences without a fault, by length.",
)
def by_length(plot: Plot) -> Figure:
    """Right answers by length: the code of a place that was never trained means nothing to the network."""
    return right_by_length(plot, int(plot.ds["length"].values[-1]))


@figure(
    "What does a norm do to a word?",
    needs=("norm_mean", "norm_deviation", "read", "network"),
    shows="Each word's mean and spread: as it comes, standardised, and with gain and shift.",
)
def norm_at_work(plot: Plot) -> Figure:
    """The encoder's first norm: layer norm gives every word mean 0 and deviation 1, batch norm does not."""
    words = words_of(plot.ds, "read")
    own = plot.look_of(plot.networks[0]).colour
    colours = (plot.ink.muted, plot.ink.text, own)
    means, deviations = finite(plot.now["norm_mean"]), finite(plot.now["norm_deviation"])
    for place, (stage, colour, symbol) in enumerate(
        zip(plot.ds["stage"].values, colours, ("circle-open", "circle", "diamond"), strict=True)
    ):
        plot.add(
            Scatter(
                x=np.arange(len(words)) + (-0.22, 0.0, 0.22)[place],
                y=plot.at_step(means.isel(stage=place)),
                error_y={"array": plot.at_step(deviations.isel(stage=place)), "color": colour, "thickness": 1.5},
                mode="markers",
                marker={"color": colour, "symbol": symbol, "size": 8},
                name=str(stage),
                hovertemplate="mean %{y:.2f}",
            )
        )
    plot.figure.update_xaxes(
        tickmode="array", tickvals=[*range(len(words))], ticktext=[as_label(word) for word in words], title_text="Read"
    )
    plot.linear_axis("norm_mean", "Numbers of a word's state")
    return plot.finish(plot.when(f"{plot.look_of(plot.networks[0]).label}, step {{}}.", "look"), hover="closest")


@figure(
    "Who learns first?",
    needs=("sequence_accuracy",),
    shows="Steps until 99 % of unseen sequences are right, by learning rate. No bar: not in this run.",
)
def steps_to_right(plot: Plot) -> Figure:
    """Steps to 99 % by norm and learning rate (document 004, section 4.2: layer norm shortens training)."""
    by_rate = plot.ds["rate"].values if "rate" in plot.ds.coords else np.zeros(1)
    rising = np.argsort(by_rate)
    rates = [f"{rate:.2g}" for rate in by_rate[rising]] if "rate" in plot.ds.coords else ["the one that is set"]
    never = []
    for network, steps in steps_by_rate(plot.ds).items():
        style = plot.look_of(network)
        never += [style.label] if not np.isfinite(steps).all() else []
        plot.add(
            Bar(
                x=rates,
                y=np.where(np.isfinite(steps), steps, np.nan)[rising],
                name=style.label,
                marker={"color": style.colour},
                hovertemplate="%{y:.0f} steps",
            )
        )
    plot.figure.update_xaxes(type="category", title_text="Learning rate")
    plot.linear_axis("steps_to_right", "Steps to 99 %")
    missing = f"Not everywhere: {', '.join(never)}." if never else ""
    return plot.finish(missing, plot.drawn())
