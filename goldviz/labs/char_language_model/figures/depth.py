"""How wide signals are through many layers, beside what theory expects of the gain."""

from __future__ import annotations

from goldviz.figures.draft import Figure
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite
from goldviz.labs.char_language_model.figures.quantities import figure


@figure(
    "Does the signal keep its width through the layers?",
    title="Does the signal keep its width?",
    needs=("activation_std",),
    shows="The spread of every layer's output, beside the expected one.",
)
def spread_by_depth(plot: Plot) -> Figure:
    """Measured spread at one close look, and q' = E tanh²(gain sqrt(q) x) for the start (document 002, 1.3.1).

    With 5/3 it settles at 0.651 and not at 1, which tanh cannot reach; with 1 it fades layer by layer.
    """
    plot.curves(finite(plot.now["activation_std"]), hover="measured %{y:.3f}")
    if not plot.lacks("expected_std"):
        theory = finite(plot.ds["expected_std"]).isel(network=0)
        plot.figure.scatter(
            x=theory["hidden"].values,
            y=theory.values,
            name="expected at the start",
            mode="lines+markers" if theory.size == 1 else "lines",
            line={"color": plot.ink.muted, "width": 1.8, "dash": "dot"},
            hovertemplate="expected %{y:.3f}",
        )
    plot.number_axis("hidden", "Hidden layer", "hidden layer %{x}")
    plot.linear_axis("activation_std", "Spread of the output")
    return plot.finish(plot.drawn(plot.step_in_words("close_look")))
