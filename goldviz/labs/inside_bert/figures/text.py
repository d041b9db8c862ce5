"""What Plotly does not draw of a text: its pieces on colours, the chances of its classes, and its numbers in tables.

The HTML holds nothing but spans and escaped text; tables are not escaped.
"""

from __future__ import annotations

import html

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from goldviz.arrays.labelled import Run
from goldviz.figures.theme import INKS, Theme
from goldviz.labs.inside_bert.figures.evidence import FIRST, LONGEST_LABEL

RAISES, LOWERS = (213, 94, 0), (14, 122, 192)
"""Red for more and blue for less, of Okabe and Ito's palette, as bars and maps have them."""
LENGTHS = {
    "token": "‖e tok‖",
    "segment": "‖e seg‖",
    "position": "‖e pos‖",
    "sum": "‖sum‖",
    "normalised": "‖after LayerNorm‖",
}
"""Columns of pieces, by the embedding whose length they have."""
STEPS = {
    "product": "q·k",
    "score": "q·k / √d_k",
    "weight": "softmax a",
    "value_norm": "‖v‖",
    "weighted_norm": "‖a v‖",
}
"""Columns of a head's keys, by the variable that they have."""


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
        first = max(start, at)
        if stop > first:
            parts += [html.escape(text[at:first]), _span(text[first:stop], value, value / most)]
            at = stop
    parts.append(html.escape(text[at:]))
    style = f"white-space:pre-wrap;overflow-wrap:anywhere;line-height:1.9;color:{INKS[theme].text}"
    return f'<div style="{style}" dir="auto" translate="no">{"".join(parts)}</div>'


def _span(text: str, value: float, share: float) -> str:
    red, green, blue = RAISES if share > 0 else LOWERS
    style = f"background:rgba({red},{green},{blue},{0.75 * abs(share):.2f});border-radius:3px;padding:2px 0"
    return f'<span style="{style}" title="{value:+.3g}">{html.escape(text)}</span>'


def chances_in_bars(ds: Run) -> str:
    """The probability of every class: a row each, of its name, a bar, and its share."""
    chances = ds["probability"].values
    *_, likeliest = sorted(chances)
    rows = [
        f"<span>{html.escape(str(name)[:LONGEST_LABEL])}</span>"
        f'<span style="background:{FIRST};opacity:{1 if chance == likeliest else 0.65};width:{chance:.1%};'
        f'height:1rem"></span><span style="text-align:right">{chance:.1%}</span>'
        for name, chance in zip(ds["label"].values, chances, strict=True)
    ]
    style = "display:grid;grid-template-columns:auto 1fr auto;align-items:center;gap:0.35rem 0.6rem;font-size:0.875rem"
    return f'<div style="{style}" translate="no">{"".join(rows)}</div>'


def pieces_table(ds: Run, text: str) -> pd.DataFrame:
    """One row a piece: its place, its characters, its word, and the lengths of its embeddings."""
    spans = list(zip(ds["start"].values, ds["stop"].values, strict=True))
    words = [int(word) + 1 if word >= 0 else None for word in ds["word"].values]
    return pd.DataFrame(
        {
            "j": ds["piece"].values,
            "Piece": list(map(str, ds["token"].values)),
            "In the text": [text[start:stop] for start, stop in spans],
            "Word": pd.array(words, dtype="Int64"),
            "Characters": ["" if start == stop else f"{start + 1}–{stop}" for start, stop in spans],
            **{heading: ds["embedding_norm"].sel(part=part).values for part, heading in LENGTHS.items()},
        }
    )


def steps_table(ds: Run) -> pd.DataFrame:
    """The numbers of a head's steps for one query, the largest weight first."""
    rows = ds.isel(piece=np.argsort(ds["weight"].values, kind="stable")[::-1])
    pieces = {"j": rows["piece"].values, "Key piece": list(map(str, rows["token"].values))}
    return pd.DataFrame(pieces | {heading: rows[name].values for name, heading in STEPS.items()})
