"""Who finds the symbol from how far, and what the loss tells an input that lies far back."""

from __future__ import annotations

from goldviz.figures.draft import Figure
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite, positive
from goldviz.labs.attention_against_recurrence.figures.quantities import figure


@figure(
    "From how far is it found?",
    needs=("accuracy_by_distance",),
    shows="Right answers by how far back the marked symbol lies.",
)
def by_distance(plot: Plot) -> Figure:
    """Accuracy by distance on unseen sequences."""
    plot.curves(finite(plot.now["accuracy_by_distance"]), hover="%{y:.0%}")
    plot.number_axis("distance", "Steps between mark and question", "%{x} steps back")
    plot.linear_axis("share", "Right answers", tickformat=".0%")
    plot.reference(0.125, "guessing")
    return plot.finish(plot.drawn(plot.step_in_words("look")))


@figure(
    "How much does the loss tell an input far back?",
    needs=("input_gradient",),
    shows="The loss's gradient at each input. Level: distance costs nothing.",
    title="What reaches an input far back?",
    cannot_show="Whether it is of use.",
)
def gradient_by_distance(plot: Plot) -> Figure:
    """Norms of dL/dx by distance from the question, relative to the nearest input's."""
    plot.curves(positive(plot.now["input_gradient"]), hover="%{y:.2e}")
    plot.number_axis("lag", "Steps before the question", "%{x} steps before")
    plot.log_axis("input_gradient", "Gradient, nearest input = 1")
    return plot.finish(plot.drawn(plot.step_in_words("look")))
