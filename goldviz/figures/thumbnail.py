"""Small standalone SVG pictures for the map of laboratories: no script, readable on light and on dark paper.

Parts of a picture may move, and a page's style sheet says when: ``goldviz-reveal`` comes to light from the left, and of
the groups ``goldviz-frame`` one after the other is seen. Where nothing moves, all is there and the last frame is seen.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from goldviz.arrays.labelled import Array
from goldviz.figures.theme import FONT as LETTERS
from goldviz.figures.theme import NETWORKS, sequential_stops, style_of

WIDE = {"m": 13.7, "w": 11.5, "M": 12.1, "W": 13.9} | dict.fromkeys("ijlftr.,'| ()", 5.8)
"""Pixels of letters that are wider or narrower than most, at a size of 14."""
AXIS_ROOM = 14
"""Pixels above and below a picture for the names of its axes."""
FRAMES = 16
"""Of a picture that moves; the style sheet counts them, too."""
FONT = LETTERS.replace('"', "'")
DASHES = {"solid": "", "dash": "7 4", "dashdot": "7 3 2 3", "longdash": "11 4", "dot": "2 3"}


@dataclass(frozen=True)
class Curve:
    """One curve of a picture: its values at equal steps (NaN: a gap), its name, colour and Plotly dash.

    With values of ``FRAMES`` by steps it moves.
    """

    name: str
    values: ArrayLike
    colour: str
    dash: str = "solid"


Axes: TypeAlias = tuple[str, str]
"""What goes to the right, and what goes upwards or down, in a word or two."""


def polyline_svg(
    curves: Sequence[Curve],
    *,
    label: str,
    axes: Axes | None = None,
    width: int = 320,
    height: int = 160,
    is_revealed: bool = False,
) -> str:
    """A picture of a few curves over one common range, with their names at their ends and those of its axes.

    ``label`` tells those who cannot see the picture what it shows. Text takes the colour of the text around it. Where
    the curve itself is the story, it ``is_revealed`` from the left.
    """
    arrays = [np.asarray(curve.values, dtype=np.float64) for curve in curves]
    usable = np.concatenate([np.array([]), *(array[np.isfinite(array)] for array in arrays)])
    low, high = (float(usable.min()), float(usable.max())) if usable.size else (0.0, 1.0)
    span = high - low or 1.0
    names = max((_width_of(curve.name) for curve in curves), default=0.0)
    right, bottom, edge = width - 14 - names, height - 14.0, 14.0
    parts = [
        f'<path d="M{edge} {edge / 2}V{bottom}H{right + 6:.0f}" fill="none"'
        ' stroke="currentColor" stroke-opacity="0.45"/>'
    ]
    heights: list[float] = []
    for curve, array in zip(curves, arrays, strict=True):
        steps = array.shape[-1]
        x = np.linspace(edge + 6, right, max(steps, 2))[:steps]
        y = bottom - 8 - (bottom - 8 - edge) * (array - low) / span
        paths = [_path(x, one) for one in np.atleast_2d(y)]
        if not paths[-1]:
            continue
        dash = f' stroke-dasharray="{DASHES[curve.dash]}"' if DASHES[curve.dash] else ""
        drawn = [
            f'<path d="{path}" fill="none" stroke="{curve.colour}" stroke-width="3"'
            f' stroke-linecap="round" stroke-linejoin="round"{dash}/>'
            for path in paths
        ]
        parts.extend(frames(drawn) if array.ndim == 2 else [revealed(drawn)] if is_revealed else drawn)
        last = np.atleast_2d(y)[-1]
        at = _free(float(last[np.isfinite(last)][-1]), heights, edge, bottom)
        heights.append(at)
        parts.append(
            f'<text x="{right + 8:.1f}" y="{at + 4:.1f}" font-size="13" fill="currentColor">'
            f"{html.escape(curve.name)}</text>"
        )
    return picture_svg(parts, label=label, axes=axes if heights else None, width=width, height=height)


def picture_svg(
    parts: Sequence[str], *, label: str, axes: Axes | None = None, width: int = 320, height: int = 160
) -> str:
    """Parts of a picture as a whole one, with what it shows in words; the names of its axes stand above and below."""
    room = AXIS_ROOM if axes else 0
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 {-room} {width} {height + 2 * room}" width="100%"'
        f' role="img" font-family="{FONT}" aria-label="{html.escape(label)}"><title>{html.escape(label)}</title>'
        f"{''.join([*parts, *_axis_names(axes, width, height)])}</svg>"
    )


def frames(parts: Sequence[str]) -> list[str]:
    """``FRAMES`` parts of which one after the other is seen; raises ValueError for another number of them."""
    if len(parts) != FRAMES:
        raise ValueError(f"A moving picture has {FRAMES} frames; there are {len(parts)}.")
    unseen = ' visibility="hidden"'
    return [
        f'<g class="goldviz-frame" style="--frame: {place}"{unseen if place < FRAMES - 1 else ""}>{part}</g>'
        for place, part in enumerate(parts)
    ]


def revealed(parts: Sequence[str]) -> str:
    """Parts that come to light from the left."""
    return f'<g class="goldviz-reveal">{"".join(parts)}</g>'


def places_of_frames(count: int) -> list[int]:
    """Which of so many steps the frames of a moving picture show, from the first to the last."""
    return [round(place) for place in np.linspace(0, count - 1, FRAMES)]


def inked(share: float) -> str:
    """From paper at none to ink at all, as weights are shown."""
    return f'fill="currentColor" fill-opacity="{share:.2g}"'


def shaded(share: float) -> str:
    """A colour of the scale of magnitudes."""
    colours = [str(colour) for _, colour in sequential_stops()]
    return f'fill="{colours[round(share * (len(colours) - 1))]}"'


def squares(
    shares: ArrayLike,
    x: float,
    y: float,
    width: float,
    height: float,
    *,
    gap: float = 0.0,
    fill: Callable[[float], str] = inked,
) -> list[str]:
    """Shares (row, column) as the cells of a map whose corner is at ``x`` and ``y``."""
    values = np.asarray(shares)
    high, wide = height / values.shape[0], width / values.shape[1]
    return [
        f'<rect x="{x + column * wide:.1f}" y="{y + row * high:.1f}" width="{wide - gap:.1f}" '
        f'height="{high - gap:.1f}" {fill(float(share))}/>'
        for (row, column), share in np.ndenumerate(values)
    ]


def _axis_names(axes: Axes | None, width: int, height: int) -> list[str]:
    if axes is None:
        return []
    across, up = map(html.escape, axes)
    look = 'font-size="13" fill="currentColor" fill-opacity="0.8"'
    return [
        f'<text x="10" y="-2" {look}>{up}</text>',
        f'<text x="{width - 10}" y="{height + 10}" text-anchor="end" {look}>{across}</text>',
    ]


def _width_of(name: str) -> float:
    """About how wide a name is at 14 pixels in the widest of the usual sans-serif fonts."""
    return sum(WIDE.get(letter, 10.5 if letter.isupper() else 8.8) for letter in name)


def _path(x: np.ndarray, y: np.ndarray) -> str:
    """Line commands through the finite points; a gap lifts the pen."""
    commands, down = [], False
    for px, py in zip(x, y, strict=True):
        if np.isfinite(py):
            commands.append(f"{'L' if down else 'M'}{px:.1f} {py:.1f}")
        down = bool(np.isfinite(py))
    return "".join(commands)


def _free(target: float, neighbours: Sequence[float], top: float, bottom: float) -> float:
    """The height nearest to ``target`` at which a name stands clear of the others."""
    heights = sorted(np.arange(top, bottom, 2.0), key=lambda height: abs(height - target))
    return float(next((h for h in heights if all(abs(h - other) >= 16 for other in neighbours)), target))


def networks_svg(values: Mapping[str, ArrayLike], *, label: str, axes: Axes, is_revealed: bool = False) -> str:
    """A picture with a curve for each network by its name, of those that have a look."""
    styles = {name: style_of(name) for name in values if name in NETWORKS}
    curves = [Curve(style.label, values[name], style.colour, style.dash) for name, style in styles.items()]
    return polyline_svg(curves, label=label, axes=axes, is_revealed=is_revealed)


def by_network(values: Array) -> dict[str, np.ndarray]:
    """The values of each network by its name."""
    return {str(name): values.sel(network=name).values for name in values["network"].values}
