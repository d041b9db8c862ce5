"""What the networks know of the past: loss and accuracy by the distance of the cue."""

from __future__ import annotations

from goldviz.figures.draft import Figure
from goldviz.figures.elements import legend_above_headings
from goldviz.figures.plot import Plot
from goldviz.figures.reading import finite
from goldviz.labs.recurrent_gradients.figures.quantities import figure
from goldviz.models.style import NetworkStyle

NOTHING_KEPT = NetworkStyle("best without memory", "#838383", "dot", "square")


@figure(
    "From what distance does each network forget the cue?",
    title="From what distance is it forgotten?",
    needs=("loss_by_lag",),
    shows="How well each network answers, by how far back the cue lies. Dotted: without memory.",
    cannot_show="Why a network fails.",
)
def by_lag(plot: Plot) -> Figure:
    """Loss, and accuracy where the task has it, on fresh sequences by how far back their cue lies, at one look.

    A curve that climbs to that of the best answer without memory shows the distance at which a network forgets.
    """
    has_scores = not plot.lacks("accuracy_by_lag")
    plot.panels(["Loss", "Share of right answers"] if has_scores else ["Loss"])
    plot.curves(finite(plot.now["loss_by_lag"]), hover="%{y:.4f}", row=1)
    if has_scores:
        plot.curves(finite(plot.now["accuracy_by_lag"]), hover="%{y:.1%}", row=2)
    plot.number_axis("task_lag", "Distance of the cue (steps)", "cue %{x} steps back")
    plot.link("x", "lag")
    plot.loss_axis("loss_by_lag", "Loss", row=1)
    if has_scores:
        plot.figure.update_yaxes(title_text="Share", range=(-0.05, 1.05), tickformat=".0%", row=2)
    if not plot.lacks("memoryless_loss_by_lag"):
        plot.curve(
            finite(plot.ds["memoryless_loss_by_lag"]),
            "best without memory",
            style=NOTHING_KEPT,
            hover="%{y:.4f}",
            row=1,
        )
    words = plot.drawn(plot.step_in_words("look"))
    return legend_above_headings(plot.finish(words, height=560 if has_scores else 430))
