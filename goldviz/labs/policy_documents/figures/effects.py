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


@drawn(
    "Which change moved the document?",
    needs=("balance", "distance"),
    shows="What each changed passage did to tone and vector. Red: more positive.",
)
def effects(ds: Run, *, numbers: list[int], words: list[str], theme: Theme = "light") -> Figure:
    """For each changed passage what it alone did: to the tone, and to the vector.

    ``numbers`` are what the passages are called in the text, ``words`` what stands there, in the order of ``ds``.
    """
    if ds.sizes["passage"] == 0:
        return worded("No words changed, so there is nothing to put back.", title=TITLE, theme=theme)
    has_tone = bool(np.isfinite(ds["balance"].values).any())
    columns = 2 if has_tone else 1
    figure = make_subplots(rows=1, cols=columns, shared_yaxes=True, horizontal_spacing=0.08)
    labels = [str(number) for number in numbers]
    change_labels = [as_label(text) for text in words]
    distance, balance = ds["distance"].values, ds["balance"].values
    bars: dict[str, Any] = {"y": labels, "orientation": "h", "customdata": change_labels, "showlegend": False, "row": 1}
    if has_tone:
        figure.bar(
            x=balance,
            marker={"color": [tone_ink(value, theme) or INKS[theme].muted for value in balance]},
            hovertemplate="<b>Change %{y}</b><br>%{customdata}<br>tone %{x:+.3~g}<extra></extra>",
            **bars,
        )
    figure.bar(
        x=distance,
        marker={"color": MOVED},
        hovertemplate="<b>Change %{y}</b><br>%{customdata}<br>1 − cos = %{x:.3~g}<extra></extra>",
        col=columns,
        **bars,
    )
    whole = ds.attrs["whole_distance"]
    tone_words = f"; tone {ds.attrs['whole_balance']:+.2f}" if has_tone else ""
    notes = [
        f"All changes together: 1 − cos = {whole:.3g}{tone_words}.".replace("-", "−"),
        "Red: the change made the tone more positive. Blue: more negative." if has_tone else "",
        "Each bar: this passage alone put back, all others left. They do not add up.",
    ]
    look.apply(figure, theme, title=TITLE, notes=notes, legend=False, hover="closest", height=170 + 24 * len(labels))
    figure.update_yaxes(type="category", autorange="reversed", showgrid=False)
    figure.update_yaxes(title_text="Change", row=1, col=1)
    if has_tone:
        figure.update_xaxes(title_text="Raised the tone by", nticks=4, tickangle=0, row=1, col=1)
        figure.add_vline(x=0, line={"color": INKS[theme].muted, "width": 1}, row=1, col=1)
    figure.update_xaxes(
        title_text="Moved the vector, 1 − cos", nticks=4, tickangle=0, rangemode="tozero", row=1, col=columns
    )
    return figure.update_layout(margin_b=56)
