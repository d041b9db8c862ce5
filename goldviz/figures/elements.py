"""Parts that figures are drawn from: curves with bands, stacked panels, axes, reference lines, marks, a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from goldviz.arrays.labelled import Array, Run
from goldviz.diagnostics.findings import times
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure, Node, Scatter, Shape, make_subplots
from goldviz.figures.frames import AtStep, Words, changed, spoken
from goldviz.figures.limits import decades, padded
from goldviz.figures.notes import as_label, wrapped
from goldviz.figures.reading import growing, growing_dim, marks, sentences
from goldviz.figures.theme import INKS, Theme, style_of
from goldviz.models.style import NetworkStyle

MARKERS_UP_TO = 40
"""Points of a curve up to which each gets its marker."""

LOG_FROM = 30
"""Ratio of largest to smallest loss from which its axis is logarithmic."""


def worded(words: str, *, title: str, theme: Theme, notes: Sequence[str] = ()) -> Figure:
    """A figure that says in a centred sentence why there is nothing to draw, with ``notes`` under its title."""
    figure = Figure()
    figure.add_annotation(text=wrapped(words, 38), x=0.5, y=0.5, xref="paper", yref="paper", font_size=look.HEADING)
    figure.update_xaxes(visible=False).update_yaxes(visible=False)
    return look.apply(figure, theme, title=title, notes=notes, legend=False, height=300, hover="closest")


def panels(
    names: Sequence[str],
    theme: Theme,
    *,
    colours: Sequence[str] | None = None,
    heights: Sequence[float] | None = None,
    apart: bool = False,
) -> Figure:
    """One panel below the other, each with its name above it, left; ``heights`` are shares.

    They share the x axis, unless they are ``apart``, with room for a title under each.
    """
    spacing = 0.24 if apart else 0.13 if len(names) == 2 else 0.09
    how = {"shared_xaxes": not apart, "vertical_spacing": spacing, "row_heights": heights and list(heights)}
    figure = make_subplots(rows=len(names), cols=1, **how)
    for row, name in enumerate(names, start=1):
        font = {"color": look.tone(colours[row - 1], theme) if colours else INKS[theme].text}
        if name:
            add_heading(figure, row, f"<b>{as_label(name)}</b>", font=font)
    return figure


def add_heading(figure: Figure, panel: int, text: str, **more: Any) -> None:
    """Words above the left end of a panel, counted from 1 as Plotly counts its axes."""
    axis = "" if panel == 1 else panel
    figure.add_annotation(
        text=text,
        x=0,
        y=1,
        xref=f"x{axis} domain",
        yref=f"y{axis} domain",
        xanchor="left",
        yanchor="bottom",
        showarrow=False,
        **more,
    )


def legend_above_headings(figure: Figure, lift: int = 24) -> Figure:
    """Lift the legend of a figure with panels over the first one's name; call it after ``theme.apply``."""
    layout = figure.layout
    layout.margin.t += lift
    layout.legend.y = 1 + lift / (layout.height - layout.margin.t - layout.margin.b)
    return figure


def add_band(
    figure: Figure,
    x: Any,
    low: Any,
    high: Any,
    fill: str,
    *,
    row: int | None = None,
    group: str | None = None,
    **options: Any,
) -> None:
    """A band without edges between two curves; ``options`` name it in the legend, where it has a place."""
    edge = {"x": x, "mode": "lines", "line": {"width": 0}, "legendgroup": group, "hoverinfo": "skip"}
    edge["showlegend"] = False
    figure.scatter(row, y=low, **edge)
    figure.scatter(row, y=high, fill="tonexty", fillcolor=fill, **{**edge, **options})


def ways(paths: Iterable[Iterable[tuple[float, float]]]) -> dict[str, Any]:
    """Ways from place to place as one trace's coordinates, the pen lifted after each.

    >>> ways([[(1, 2), (3, 4)]])
    {'x': [1, 3, None], 'y': [2, 4, None]}
    """
    places: list[tuple[Any, Any]] = [place for way in paths for place in (*way, (None, None))]
    return {"x": [x for x, _ in places], "y": [y for _, y in places]}


