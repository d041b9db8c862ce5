"""What training does step by step: loss, accuracy, size of the steps, clipping."""

from __future__ import annotations

import numpy as np

from goldviz.diagnostics.findings import percent, times
from goldviz.figures.draft import Figure
from goldviz.figures.elements import legend_above_headings
from goldviz.figures.layers import RULE_OF_THUMB, lines_of_layers
from goldviz.figures.plot import Plot
from goldviz.figures.reading import averaged, finite, positive
from goldviz.figures.smoothed import smoothed_curves
from goldviz.labs.recurrent_gradients.figures.quantities import figure

CLIPPING_WINDOWS = 20
"""Windows over a run in which clipped steps are counted: a single step is either clipped or not."""

NORM_WINDOWS = 100
"""Windows over a run for the gradient's norm, which jumps too much from step to step to compare networks by."""


@figure(
    "Do the networks learn to remember?",
    needs=("loss",),
    shows="The training loss over the steps, beside the best that an answer without memory can do.",
    cannot_show="Equal settings are not a fair contest: each network may want a learning rate of its own.",
)
def loss(plot: Plot) -> Figure:
    """Training loss over the steps; after training, the loss on fresh sequences at the right.

    The line is what the best answer without memory scores. A network that stays on it has learned only what needs no
    past; one that drops below it has learned to remember.
    """
    smoothing = smoothed_curves(plot, "loss")
    tested = plot.test_losses()
    plot.step_grid()
    plot.loss_axis("loss", "Loss")
    if not plot.lacks("memoryless_loss"):
        memoryless = float(finite(plot.ds["memoryless_loss"]).median())
        plot.reference(memoryless, f"best without memory: {memoryless:.3f}")
    return plot.finish(smoothing, tested, plot.drawn())


@figure(
    "How often is the answer right?",
    shows="The share of right answers on each step's new sequences.",
    cannot_show="A few easy sequences can lift the share: look at the distance of the cue as well.",
)
def accuracy(plot: Plot) -> Figure:
    """Share of right answers on each step's sequences; tasks that ask for numbers have none."""
    if words := plot.lacks("accuracy"):
        asks_for_numbers = "accuracy" in plot.ds and plot.ds["accuracy"].size > 0
        without = "This task asks for numbers: see the loss, there are no right or wrong answers."
        return plot.instead(without if asks_for_numbers else words)
    plot.curves(plot.averaged("accuracy"), hover="%{y:.1%}")
    plot.step_grid()
    plot.figure.update_yaxes(title_text="Share right", range=(-0.03, 1.03), tickformat=".0%")
    return plot.finish("Each step's sequences are new.", plot.drawn())


@figure(
    "Are the steps the right size?",
    needs=("update_to_data",),
    shows="How large the steps are beside the weights that they change.",
    cannot_show=RULE_OF_THUMB,
)
def update_to_data(plot: Plot) -> Figure:
    """Spread of each step over the spread of the recurrent weights that it changes, over training, on a log axis.

    Near 10^-3 is the usual advice; far below, the weights hardly move; far above, each step overwrites them. Runs that
    recorded every layer's ratio show it.
    """
    if not plot.lacks("update_to_data_by_layer"):
        return lines_of_layers(plot, "update_to_data_by_layer")
    plot.curves(positive(plot.thinned("update_to_data")), hover="%{y:.2e}")
    plot.step_grid()
    plot.log_axis("update_to_data", "Update-to-data ratio")
    plot.reference(1e-3, "10⁻³: usual advice")
    now = positive(plot.now["update_to_data"]).median("seed")
    return plot.finish(plot.each(now, times, within="At step {step}: {}."), plot.drawn())


@figure(
    "Does clipping step in?",
    needs=("gradient_norm",),
    shows="The norm of the whole gradient before and after clipping, and how many steps were clipped.",
    cannot_show="With Adam, a gradient that is always clipped changes little: it divides by the gradient's usual size.",
)
def clipping(plot: Plot) -> Figure:
    """Norm of the whole gradient before and after clipping, and the share of steps that were clipped (document 003).

    Clipping shortens a gradient and keeps its direction. Now and then is a safety belt; at nearly every step it is
    the clip value, not the gradient, that sets the size of the steps.
    """
    has_shares = not plot.lacks("clipped")
    plot.panels(["Norm of the whole gradient", *(["Share of steps clipped"] if has_shares else [])])
    plot.curves(positive(plot.averaged("gradient_norm", most=NORM_WINDOWS)), hover="before %{y:.3~g}", row=1)
    if not plot.lacks("clipped_gradient_norm"):
        after, _ = averaged(plot.ds["clipped_gradient_norm"], "step", most=NORM_WINDOWS)
        plot.lines(positive(after), "after", hover="after %{y:.3~g}", row=1)
    if has_shares:
        shares, _ = averaged(plot.ds["clipped"], "step", most=CLIPPING_WINDOWS)
        plot.curves(shares, hover="%{y:.0%}", row=2)
        plot.figure.update_yaxes(title_text="Share", range=(-0.05, 1.05), tickformat=".0%", row=2)
    plot.step_grid()
    plot.log_axis("gradient_norm", "Norm", row=1)
    _add_clip_value(plot)
    clipped = plot.each(finite(plot.ds["clipped"]).mean("step").median("seed"), percent) if has_shares else ""
    answer = clipped and f"Steps clipped: {clipped}."
    return legend_above_headings(
        plot.finish(answer, "Dotted: after clipping, same direction.", plot.drawn(), height=560)
    )


def _add_clip_value(plot: Plot) -> None:
    """A line at the norm that the last clipped step so far was cut to, from the first such step on."""
    if plot.lacks("clipped", "clipped_gradient_norm"):
        return
    cut = positive(plot.ds["clipped_gradient_norm"]).where(plot.ds["clipped"] > 0).median(["network", "seed"])
    if not bool(cut.notnull().any()):
        return
    last = np.maximum.accumulate(np.where(cut.notnull(), np.arange(cut.size), 0))
    so_far = plot.at_step(cut.astype(np.float64)[last[plot.places["step"]]])
    words = so_far.map(lambda norm: f"clipped at {norm:.3g}" if norm > 0 else "")
    plot.reference(so_far, words, every_panel=False)
