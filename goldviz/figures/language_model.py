"""What figures of language models share: loss beside simple guesses, samples, and the home page's picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

from numpy.typing import NDArray

from goldviz.arrays.labelled import Run
from goldviz.figures.chart import Chart, axis, colours, figure
from goldviz.figures.frames import AtStep, Words
from goldviz.figures.marks import Canvas
from goldviz.figures.plot import Plot
from goldviz.figures.reading import single
from goldviz.figures.smoothed import AtTheEnd, Smoothed, smoothing, words_of_test_losses
from goldviz.figures.theme import style_of
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.figures.training_steps import guesses


def loss_beside_guesses(unit: str, in_words: Callable[[Plot], Callable[[float], str] | None], *, digits: int) -> Chart:
    """The loss of each step, smoothed without looking ahead, beside guesses by uniform, single and pair counts.

    ``in_words`` gives what says the dev loss at the last close look under the title, if anything does.
    """
    losses = axis(f"Loss ({unit})", "loss", "dev_loss", "uniform_loss", scale="loss")

    def dev(plot: Plot) -> Words:
        said = in_words(plot)
        if not said or plot.lacks("dev_loss"):
            return ""
        return plot.each(plot.now["dev_loss"].median("seed"), said, between=": ", within="Dev, {}.")

    return figure(
        "loss",
        "Does it guess better than counting?",
        Smoothed("loss", hover="%{y:.4f} nat", behind=False),
        lambda plot: [AtTheEnd()] if "test_loss" in plot.kinds else [],
        guesses(digits, within="loss + dev_loss + uniform_loss, loss"),
        needs=("loss",),
        y=losses,
        notes=(
            dev,
            smoothing("loss", behind=False),
            lambda plot: words_of_test_losses(plot) if "test_loss" in plot.kinds else "",
        ),
        shows="The loss, smoothed over steps, beside guesses that need no network.",
    )


@dataclass(frozen=True)
class Sampled:
    """Samples of each close look as rows of cells: in each a token, the fuller the likelier the network held it.

    ``of`` gives tokens and shares (look, row, place); ``size`` is that of the words, ``gap`` the room between rows.
    ``along`` are the dimensions of rows and places, where they have some.
    """

    of: Callable[[Plot], tuple[Any, NDArray[Any]]]
    _: KW_ONLY
    size: int
    gap: int
    along: tuple[str, str] | None = None

    def draw(self, canvas: Canvas) -> None:
        """Draw them."""
        plot = canvas.plot
        tokens, shares = self.of(plot)
        y, x = [plot.ds[dim].values for dim in self.along] if self.along else (None, None)
        plot.figure.heatmap(
            x=x,
            y=y,
            z=AtStep("close_look", single(shares)),
            text=AtStep("close_look", tokens),
            texttemplate="%{text}",
            textfont={"size": self.size},
            coloraxis="coloraxis",
            hoverongaps=False,
            xgap=1,
            ygap=self.gap,
            hovertemplate="%{text}: probability %{z:.1%}<extra></extra>",
        )


OF_SAMPLES: Mapping[str, Any] = {
    "colour": colours("Probability when it was drawn", ends=(0.0, 1.0), below=True, tickformat=".0%", nticks=6),
    "seeds": False,
}
"""What a figure of samples is told."""


def same_draws(plot: Plot) -> Words:
    """Of which step samples are, and that all steps' were drawn alike."""
    return plot.when("Step {}, same random draws.", "close_look")


def picture(ds: Run) -> str:
    """The home page's picture: dev loss over training, beside that of counted pairs."""
    style, dev = style_of(str(ds["network"].values[0])), ds["dev_loss"].isel(network=0).median("seed").values
    pairs = [float(ds["bigram_dev_loss"].median())] * len(dev)
    return polyline_svg(
        [Curve(style.label, dev, style.colour), Curve("pairs", pairs, style_of("bigram").colour, "dot")],
        label="Dev loss falling over training, below the line of counted pairs.",
        axes=("training step", "loss"),
    )