def arrow(
    figure: Figure,
    start: tuple[float, float],
    end: tuple[float, float],
    colour: str,
    *,
    width: float = 2,
    size: float | None = None,
) -> None:
    """An arrow between two places of the first panel; ``size`` is of its head, in widths of its line."""
    figure.add_annotation(
        text="",
        x=end[0],
        y=end[1],
        ax=start[0],
        ay=start[1],
        xref="x",
        yref="y",
        axref="x",
        ayref="y",
        showarrow=True,
        arrowhead=2,
        arrowcolor=colour,
        arrowwidth=width,
        arrowsize=size,
    )


def handle(x: float, y: float, colour: str, radius: int) -> Shape:
    """A circle that can be dragged where a page lets shapes be moved; its place is ``xanchor`` and ``yanchor``."""
    pixels = {"xsizemode": "pixel", "ysizemode": "pixel", "x0": -radius, "x1": radius, "y0": -radius, "y1": radius}
    place: dict[str, Any] = {"xref": "x", "yref": "y", "xanchor": x, "yanchor": y, **pixels}
    ink: dict[str, Any] = {"fillcolor": colour, "line": {"width": 8, "color": look.with_alpha(colour, 0.35)}}
    return Shape(type="circle", editable=True, **place, **ink)


def interval_bars(above: Any, below: Any, colour: str, *, thickness: float = 1.5, width: float) -> dict[str, Any]:
    """Error bars as Plotly takes them: how far an interval reaches above and below each point, and its ends' width."""
    return {"array": above, "arrayminus": below, "color": colour, "thickness": thickness, "width": width}


def loss_axis(low: float, high: float) -> dict[str, Any]:
    """A linear axis for losses, or a log one where they differ by a factor of more than 30."""
    if low > 0 and high > LOG_FROM * low:
        return log_axis(decades(np.log10(low), np.log10(high)))
    return {"range": padded(low, high)}


def unseen(now: Array, dim: str, noun: str = "layer", look_of: Callable[[str], NetworkStyle] = style_of) -> Words:
    """Which networks have places along ``dim`` that a log axis cannot show: exactly zero, or not a finite number.

    Of every step where ``now`` has steps, which then come first.
    """
    steps, places = growing(now), now.sizes[dim]
    labels = [look_of(str(network)).label for network in now["network"].values]
    norms = now.transpose(*([steps] if steps else []), "network", dim, "seed").values
    counts = [off.all(-1).sum(-1) for off in (norms == 0, ~np.isfinite(norms))]

    def sentence(*by_network: NDArray[Any]) -> str:
        parts = []
        for words, here in zip(("Exactly 0", "Not a finite number"), by_network, strict=True):
            for lost in sorted({int(one) for one in here} - {0}):
                named = [label for label, one in zip(labels, here, strict=True) if one == lost]
                whose = "all" if len(named) == len(labels) else ", ".join(named)
                parts.append(f"{words}, not drawn, in {lost} of {places} {noun}s: {whose}.")
        return sentences(*parts)

    return sentence(*counts) if steps is None else spoken(sentence, steps, *counts)


PLOTLYS_POWERS = 1.25
"""So much larger than asked for Plotly writes the powers of ten of a log axis, and what stands among them."""


