"""What training does to the loss: beside simple guesses, on text that is not learned, and with running statistics."""

from __future__ import annotations

import math

from goldviz.arrays.labelled import Run
from goldviz.figures import training_steps
from goldviz.figures.draft import Figure
from goldviz.figures.elements import legend_above_headings
from goldviz.figures.language_model import loss_beside_guesses
from goldviz.figures.plot import Plot, unless
from goldviz.figures.reading import finite, positive
from goldviz.labs.char_language_model import measures
from goldviz.labs.char_language_model.figures.quantities import KINDS, figure


def in_all_units(loss: float) -> str:
    """A loss in nats, in bits a character and as a perplexity.

    >>> in_all_units(math.log(27))
    '3.296 nat = 4.75 bits = perplexity 27'
    """
    return f"{loss:.3f} nat = {loss / math.log(2):.2f} bits = perplexity {math.exp(min(loss, 700)):.3g}"


@figure(
    "Does it guess better than counting?",
    needs=("loss",),
    kinds=KINDS,
    shows="The loss of each step, beside guesses that need no network.",
)
def loss(plot: Plot) -> Figure:
    """Loss on each step's contexts, smoothed without looking ahead, beside guesses by uniform, single and pair counts.

    A start above the uniform line means that the network is sure of what it does not know.
    """
    return loss_beside_guesses(plot, "Loss (nat)", in_all_units, digits=3)


generalisation = training_steps.generalisation.of(
    figure,
    KINDS,
    question="Does it learn rules, or names by heart?",
    title="Rules, or names by heart?",
    shows="Loss on text that is learned (dotted) and on dev text.",
)


@figure(
    "Do running statistics say what batches say?",
    title="Are running statistics up to date?",
    instead=unless(
        "This run has no batch norm. Set Normalisation to batch norm.", "running_gap", "batch_statistics_loss"
    ),
    shows="Dev loss with running statistics and with the dev text's own.",
)
def running_statistics(plot: Plot) -> Figure:
    """Batch norm after training uses running means; where they lag behind, the network is another than was trained.

    r becomes (1 - momentum) r + momentum times the batch's statistic at every step (document 002, 1.3.2).
    """
    plot.panels(["Dev loss", "Running means: distance from those of the text"])
    plot.curves(finite(plot.ds["dev_loss"]), hover="running %{y:.4f} nat", row=1)
    of_batch = finite(plot.ds["batch_statistics_loss"])
    plot.lines(of_batch, "the text's own statistics", hover="own %{y:.4f} nat", row=1)
    gaps = positive(plot.ds["running_gap"]).max("hidden")
    plot.curves(gaps, hover="%{y:.2e} spreads", row=2)
    plot.step_grid()
    plot.loss_axis("batch_statistics_loss", "Loss (nat)", row=1)
    plot.log_axis("running_gap", "Spreads", row=2)
    return legend_above_headings(
        plot.finish(
            _kept(plot.ds),
            "Dotted: by the dev text's own statistics. Below: the layer that is farthest.",
            plot.drawn(),
            height=560,
        )
    )


def _kept(ds: Run) -> str:
    """How many running means each layer keeps: one for each channel, or for each place by mistake."""
    if "running_values" not in ds:
        return ""
    return f"Running means by layer: {', '.join(f'{count:,}' for count in measures.running_means(ds))}."


@figure(
    "How far is the network's table from counting?",
    title="How far from the counted table?",
    instead=unless("This model is no table of pairs. Choose one of the two bigrams.", "divergence"),
    shows="How far the model's table of pairs is from the counted one.",
)
def divergence(plot: Plot) -> Figure:
    """KL divergence of softmax(W) from the counted table, in nats: what the loss is above the lowest there is.

    It falls towards 0 and does not get there: a pair that never occurs would need a weight of minus infinity.
    """
    plot.curves(positive(plot.ds["divergence"]), hover="%{y:.2e} nat")
    plot.step_grid()
    plot.log_axis("divergence", "Divergence (nat)")
    return plot.finish(plot.drawn())
