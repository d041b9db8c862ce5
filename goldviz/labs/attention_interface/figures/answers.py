"""How well unseen sequences are answered, and where attention's peaks stand."""

from __future__ import annotations

from goldviz.figures.answers import right_by_length
from goldviz.figures.draft import Bar, Figure
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite
from goldviz.labs.attention_interface.figures.alignment import no_attention
from goldviz.labs.attention_interface.figures.quantities import figure


@figure(
    "Does it forget as sequences grow?",
    needs=("length_accuracy",),
    shows="Unseen sequences without a fault, by length.",
    cannot_show="How many weights each network has.",
)
def by_length(plot: Plot) -> Figure:
    """Accuracy by length: one vector for the whole sequence against a look back at every word."""
    return right_by_length(plot, int(plot.ds.attrs["longest_asked"]))


@figure(
    "How many answers are right?",
    needs=("sequence_accuracy",),
    shows="Unseen sequences without a fault, over training.",
)
def right(plot: Plot) -> Figure:
    """Share of right answers at every close look."""
    plot.curves(finite(plot.ds["sequence_accuracy"]), hover="%{y:.1%}")
    plot.step_grid()
    plot.linear_axis("share", "Right from start to end", tickformat=".0%")
    return plot.finish(plot.drawn())


@figure(
    "Is the darkest cell the right word?",
    needs=("peak_offset",),
    shows="How far the largest weight is from the word that is written.",
    cannot_show="Whether the network errs.",
    instead=no_attention,
)
def peaks(plot: Plot) -> Figure:
    """Offsets of attention's peaks from the known alignment; 0 is the word itself."""
    shares = finite(plot.now["peak_offset"])
    offsets = plot.ds["offset"].values
    plot.add(
        Bar(
            x=offsets,
            y=plot.at_step(shares.mean("seed")),
            marker={"color": plot.look_of("attention").colour},
            hovertemplate="%{y:.1%}",
            showlegend=False,
            name="GRU with attention",
        )
    )
    ends = {int(offsets[0]): f"≤ {offsets[0]}", 0: "its word", int(offsets[-1]): f"≥ {offsets[-1]}"}
    plot.number_axis("offset", "Places behind the word that it stands for", "%{x}", ends)
    plot.linear_axis("share", "Words written", tickformat=".0%")
    return plot.finish(plot.drawn(plot.step_in_words("close_look")), legend=False)
