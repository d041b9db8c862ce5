"""What figures of language models share: the loss beside lines of simple guesses, and the home page's picture."""

from __future__ import annotations

from collections.abc import Callable

from goldviz.arrays.labelled import Run
from goldviz.figures.draft import Figure
from goldviz.figures.frames import Words
from goldviz.figures.plot import Plot
from goldviz.figures.smoothed import smoothed_curves
from goldviz.figures.theme import style_of
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.figures.training_steps import baselines_on_axis


def loss_beside_guesses(plot: Plot, title: str, dev_in_words: Callable[[float], str] | None, *, digits: int) -> Figure:
    """The loss of each step, smoothed without looking ahead, beside guesses by uniform, single and pair counts.

    ``dev_in_words`` says the dev loss at the last close look under the title.
    """
    smoothing = smoothed_curves(plot, "loss", hover="%{y:.4f} nat")
    tested = plot.test_losses() if "test_loss" in plot.kinds else ""
    plot.step_grid()
    plot.loss_axis("loss", title)
    baselines_on_axis(plot, "loss", digits)
    dev: Words = ""
    if dev_in_words and not plot.lacks("dev_loss"):
        dev = plot.each(plot.now["dev_loss"].median("seed"), dev_in_words, between=": ", within="Dev, {}.")
    return plot.finish(dev, smoothing, tested, plot.drawn())


def picture(ds: Run) -> str:
    """The home page's picture: dev loss over training, beside that of counted pairs."""
    style, dev = style_of(str(ds["network"].values[0])), ds["dev_loss"].isel(network=0).median("seed").values
    pairs = [float(ds["bigram_dev_loss"].median())] * len(dev)
    return polyline_svg(
        [Curve(style.label, dev, style.colour), Curve("pairs", pairs, style_of("bigram").colour, "dot")],
        label="Dev loss falling over training, below the line of counted pairs.",
    )