def log_axis(limits: tuple[float, float]) -> dict[str, Any]:
    """A log axis over these limits (log10): whole decades as powers of ten, or 1, 2, 5 when there are few."""
    low, high = limits
    # One power of ten alone is no scale: nothing could be read off it.
    if high - low > 1.5 and np.floor(high) > np.ceil(low):
        dtick = max(1, int(np.ceil((high - low) / 7)))
        return {"type": "log", "range": [low, high], "dtick": dtick, "tickfont": {"size": look.TEXT / PLOTLYS_POWERS}}
    steps = (1, 2, 5) if high - low > 0.7 else (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
    values = [step * 10.0**decade for decade in range(int(np.floor(low)), int(np.ceil(high)) + 1) for step in steps]
    ticks = [value for value in values if low <= np.log10(value) <= high]
    texts = [f"{value:g}" if 1e-3 <= value < 1e4 else times(value) for value in ticks]
    return {"type": "log", "range": [low, high], "tickvals": ticks, "ticktext": texts}


def colour_bar_below(figure: Figure, limits: tuple[float, float], colourscale: Any, words: str, **bar: Any) -> Figure:
    """Give a figure with panels one colour scale for all of them, and under the plot its bar with ``words`` above it.

    Call it after ``theme.apply``; ``bar`` goes to Plotly's colour bar. The words are an annotation because Plotly
    draws the title of a bar that stands at the figure's lower edge across the bar.
    """
    figure.update_layout(
        margin={"t": figure.layout.margin.t + 14, "b": 118},
        coloraxis={"cmin": limits[0], "cmax": limits[1], "colorscale": colourscale, "colorbar": bar},
    )
    return figure.add_annotation(
        text=words, x=0.5, xref="paper", y=0, yref="paper", yanchor="top", yshift=-56, showarrow=False, font_size=13
    )


def power_ticks(low: float, high: float, most: int = 6) -> dict[str, Any]:
    """Ticks for an axis of log10 values, labelled as powers of ten: whole ones, or the ends where there are none.

    >>> power_ticks(-2.3, 0.1)["ticktext"]
    ['10<sup>−2</sup>', '10<sup>−1</sup>', '1']
    """
    first, last = int(np.ceil(low)), int(np.floor(high))
    step = max(1, int(np.ceil((last - first + 1) / most)))
    values = [*range(first, last + 1, step)] or [low, high]
    return {"tickmode": "array", "tickvals": values, "ticktext": [power(value) for value in values]}


def drawn_ends(figure: Figure, letter: Literal["x", "y"] = "y") -> tuple[float, float]:
    """The smallest and the largest finite y, or x, of a figure's traces; -1 and 0 where there is none."""
    values = np.concatenate([np.asarray(trace[letter], dtype=float) for trace in figure.data] or [np.zeros(0)])
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if finite.size else (-1.0, 0.0)


def power_axis(
    figure: Figure, letter: Literal["x", "y"], title: str, low: float, high: float, **properties: Any
) -> Figure:
    """Make the x or the y axes those of decimal logarithms from ``low`` to ``high``, with powers of ten at the ticks.

    Readers are told a place on such an axis as the number that it stands for, not as its exponent.
    """
    update = figure.update_xaxes if letter == "x" else figure.update_yaxes
    update(**{"title_text": title, "range": [low, high], **power_ticks(low, high), **properties})
    ids = [key.replace("axis", "") for key in figure.layout if re.fullmatch(rf"{letter}axis\d*", key)]
    return figure.update_layout(meta={"logarithms": dict.fromkeys(ids, True)})


def power(exponent: float) -> str:
    """A power of ten as a label: '10<sup>−6</sup>', '1' for ten to the zero."""
    if exponent == 0:
        return "1"
    return f"10<sup>{exponent:.3g}</sup>".replace("-", "−")


def number_ticks(low: int, high: int, names: Mapping[int, str], most: int = 6) -> dict[str, Any]:
    """Ticks at whole numbers, at most about ``most``; ``names`` replaces the numbers of special places.

    A number too near to a named place gives way to it.
    """
    steps = (step * 10**power for power in count() for step in (1, 2, 5))
    step = next(step for step in steps if (high - low) / step <= most)
    room = (high - low) / 12 if step > 1 else 0
    plain = [n for n in range(low - low % step, high + 1, step) if n >= low]
    ticks = [n for n in plain if n not in names and all(abs(n - place) > room for place in names)]
    values = sorted({*ticks, *(n for n in names if low <= n <= high)})
    words = [names.get(n, str(n).replace("-", "−")) for n in values]
    return {"tickmode": "array", "tickvals": values, "ticktext": words}


def title_below(figure: Figure, title: str) -> None:
    """The x axis' title, under the last panel. Plotly would keep a line free for one without words."""
    rows = sum(1 for _ in figure.select_xaxes())
    figure.layout[f"xaxis{rows if rows > 1 else ''}"].title.text = title or None


def link(figure: Figure, letter: Literal["x", "y"], name: str, panel: int | None = None) -> None:
    """Say which coordinate the x or the y axes of every panel, or of one counted from 1, are of.

    Where a person points at a place in one figure, pages mark it in all others with an axis of the same coordinate.
    Call it after ``theme.apply``.
    """
    if panel is None:
        ids = [key.replace("axis", "") for key in figure.layout if re.fullmatch(rf"{letter}axis\d*", key)]
    else:
        ids = [f"{letter}{'' if panel == 1 else panel}"]
    figure.update_layout(meta={"linked": dict.fromkeys(ids or [letter], name)})


def about(figure: Figure, panel: int, **place: Any) -> None:
    """Say of which place a whole panel, counted from 1, is: where a person chooses it, pages frame the panel.

    Call it after ``theme.apply``.
    """
    figure.update_layout(meta={"about": {f"y{'' if panel == 1 else panel}": place}})


def whole(limits: tuple[float, float]) -> tuple[int, int]:
    """The first and last whole number between two limits."""
    return int(np.ceil(limits[0])), int(np.floor(limits[1]))


def reference_line(
    figure: Figure,
    y: float | AtStep,
    words: Words,
    theme: Theme,
    *,
    x: Literal[0, 1] = 1,
    every_panel: bool = True,
    panel: int = 1,
    yanchor: Literal["bottom", "top"] = "bottom",
) -> None:
    """A thin line across every panel, or one alone, at the height that theory names, with its words over it or under
    it at the left (``x`` = 0) or right end of one panel. A height of steps is left out where it is no number.

    Call it when the axes have their types: an annotation on a log axis is placed by its logarithm.
    """
    line = {"color": INKS[theme].muted, "width": 1.5, "dash": "dot"}
    number = "" if panel == 1 else str(panel)
    across, up = f"x{number} domain", f"y{number}"
    logarithmic = getattr(figure.layout, f"yaxis{number}").type == "log"
    visibility: dict[str, Any] = {}
    if isinstance(y, AtStep):
        visibility = {"visible": y.map(lambda value: bool(np.isfinite(value)))}
        y = y.map(lambda value: float(value) if np.isfinite(value) else 1.0)
    height = (y.map(np.log10) if isinstance(y, AtStep) else np.log10(y)) if logarithmic else y
    if every_panel:
        figure.add_hline(y=y, line=line, **visibility)
    else:
        figure.add_shape(type="line", x0=0, x1=1, xref=across, y0=y, y1=y, yref=up, line=line, **visibility)
    figure.add_annotation(
        text=changed(words, as_label),
        x=x,
        xref=across,
        xanchor="right" if x == 1 else "left",
        showarrow=False,
        bgcolor=look.with_alpha(INKS[theme].background, 0.75),
        borderpad=1,
        y=height,
        yref=up,
        yanchor=yanchor,
        font={"size": 13, "color": INKS[theme].muted},
        **visibility,
    )


def mark_epochs(figure: Figure, ds: Run, epoch: AtStep | int | None, theme: Theme) -> None:
    """Vertical lines over every panel: the scrubber's epoch or step, and the changes made on the way with their words.

    Words that would stand on each other are left to the line's neighbour; every line is drawn.
    """
    ink = INKS[theme]
    if epoch is not None:
        figure.add_vline(x=epoch, line={"color": ink.background, "width": 5}, opacity=0.7)
        figure.add_vline(x=epoch, line={"color": ink.accent, "width": 2})
    dim = growing_dim(ds)
    last = max(int(ds[dim].max()), 1) if ds.sizes.get(dim) else 1
    worded_at = -np.inf
    width = 34 if sum(1 for _ in figure.select_yaxes()) == 1 else 20
    for step, text in sorted(marks(ds)):
        figure.add_vline(x=step, line={"color": ink.text, "width": 1, "dash": "dash"})
        if step - worded_at < 0.12 * last:
            continue
        worded_at = step
        left = step > 0.7 * last
        figure.add_annotation(
            x=step,
            y=1,
            xref="x",
            yref="y domain",
            text=wrapped(text, width),
            textangle=90,
            showarrow=False,
            xanchor="right" if left else "left",
            yanchor="top",
            align="left",
            bgcolor=look.with_alpha(ink.background, 0.75),
        )


def aligned_rings(source_places: ArrayLike, colour: str) -> Node:
    """A ring in each written word's row, on the place read that the word stands for; none where that is negative."""
    rows = [(row, place) for row, place in enumerate(np.asarray(source_places).tolist()) if place >= 0]
    return Scatter(
        x=[place for _, place in rows],
        y=[row for row, _ in rows],
        mode="markers",
        marker={"symbol": "circle-open", "size": 20, "color": colour, "line": {"width": 2}},
        hoverinfo="skip",
        showlegend=False,
        name="stands for",
    )
