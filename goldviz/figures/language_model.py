"""What figures of language models share: lines of simple guesses, losses on text that is learned and that is not."""

from __future__ import annotations

import math
from collections.abc import Mapping

from goldviz.arrays.labelled import Run
from goldviz.figures.frames import Words
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite
from goldviz.figures.theme import style_of
from goldviz.figures.thumbnail import Curve, polyline_svg


def learned_and_new(plot: Plot, title: str) -> Words:
    """Draw the dev loss and, dotted, the loss on training text at every close look; how far apart they are, in words.

    Where the dev loss turns up while the other falls, the text is learned by heart.
    """
    plot.curves(finite(plot.ds["dev_loss"]), hover="dev %{y:.4f} nat")
    plot.lines(finite(plot.ds["train_loss"]), "training text", hover="train %{y:.4f} nat")
    plot.step_grid()
    plot.loss_axis("dev_loss", title)
    gap = finite(plot.now["dev_loss"] - plot.now["train_loss"]).median("seed")
    return plot.each(gap, lambda nats: f"{nats:+.3f} nat", between=" ", within="Dev less training, {}.")


def simple_guesses(plot: Plot, guesses: Mapping[str, str], digits: int) -> None:
    """Lines for the losses of guesses that need no network, of those that lie on the axis of the loss."""
    lowest, highest = plot.limit("loss")
    for name, words in guesses.items():
        value = float(finite(plot.ds[name]).median()) if not plot.lacks(name) else math.nan
        if lowest <= value <= highest:
            plot.reference(value, f"{words}: {value:.{digits}f}", x=1)


def picture(ds: Run) -> str:
    """The home page's picture: dev loss over training, beside that of counted pairs."""
    style, dev = style_of(str(ds["network"].values[0])), ds["dev_loss"].isel(network=0).median("seed").values
    pairs = [float(ds["bigram_dev_loss"].median())] * len(dev)
    return polyline_svg(
        [Curve(style.label, dev, style.colour), Curve("pairs", pairs, style_of("bigram").colour, "dot")],
        label="Dev loss falling over training, below the line of counted pairs.",
    )
