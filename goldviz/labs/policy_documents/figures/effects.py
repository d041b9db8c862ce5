"""What each changed passage does to a document's vector and tone."""

from __future__ import annotations

from typing import Any

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure, make_subplots
from goldviz.figures.elements import worded
from goldviz.figures.notes import as_label
from goldviz.figures.spec import drawn
from goldviz.figures.theme import INKS, Theme
from goldviz.labs.policy_documents.figures.reading import tone_ink

MOVED = "#7d8f24"
TITLE = "Which change moved the document?"


# The numbers and the words of the passages come from the page, beside the dataset.
@drawn(
    TITLE,
    needs=("balance", "distance"),
    shows="What each changed passage did to tone and vector. Red: more positive.",
)
def effects(ds: Run, *, numbers: list[int], words: list[str], theme: Theme = "light") -> Figure:
    """For each changed passage what it alone did: to the tone, and to the vector.

    ``numbers`` are what the passages are called in the text, ``words`` what stands there, in the order of ``ds``.
    """
    if ds.sizes["passage"] == 0:
        return worded("No words changed, so there is nothing to put back.", title=TITLE, theme=theme)
    muted, tones, whole = INKS[theme].muted, ds["balance"].values, f"1 − cos = {ds.attrs['whole_distance']:.3g}"
    has_tone = bool(np.isfinite(tones).any())
    columns = 2 if has_tone else 1
    figure = make_subplots(rows=1, cols=columns, shared_yaxes=True, horizontal_spacing=0.08)

    def panel(column: int, values: Any, colour: Any, said: str, **axis: Any) -> None:
        figure.bar(
            x=values,
            y=[str(number) for number in numbers],
            orientation="h",
            marker={"color": colour},
            customdata=[as_label(text) for text in words],
            hovertemplate=f"<b>Change %{{y}}</b><br>%{{customdata}}<br>{said}<extra></extra>",
            showlegend=False,
            row=1,
            col=column,
        )
        figure.update_xaxes(**axis, nticks=4, tickangle=0, row=1, col=column)

    if has_tone:
        whole += f"; tone {ds.attrs['whole_balance']:+.2f}"
        inks = [tone_ink(value, theme) or muted for value in tones]
        panel(1, tones, inks, "tone %{x:+.3~g}", title_text="Raised the tone by")
        figure.add_vline(x=0, line={"color": muted, "width": 1}, row=1, col=1)
    moved = {"title_text": "Moved the vector, 1 − cos", "rangemode": "tozero"}
    panel(columns, ds["distance"].values, MOVED, "1 − cos = %{x:.3~g}", **moved)
    notes = [
        f"All changes together: {whole}.".replace("-", "−"),
        "Red: the change made the tone more positive. Blue: more negative." if has_tone else "",
        "Each bar: this passage alone put back, all others left. They do not add up.",
    ]
    look.apply(figure, theme, title=TITLE, notes=notes, legend=False, hover="closest", height=170 + 24 * len(numbers))
    figure.update_yaxes(type="category", autorange="reversed", showgrid=False)
    figure.update_yaxes(title_text="Change", row=1, col=1)
    return figure.update_layout(margin_b=56)
