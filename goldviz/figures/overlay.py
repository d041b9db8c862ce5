"""Several runs in one figure: the loss of each, in a colour for each run and a dash for each network."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure, Node, Scatter
from goldviz.figures.elements import end_labels, loss_axis, worded
from goldviz.figures.reading import finite, growing, thinned
from goldviz.figures.theme import NETWORKS, Theme
from goldviz.models.style import NetworkStyle

LOSSES = ("evaluation_loss", "loss")
"""What is drawn of a run: the first of these that it recorded."""
COLOURS = ("#d55e00", "#0e7ac0", "#009e73", "#c46a9c", "#8a6a00", "#7a78d2", "#838383", "#1f98a8")
MOST = len(COLOURS)
"""Runs in one figure at most."""
LABELLED = 8
"""Curves up to which each is named at its end; of more, the legend names them."""


def overlay(runs: Sequence[tuple[str, Run]], theme: Theme) -> Figure:
    """The losses of these runs, by their titles, over their steps; medians of seeds.

    Raises ``ValueError`` for more runs than there are colours.
    """
    if len(runs) > MOST:
        raise ValueError(f"One figure holds {MOST} runs; {len(runs)} were given.")
    curves = [curve for (title, ds), colour in zip(runs, COLOURS, strict=False) for curve in _curves(title, ds, colour)]
    if not curves:
        return worded("None of these runs has recorded a loss.", title="Loss of all runs", theme=theme)
    figure = Figure()
    for style, values in curves:
        figure.add_trace(_line(style, values))
    everything = np.concatenate([values.values for _, values in curves])
    figure.update_yaxes(title_text="Loss", **loss_axis(float(everything.min()), float(everything.max())))
    figure.update_xaxes(title_text=str(growing(curves[0][1])).capitalize())
    few = len(curves) <= LABELLED
    notes = ["Colour: run. Dash: network.", *_of_what(runs)]
    look.apply(figure, theme, title="Loss of all runs", notes=notes, height=460)
    if few:
        short = [(_ending(style), float(values.values[-1])) for style, values in curves]
        end_labels(figure, short, theme)
    return figure


def _of_what(runs: Sequence[tuple[str, Run]]) -> list[str]:
    """On which samples the losses are, where that is known, and of how many seeds."""
    unseen = all(LOSSES[0] in ds for _, ds in runs)
    seeds = any(ds.sizes.get("seed", 1) > 1 for _, ds in runs)
    return ["On unseen samples."] * unseen + ["Median of a run's seeds."] * seeds


def _curves(title: str, ds: Run, colour: str) -> list[tuple[NetworkStyle, Array]]:
    """A run's curve for each network, without steps at which it is no finite number."""
    name = next((name for name in LOSSES if name in ds and np.isfinite(ds[name].values).any()), None)
    if name is None:
        return []
    dim = growing(ds[name])
    values = finite(ds[name])
    others = [other for other in values.dims if other not in (dim, "network")]
    values = values.median(others) if others else values
    networks = [str(one) for one in values["network"].values] if "network" in values.dims else [""]
    found = [(name, values.sel(network=name) if name else values) for name in networks]
    known = [(name, one[np.isfinite(one.values)]) for name, one in found]
    return [(_style(title, name, colour), one[thinned(one.size)[0]]) for name, one in known if one.size]


def _style(title: str, network: str, colour: str) -> NetworkStyle:
    own = NETWORKS.get(network)
    label = f"{title}: {own.label if own else network}" if network else title
    return NetworkStyle(label, colour, own.dash if own else "solid", own.symbol if own else "circle")


def _ending(style: NetworkStyle) -> NetworkStyle:
    """What stands at a curve's end: the network, for the legend has the run's title."""
    network = style.label.rpartition(": ")[2] if ": " in style.label else ""
    return NetworkStyle(network, style.colour, style.dash, style.symbol)


def _line(style: NetworkStyle, values: Array) -> Node:
    return Scatter(
        x=values[str(growing(values))].values,
        y=values.values,
        name=style.label,
        mode="lines",
        line={"color": style.colour, "dash": style.dash, "width": 2.5},
        hovertemplate="%{y:.4~g}",
    )
