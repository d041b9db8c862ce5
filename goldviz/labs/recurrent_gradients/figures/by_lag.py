"""What the networks know of the past: loss and accuracy by the distance of the cue."""

from __future__ import annotations

import plotly.graph_objects as go
import xarray as xr

from goldviz.figures import theme as look
from goldviz.figures.elements import (
    add_curve,
    legend_above_headings,
    loss_axis,
    number_ticks,
    panels,
    reference_line,
    whole,
    worded,
)
from goldviz.figures.limits import Limits
from goldviz.figures.reading import (
    Band,
    absence,
    finite,
    networks,
    recorded,
    run_label,
    seeds_in_words,
    sentences,
)
from goldviz.figures.theme import Theme
from goldviz.labs.recurrent_gradients.figures.quantities import limit_of


def by_lag(
    ds: xr.Dataset, *, epoch: int | None = None, limits: Limits | None = None, theme: Theme = "light"
) -> go.Figure:
    """Loss, and accuracy where the task has it, on fresh sequences by how far back their cue lies, at one look.

    A curve that climbs to the line of the best answer without memory shows the distance at which a network forgets.
    """
    title = "From what distance is it forgotten?"
    if words := absence(ds, "loss_by_lag"):
        return worded(words, title=title, theme=theme)
    at = recorded(ds, epoch, "look")
    scored = not absence(ds, "accuracy_by_lag")
    figure = panels(["Loss", "Share of right answers"] if scored else ["Loss"], theme)
    names = ("loss_by_lag", "accuracy_by_lag") if scored else ("loss_by_lag",)
    for row, name in enumerate(names, start=1):
        now = finite(ds[name].sel(look=at))
        hover = "%{y:.4f}" if row == 1 else "%{y:.1%}"
        for network in networks(ds):
            band = Band.of(now.sel(network=network))
            add_curve(figure, network, now["task_lag"].values, band, hover=hover, row=row, legend=row == 1)
    ends = limit_of("task_lag", ds, limits)
    figure.update_xaxes(range=ends, unifiedhovertitle_text="cue %{x} steps back", **number_ticks(*whole(ends), {}))
    figure.update_xaxes(title_text="Distance of the cue (steps)", row=len(names))
    figure.update_yaxes(title_text="Loss", **loss_axis(*limit_of("loss_by_lag", ds, limits)), row=1)
    if scored:
        figure.update_yaxes(title_text="Share", range=(-0.05, 1.05), tickformat=".0%", row=2)
    if not absence(ds, "memoryless_loss"):
        memoryless = float(finite(ds["memoryless_loss"]).median())
        reference_line(figure, memoryless, f"best without memory: {memoryless:.3f}", theme, every_panel=False)
    notes = [run_label(ds), sentences(f"Step {at}, fresh sequences.", seeds_in_words(ds))]
    return legend_above_headings(look.apply(figure, theme, title=title, notes=notes, height=560 if scored else 430))
