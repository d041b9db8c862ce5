"""Tone and change of documents over the time of their release."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures import theme as look
from goldviz.figures.draft import Figure
from goldviz.figures.elements import legend_above_headings, panels
from goldviz.figures.frames import AtStep, each
from goldviz.figures.maps import cursor
from goldviz.figures.spec import drawn
from goldviz.figures.theme import INKS, Theme
from goldviz.labs.policy_documents.figures import reading

TONE, CHANGE = "Tone: P(positive) − P(negative)", "Change: 1 − cos with the one before of its kind"


@drawn(
    "What did they say, and when was it out?",
    at="document",
    at_once=True,
    shows="The tone of each document at the moment of its release, and its distance from the one before of its kind.",
    cannot_show="How sure the tone is: it is one model's reading, and a long text's is a mean over its chunks.",
)
def timeline(ds: Run, *, document: int | AtStep = 1, theme: Theme = "light") -> Figure:
    """Each document at the moment at which it was out: its tone, and how far it is from the one before of its kind."""
    has_tone = bool(np.isfinite(ds["balance"].values).any())
    rows = [(TONE, "balance")] if has_tone else []
    rows.append((CHANGE, "change"))
    figure = panels([words for words, _ in rows], theme)
    when, heading = reading.moments(ds), reading.titles(ds)
    for row, (_, name) in enumerate(rows, start=1):
        for kind in reading.kinds(ds):
            mine = np.flatnonzero(ds["kind"].values == kind)
            (colour, symbol), label = reading.style_of_kind(ds, kind), reading.kind_label(kind)
            figure.scatter(
                x=when[mine],
                y=ds[name].values[mine],
                name=label,
                legendgroup=label,
                showlegend=row == 1,
                mode="lines+markers",
                line={"color": colour, "width": 1.5},
                marker={"color": colour, "symbol": symbol, "size": 7},
                customdata=heading[mine],
                hovertemplate="<b>%{customdata}</b><br>out %{x|%a %d %b %Y %H:%M} UTC<br>%{y:.3~g}<extra></extra>",
                row=row,
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
        figure.update_yaxes(range=[-1.08, 1.08], tickvals=[-1, 0, 1], row=1, col=1)
        figure.add_hline(y=0, line={"color": INKS[theme].muted, "width": 1}, row=1, col=1)
    return figure.update_yaxes(rangemode="tozero", row=len(rows), col=1)
