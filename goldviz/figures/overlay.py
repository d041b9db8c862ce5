"""Several runs in one figure: the loss of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Array, Run
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure, Node, Scatter
from goldviz.figures.elements import loss_axis, worded
from goldviz.figures.reading import finite, growing, thinned
from goldviz.figures.theme import Theme, looks_of, style_of
from goldviz.models.style import NetworkStyle

LOSSES = ("evaluation_loss", "loss")
"""What is drawn of a run: the first of these that it recorded."""
# Hues of the theme in an order of their own: a colour is a run here, and networks are told apart by their dashes.
COLOURS = ("#d55e00", "#0e7ac0", "#009e73", "#c46a9c", "#8a6a00", "#7a78d2", "#838383", "#1f98a8")
MOST = len(COLOURS)
"""Runs in one figure at most."""
FEW = 50
"""Values up to which a line has markers."""
BROKEN = "#d55e00"
"""Of what is no finite number."""


Looks = Callable[[str], NetworkStyle]


def overlay(runs: Sequence[tuple[str, Run]], theme: Theme, look_of: Looks = style_of) -> Figure:
    """The losses of these runs, by their titles, over their steps; medians of seeds.

    ``look_of`` is how their laboratory draws its networks. Raises ``ValueError`` for more runs than there are colours.
    """
    if len(runs) > MOST:
        raise ValueError(f"One figure holds {MOST} runs; {len(runs)} were given.")
    coloured = zip(runs, COLOURS, strict=False)
    curves = [curve for (title, ds), colour in coloured for curve in _curves(title, ds, colour, look_of)]
    if not curves:
        return worded("None of these runs has recorded a loss.", title="Loss of all runs", theme=theme)
    figure = Figure()
    for title, style, values in curves:
        figure.add_trace(_line(title, style, values))
    everything = np.concatenate([values.values for _, _, values in curves])
    figure.update_yaxes(title_text="Loss", **loss_axis(float(everything.min()), float(everything.max())))
    figure.update_xaxes(title_text=str(growing(curves[0][2])).capitalize())
    notes = ["Colour: run. Dash: network.", *_of_what(runs)]
    return look.apply(figure, theme, title="Loss of all runs", notes=notes, height=460)


def _of_what(runs: Sequence[tuple[str, Run]]) -> list[str]:
    """On which samples the losses are, where that is known, and of how many seeds."""
    losses = {_loss_of(ds) for _, ds in runs} - {None}
    where = (
        "On unseen samples." if len(losses) == 1 else "On unseen samples where those were looked at, else in training."
    )
    seeds = any(ds.sizes.get("seed", 1) > 1 for _, ds in runs)
    return [where] * (LOSSES[0] in losses) + ["Median of a run's seeds."] * seeds


def _loss_of(ds: Run) -> str | None:
    return next((name for name in LOSSES if name in ds and np.isfinite(ds[name].values).any()), None)


def _curves(title: str, ds: Run, colour: str, look_of: Looks) -> list[tuple[str, NetworkStyle, Array]]:
    """A run's curve for each network, with its title, without steps at which it is no finite number."""
    name = _loss_of(ds)
    if name is None:
        return []
    dim = growing(ds[name])
    values = finite(ds[name])
    others = [other for other in values.dims if other not in (dim, "network")]
    values = values.median(others) if others else values
    networks = [str(one) for one in values["network"].values] if "network" in values.dims else [""]
    curves = [(name, values.sel(network=name) if name else values) for name in networks]
    finite_curves = [(name, one[np.isfinite(one.values)]) for name, one in curves]
    styles = {name: replace(style, colour=colour) for name, style in _styles(networks, look_of).items()}
    return [(title, styles[name], one[thinned(one.size)[0]]) for name, one in finite_curves if one.size]


def _styles(networks: Sequence[str], look_of: Looks) -> dict[str, NetworkStyle]:
    """The laboratory's look of each network; one in their order for networks that it does not know."""
    styles = looks_of(networks)
    for name in networks:
        with suppress(KeyError):
            styles[name] = look_of(name)
    return styles


def _line(title: str, style: NetworkStyle, values: Array) -> Node:
    return Scatter(
        x=values[str(growing(values))].values,
        y=values.values,
        name=f"{title}: {style.label}" if style.label else title,
        mode="lines",
        line={"color": style.colour, "dash": style.dash, "width": 2.5},
        hovertemplate="%{y:.4~g}",
    )


def crosses(x: Iterable[float], y: Iterable[float], name: str, **more: Any) -> Node:
    """Marks of what was no finite number."""
    marker = {"symbol": "x", "size": 9, "color": BROKEN, "line": {"width": 1, "color": "#ffffff"}}
    hover = f"{name}<extra></extra>"
    return Scatter(x=[*x], y=[*y], mode="markers", name=name, marker=marker, hovertemplate=hover, **more)
