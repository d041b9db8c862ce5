"""What training does step by step: loss, accuracy, size of the steps, clipping."""

from __future__ import annotations

from goldviz.figures import training_steps
from goldviz.figures.draft import Figure
from goldviz.figures.layers import lines_of_layers
from goldviz.figures.plot import Plot
from goldviz.figures.reading import positive
from goldviz.labs.recurrent_gradients.figures.quantities import KINDS, figure

loss = training_steps.loss.of(
    figure,
    KINDS,
    question="Do the networks learn to remember?",
    shows="The training loss, beside an answer without memory.",
)
"""A network that stays on the line of the best answer without memory has learned only what needs no past."""


@figure(
    "How often is the answer right?",
    kinds=KINDS,
    shows="The share of right answers at each step.",
)
def accuracy(plot: Plot) -> Figure:
    """Share of right answers on each step's sequences; tasks that ask for numbers have none."""
    if words := plot.lacks("accuracy"):
        asks_for_numbers = "accuracy" in plot.ds and plot.ds["accuracy"].size > 0
        without = "This task asks for numbers: see the loss, there are no right or wrong answers."
        return plot.instead(without if asks_for_numbers else words)
    return training_steps.accuracy.draw(plot)


@figure(
    "Are the steps the right size?",
    kinds=KINDS,
    needs=("update_to_data",),
    shows="How large the steps are beside the weights.",
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
    return plot.finish(plot.drawn())
