"""What figures of language models share: losses on text that is learned, and on text that is not."""

from __future__ import annotations

from goldviz.figures.frames import Words
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite


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
