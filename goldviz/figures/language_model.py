"""What figures of language models share: loss beside simple guesses, samples, and the home page's picture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from goldviz.arrays.labelled import Run
from goldviz.figures import theme as look
from goldviz.figures.chart import Chart, figure, limits_over
from goldviz.figures.draft import Figure
from goldviz.figures.elements import colour_bar_below
from goldviz.figures.frames import AtStep, Words
from goldviz.figures.plot import Plot
from goldviz.figures.reading import single
from goldviz.figures.smoothed import smoothed_curves
from goldviz.figures.theme import style_of
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.figures.training_steps import baselines_on_axis


def loss_beside_guesses(unit: str, in_words: Callable[[Plot], Callable[[float], str] | None], *, digits: int) -> Chart:
    """The loss of each step, smoothed without looking ahead, beside guesses by uniform, single and pair counts.

    ``in_words`` gives what says the dev loss at the last close look under the title, if anything does.
    """

    def draw(plot: Plot) -> Figure:
        smoothing = smoothed_curves(plot, "loss", hover="%{y:.4f} nat")
        test_note = plot.test_losses() if "test_loss" in plot.kinds else ""
        plot.step_grid()
        plot.loss_axis("loss", f"Loss ({unit})")
        baselines_on_axis(plot, "loss", digits)
        dev: Words = ""
        said = in_words(plot)
        if said and not plot.lacks("dev_loss"):
            dev = plot.each(plot.now["dev_loss"].median("seed"), said, between=": ", within="Dev, {}.")
        return plot.finish(dev, smoothing, test_note, plot.drawn())

    return figure(
        "loss",
        "Does it guess better than counting?",
        draw=draw,
        needs=("loss",),
        limits={"loss": limits_over(("loss", "dev_loss", "uniform_loss"), "loss")},
        shows="The loss of each step, beside guesses that need no network.",
    )


def sampled(plot: Plot, tokens: Any, shares: NDArray[Any], *notes: str, size: int, gap: int, height: int) -> Figure:
    """Samples of each close look as rows of cells: in each a token, the brighter the likelier the network held it.

    ``tokens`` and ``shares`` are (look, row, place); ``size`` is that of the words, ``gap`` the room between rows.
    """
    plot.figure.heatmap(
        z=AtStep("close_look", single(shares)),
        text=AtStep("close_look", tokens),
        texttemplate="%{text}",
        textfont={"size": size},
        coloraxis="coloraxis",
        hoverongaps=False,
        xgap=1,
        ygap=gap,
        hovertemplate="%{text}: probability %{z:.1%}<extra></extra>",
    )
    plot.figure.update_yaxes(autorange="reversed", showticklabels=False, showgrid=False)
    plot.figure.update_xaxes(showgrid=False)
    same = plot.when("Step {}, same random draws.", "close_look")
    plot.finish(same, *notes, height=height, legend=False, hover="closest")
    words = "Probability when it was drawn"
    return colour_bar_below(plot.figure, (0.0, 1.0), look.SEQUENTIAL, words, tickformat=".0%", nticks=6)


def picture(ds: Run) -> str:
    """The home page's picture: dev loss over training, beside that of counted pairs."""
    style, dev = style_of(str(ds["network"].values[0])), ds["dev_loss"].isel(network=0).median("seed").values
    pairs = [float(ds["bigram_dev_loss"].median())] * len(dev)
    return polyline_svg(
        [Curve(style.label, dev, style.colour), Curve("pairs", pairs, style_of("bigram").colour, "dot")],
        label="Dev loss falling over training, below the line of counted pairs.",
        axes=("training step", "loss"),
    )
