"""A text with each piece on the colour of its number, as HTML that holds nothing but spans and escaped text."""

from __future__ import annotations

import html

import numpy as np
from numpy.typing import ArrayLike

from goldviz.figures.theme import INKS, Theme

RAISES, LOWERS = (213, 94, 0), (14, 122, 192)
"""Red for more and blue for less, of Okabe and Ito's palette, as bars and maps have them."""


def coloured_text(text: str, starts: ArrayLike, stops: ArrayLike, values: ArrayLike, *, theme: Theme) -> str:
    """``text`` with the characters from each start to each stop on a shade of its value: red above 0, blue below.

    The shade is full at the largest absolute value. Pieces that stand nowhere in the text (start = stop) are left out.
    Every character of the text is there once and escaped; a minus or plus in the title tells what the colour tells.

    >>> coloured_text("a<b", [0], [1], [2.0], theme="light").count("&lt;")
    1
    """
    numbers = np.nan_to_num(np.asarray(values, dtype=float))
    most = float(np.abs(numbers).max(initial=0.0)) or 1.0
    parts, at = [], 0
    spans = zip(np.asarray(starts).tolist(), np.asarray(stops).tolist(), numbers.tolist(), strict=True)
    for start, stop, value in spans:
        if stop <= max(start, at):
            continue
        first = max(start, at)
        parts += [html.escape(text[at:first]), _span(text[first:stop], value, value / most)]
        at = stop
    parts.append(html.escape(text[at:]))
    ink = INKS[theme]
    style = f"white-space:pre-wrap;overflow-wrap:anywhere;line-height:1.9;color:{ink.text}"
    return f'<div style="{style}" dir="auto" translate="no">{"".join(parts)}</div>'


def _span(text: str, value: float, share: float) -> str:
    red, green, blue = RAISES if share > 0 else LOWERS
    strength = 0.75 * abs(share)
    style = f"background:rgba({red},{green},{blue},{strength:.2f});border-radius:3px;padding:2px 0"
    return f'<span style="{style}" title="{value:+.3g}">{html.escape(text)}</span>'
