"""What figures share of laboratories whose answers are sequences, right or wrong."""

from __future__ import annotations

from goldviz.figures.draft import Figure
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite


def right_by_length(plot: Plot, longest_asked: int) -> Figure:
    """The share of sequences without a fault, by length, with a line behind the longest that was learned from.

    Needs ``length_accuracy`` and the attribute ``longest_trained``.
    """
    plot.curves(finite(plot.now["length_accuracy"]), hover="%{y:.0%}")
    plot.number_axis("length", "Words read", "%{x} words")
    plot.linear_axis("share", "Right from start to end", tickformat=".0%")
    longest = int(plot.ds.attrs["longest_trained"])
    beyond = ""
    if longest < longest_asked:
        plot.figure.add_vline(x=longest + 0.5, line={"color": plot.ink.muted, "width": 1, "dash": "dash"})
        beyond = "Right of the dashed line: longer than learned."
    return plot.finish(plot.drawn(plot.step_in_words("close_look")), beyond)
