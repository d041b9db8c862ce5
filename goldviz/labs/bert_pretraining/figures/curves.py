"""What figures of *Pre-training and fine-tuning* add to a plot: a legend at the foot, the mark of its two phases."""

from __future__ import annotations

from typing import Any

from goldviz.figures.draft import Figure
from goldviz.figures.frames import AtStep, filled
from goldviz.figures.plot import Plot
from goldviz.figures.theme import with_alpha
from goldviz.labs.bert_pretraining.figures.quantities import change_of_phase


def legend_at_foot(figure: Figure, rows: int) -> Figure:
    """Put the legend at the figure's lower edge, with room for so many rows; call it after ``theme.apply``."""
    room = 62 + 20 * rows
    figure.update_layout(height=figure.layout.height + room - 44)
    return figure.update_layout(
        legend={"x": 0.02, "xref": "container", "y": 0.01, "yref": "container", "yanchor": "bottom"},
        margin={"t": figure.layout.margin.t - 6, "b": room},
    )


def mark_phases(plot: Plot, *, over: bool = False) -> None:
    """A line over every panel where the masked words end and the tone begins, named at the first one's foot.

    Where a curve ends there, its name stands ``over`` the panel.
    """
    change = change_of_phase(plot.ds)
    if change is None:
        return
    ink, figure = plot.ink, plot.figure
    figure.add_vline(x=change + 0.5, line={"color": ink.muted, "width": 1.5, "dash": "dashdot"})
    figure.add_annotation(
        x=change + 0.5,
        xref="x",
        y=float(over),
        yref="y domain",
        xanchor="center" if over else "left",
        yanchor="bottom",
        showarrow=False,
        text="tone",
        bgcolor=with_alpha(ink.background, 0.75),
        font={"size": 12, "color": ink.muted},
    )


def wait(plot: Plot, ready: AtStep, words: str) -> Figure:
    """What was drawn, and at steps where nothing is ``ready`` yet these words in its place; call it last."""
    figure, layout, waiting = plot.figure, plot.figure.layout, plot.instead(words).layout

    def either(picture: Any, instead: Any) -> AtStep:
        return ready.map(lambda yes: picture if yes else instead)

    notes = [filled(layout.meta["notes"], {ready.dim: i}) if yes else [] for i, yes in enumerate(ready.values)]
    for part in [*figure.data, *layout.get("annotations", []), *figure.select_xaxes(), *figure.select_yaxes()]:
        part.visible = ready
    figure.add_annotation(**waiting.annotations[0], visible=either(False, True))
    return figure.update_layout(
        meta={"notes": AtStep(ready.dim, notes)},
        height=either(layout.height, waiting.height),
        margin={side: either(layout.margin[side], waiting.margin[side]) for side in "tb"},
    )
