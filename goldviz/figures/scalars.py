"""Numbers that scripts told of themselves, each on a scale of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure, Node, Scatter, make_subplots
from goldviz.figures.elements import worded
from goldviz.figures.notes import as_label
from goldviz.figures.overlay import COLOURS
from goldviz.figures.reading import thinned
from goldviz.figures.theme import Theme

FEW = 50
"""Values up to which a line has markers."""
TITLE = "Numbers of your own"
BROKEN = "#d55e00"
"""Of what is no finite number."""


def crosses(x: Iterable[float], y: Iterable[float], name: str, **more: Any) -> Node:
    """Marks of what was no finite number."""
    marker = {"symbol": "x", "size": 9, "color": BROKEN, "line": {"width": 1, "color": "#ffffff"}}
    hover = f"{name}<extra></extra>"
    return Scatter(x=[*x], y=[*y], mode="markers", name=name, marker=marker, hovertemplate=hover, **more)


def scalars(runs: Sequence[tuple[str, Run]], theme: Theme, until: float = np.inf) -> Figure:
    """The numbers that scripts told of themselves, each on a scale of its own; a cross was no finite number."""
    told = [(title, run, [*map(str, run["scalar"].values)]) for title, run in runs if "scalars" in run]
    names = list(dict.fromkeys(name for _, _, own in told for name in own if name))
    if not names:
        return worded("Nothing of this was recorded yet.", title=TITLE, theme=theme)
    colours = dict(zip([title for title, _ in runs], COLOURS, strict=False))
    figure = make_subplots(rows=len(names), cols=1, shared_xaxes=True, vertical_spacing=0.06 / len(names))
    for title, run, own in told:
        for row, name in enumerate(names, start=1):
            if name not in own:
                continue
            column = np.asarray(run["scalars"].values, np.float64)[:, own.index(name)]
            steps = run["scalars"][run["scalars"].dims[0]].values
            there = ~np.isnan(column) & (steps <= until)
            column, steps = column[there], steps[there]
            kept, _ = thinned(column.size)
            words, line = as_label(f"{title}: {name}" if title else name), {"color": colours[title], "width": 2}
            drawn = np.where(np.isfinite(column), column, np.nan)
            mode = "lines+markers" if column.size <= FEW else "lines"
            form = {"mode": mode, "line": line, "hovertemplate": "%{y:.4~g}"}
            lines = Scatter(x=steps[kept], y=drawn[kept], name=words, **form)
            figure.add_trace(lines, row=row, col=1)
            bad = np.isinf(column)
            if bad.any():
                top = float(np.nanmax(drawn)) if not bad.all() else 1.0
                figure.add_trace(crosses(steps[bad].tolist(), [top] * int(bad.sum()), words), row=row, col=1)
    for row, name in enumerate(names, start=1):
        figure.update_yaxes(title_text=as_label(name), row=row, col=1)
    figure.update_xaxes(title_text="Step", row=len(names), col=1)
    look.apply(figure, theme, title=TITLE, legend=False, height=140 + 150 * len(names))
    return figure
