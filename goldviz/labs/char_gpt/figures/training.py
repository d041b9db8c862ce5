"""What training does: the loss beside simple guesses, bits a byte, text that is not learned, steps and gradients."""

from __future__ import annotations

import math

from goldviz.figures import training_steps
from goldviz.figures.draft import Figure
from goldviz.figures.language_model import loss_beside_guesses
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite
from goldviz.labs.char_gpt.figures.quantities import KINDS, SIMPLE, figure, in_bits

DASHES = ("dot", "dash", "longdash", "dashdot", "longdashdot")
"""Of lines for what needs no network, from the lowest up."""


@figure(
    "Does it guess better than counting?",
    needs=("loss",),
    kinds=KINDS,
    shows="The loss of each step, beside guesses that need no network.",
)
def loss(plot: Plot) -> Figure:
    """Loss on each step's text, smoothed without looking ahead, beside guesses by uniform, single and pair counts."""
    if plot.lacks("tokens_per_byte"):
        return loss_beside_guesses(plot, "Loss (nat a token)", None, digits=2)
    share = float(plot.ds["tokens_per_byte"]) / math.log(2)
    return loss_beside_guesses(
        plot, "Loss (nat a token)", lambda nats: f"{nats:.3f} nat = {nats * share:.2f} bits a byte", digits=2
    )


@figure(
    "How many bits does a byte cost?",
    needs=("dev_loss", "tokens_per_byte"),
    shows="The dev loss in bits a byte, beside gzip on the same text.",
    cannot_show="Other compressors.",
)
def bits(plot: Plot) -> Figure:
    """Dev loss times tokens a byte over ln 2: what a byte of text that was not learned would take to be sent."""
    plot.curves(in_bits(plot.ds, "dev_loss"), hover="%{y:.3f} bits")
    plot.step_grid()
    plot.linear_axis("bits", "Bits a byte")
    lines = {words: float(in_bits(plot.ds, name)) for name, words in SIMPLE.items() if not plot.lacks(name)}
    if not plot.lacks("gzip_dev_bits"):
        lines["gzip"] = float(plot.ds["gzip_dev_bits"])
    for (words, value), dash in zip(sorted(lines.items(), key=lambda line: line[1]), DASHES, strict=False):
        # Named in the legend: beside the line a name would cover the curve where lanes are narrow.
        plot.figure.scatter(
            x=plot.limit("step"),
            y=[value, value],
            name=f"{words}: {value:.2f}",
            mode="lines",
            line={"color": plot.ink.muted, "width": 1.5, "dash": dash},
            hoverinfo="skip",
        )
    return plot.finish(plot.drawn())


generalisation = training_steps.generalisation.of(
    figure,
    KINDS,
    question="Does it learn rules, or the text by heart?",
    title="Rules, or the text by heart?",
    shows="Loss on text that is learned (dotted) and on dev text.",
)


@figure(
    "How unsure is its guess?",
    needs=("logit_entropy", "dev_loss"),
    shows="How unsure the guesses on dev text are, and how wrong (dotted).",
)
def certainty(plot: Plot) -> Figure:
    """Entropy of the softmax: where it equals the loss, the network is as sure as it may be; below, too sure."""
    plot.curves(finite(plot.ds["logit_entropy"]), hover="entropy %{y:.3f} nat")
    plot.lines(finite(plot.ds["dev_loss"]), "dev loss", hover="dev %{y:.3f} nat")
    plot.step_grid()
    plot.linear_axis("logit_entropy", "Nat a token")
    sure = finite(plot.now["dev_loss"] - plot.now["logit_entropy"]).median("seed")
    sentence = plot.each(sure, lambda nats: f"{nats:+.3f} nat", within="Loss minus entropy, {}.")
    return plot.finish(sentence, "Dotted: dev loss.", plot.drawn())


gradient = training_steps.gradient_norm.of(
    figure, KINDS, "gradient", shows="The gradient's length before and after clipping."
)
