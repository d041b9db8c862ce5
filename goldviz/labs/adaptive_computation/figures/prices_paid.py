"""What thinking depends on, and what it buys: difficulty, price, and how it changes as training goes."""

from __future__ import annotations

from goldviz.figures import theme as look
from goldviz.figures.draft import Figure, Scatter
from goldviz.figures.elements import colour_bar_below
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite
from goldviz.labs.adaptive_computation.figures.quantities import figure


@figure(
    "Does it think longer about harder inputs?",
    needs=("ponder_by_difficulty", "correlation"),
    shows="Mean steps of thought by difficulty: bits before STOP, signs, or carries.",
    title="Harder inputs, longer thought?",
    cannot_show="Whether the time is needed.",
)
def by_difficulty(plot: Plot) -> Figure:
    """Ponder against difficulty, and their correlation over unseen inputs."""
    plot.curves(finite(plot.now["ponder_by_difficulty"]), hover="%{y:.2f} steps")
    plot.number_axis("difficulty", "Difficulty", "difficulty %{x}", {0: "0"})
    plot.linear_axis("ponder_by_difficulty", "Steps of thought")
    sentence = plot.each(
        finite(plot.now["correlation"]).median("seed"),
        lambda value: f"{value:+.2f}".replace("-", "−"),
        between=": ",
        within="Correlation. {}.",
    )
    return plot.finish(sentence, plot.drawn(plot.step_in_words("look")))


@figure(
    "What does time buy?",
    needs=("accuracy", "ponder"),
    shows="Right answers against steps of thought. Dotted: the way there.",
)
def bought(plot: Plot) -> Figure:
    """Accuracy against mean ponder: a point for each price, with the way that training took to it."""
    for network in plot.networks:
        style = plot.look_of(network)
        way = [finite(plot.ds[name].sel(network=network)).median("seed").values for name in ("ponder", "accuracy")]
        now = [finite(plot.now[name].sel(network=network)) for name in ("ponder", "accuracy")]
        plot.add(
            Scatter(
                x=way[0],
                y=way[1],
                mode="lines",
                line={"color": style.colour, "width": 1, "dash": "dot"},
                opacity=0.6,
                showlegend=False,
                hoverinfo="skip",
                name=style.label,
            )
        )
        plot.add(
            Scatter(
                x=plot.at_step(now[0]),
                y=plot.at_step(now[1]),
                mode="markers",
                marker={"color": style.colour, "symbol": style.symbol, "size": 12},
                name=style.label,
                hovertemplate="%{x:.2f} steps, %{y:.1%} right",
            )
        )
    plot.figure.update_xaxes(title_text="Steps of thought", range=plot.limit("ponder"))
    plot.linear_axis("share", "Right answers", tickformat=".0%")
    return plot.finish(plot.drawn(plot.step_in_words("look")), hover="closest")


@figure(
    "How does its time change as it learns?",
    needs=("step_share",),
    shows="How many unseen inputs take how many steps of thought.",
    title="How does its time change?",
)
def distribution(plot: Plot) -> Figure:
    """The distribution of N over training, a panel for each network."""
    shares = finite(plot.thinned("step_share")).mean("seed").transpose("network", "ponder_step", ...)
    plot.network_maps(shares, "step %{x}: %{z:.0%} take %{y} steps")
    plot.figure.update_yaxes(title_text="Steps of thought", range=plot.limit("ponder_step"), showgrid=False)
    plot.link("y", "ponder_step")
    plot.step_axis()
    height = 180 + 170 * max(len(plot.networks), 1)
    plot.finish(plot.drawn(), height=height, legend=False, hover="closest")
    return colour_bar_below(plot.figure, (0.0, 1.0), look.SEQUENTIAL, "Share of inputs", tickformat=".0%")
