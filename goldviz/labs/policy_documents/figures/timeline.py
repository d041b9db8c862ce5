"""Tone and change of documents over the time of their release."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Run
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure
from goldviz.figures.elements import legend_above_headings, panels
from goldviz.figures.frames import AtStep, each
from goldviz.figures.maps import SIGNED, cursor
from goldviz.figures.spec import drawn
from goldviz.figures.theme import Theme
from goldviz.labs.policy_documents.figures import reading
from goldviz.labs.policy_documents.measures import certainty

TONE = "Tone: red above 0, blue below. Larger: surer"
CHANGE = "Change: 1 − cos with the one before of its kind"
LEAST_DOT, MORE_DOT = 3.0, 9.0
"""Pixels of a dot of which nothing is sure, and what certainty adds."""


@drawn(
    "What did they say, and when was it out?",
    at="document",
    at_once=True,
    shows="Each document's tone at its release, and its distance from the one before of its kind.",
    cannot_show="Whether the tone is right.",
)
def timeline(ds: Run, *, document: int | AtStep = 1, theme: Theme = "light") -> Figure:
    """Each document at the moment at which it was out: its tone, and how far it is from the one before of its kind."""
    has_tone = bool(np.isfinite(ds["balance"].values).any())
    rows = [TONE, CHANGE] if has_tone else [CHANGE]
    figure = panels(rows, theme)
    when, heading = reading.moments(ds), reading.titles(ds)
    for place_of_kind, kind in enumerate(reading.kinds(ds)):
        mine = np.flatnonzero(ds["kind"].values == kind)
        (colour, symbol), label = reading.style_of_kind(ds, kind), reading.kind_label(kind)
        if has_tone:
            _strip(figure, ds, mine, place_of_kind, symbol)
        figure.scatter(
            x=when[mine],
            y=ds["change"].values[mine],
            name=label,
            mode="lines+markers",
            line={"color": colour, "width": 1.5},
            marker={"color": colour, "symbol": symbol, "size": 7},
            customdata=heading[mine],
            hovertemplate="<b>%{customdata}</b><br>out %{x|%a %d %b %Y %H:%M} UTC<br>%{y:.3~g}<extra></extra>",
            row=len(rows),
        )
    place = each(document, lambda number: reading.in_view(ds, number))
    cursor(figure, each(place, lambda at: when[at]), theme)
    notes = [
        "" if has_tone else "This model has no classifier of tone.",
        each(place, lambda at: f"Gold line: {ds['title'].values[at]}. {reading.origin_sentence(ds)}"),
    ]
    many = len(reading.kinds(ds)) > 1
    look.apply(
        figure,
        theme,
        title="What did they say, and when was it out?",
        notes=notes,
        legend=many,
        hover="closest",
        height=260 + 130 * len(rows),
    )
    if many:
        legend_above_headings(figure)
    figure.update_xaxes(type="date", nticks=6, showgrid=False, tickangle=0)
    if has_tone:
        names = [reading.kind_label(kind) for kind in reading.kinds(ds)]
        places, ends = list(range(len(names))), [len(names) - 0.4, -0.6]
        figure.update_yaxes(range=ends, tickvals=places, ticktext=names, showgrid=False, row=1, col=1)
    return figure.update_yaxes(rangemode="tozero", row=len(rows), col=1)


def _strip(figure: Figure, ds: Run, mine: NDArray[np.intp], height: int, symbol: str) -> None:
    """A dot for each document of a kind: its colour is the tone, its size how sure the model is."""
    tone, sure = ds["balance"].values[mine], certainty(ds)[mine]
    figure.scatter(
        x=reading.moments(ds)[mine],
        y=np.full(len(mine), float(height)),
        mode="markers",
        showlegend=False,
        customdata=np.stack(
            [reading.titles(ds)[mine], [f"{one:+.2f}" for one in tone], [f"{one:.0%}" for one in sure]], 1
        ),
        marker={
            "symbol": symbol,
            "size": LEAST_DOT + MORE_DOT * np.nan_to_num(sure),
            "color": tone,
            "colorscale": SIGNED,
            "cmin": -1,
            "cmax": 1,
            "line": {"color": "#838383", "width": 0.75},
        },
        hovertemplate="<b>%{customdata[0]}</b><br>out %{x|%a %d %b %Y %H:%M} UTC<br>tone %{customdata[1]}, "
        "%{customdata[2]} sure<extra></extra>",
        row=1,
    )
