"""Tone and change of documents over the time of their release."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures.chart import Panel, axis, figure, lines, panel, rule
from goldviz.figures.frames import AtStep, Words, each
from goldviz.figures.maps import SIGNED
from goldviz.figures.market import in_rows
from goldviz.figures.marks import Dots, Lines, Rule
from goldviz.figures.plot import Plot
from goldviz.labs.policy_documents.figures import reading
from goldviz.labs.policy_documents.measures import any_tone, certainty, kinds_of

TONE = "Tone: red above 0, blue below. Larger: surer"
CHANGE = "Change: 1 − cos with the one before of its kind"
LEAST_DOT, MORE_DOT = 3.0, 9.0
"""Pixels of a dot of which nothing is sure, and what certainty adds."""
OUT = "out %{x|%a %d %b %Y %H:%M} UTC<br>"


def _of_kind(ds: Run, kind: str) -> Run:
    return ds.isel(document=np.flatnonzero(ds["kind"].values == kind))


def _tones(ds: Run, row: int, kind: str) -> Dots:
    """A dot for each document of a kind: its colour is the tone, its size how sure the model is."""
    mine = _of_kind(ds, kind)
    tone, sure = mine["balance"], certainty(mine)
    said = [[f"{one:+.2f}" for one in tone.values], [f"{one:.0%}" for one in sure]]
    shades = {"color": tone.values, "colorscale": SIGNED, "cmin": -1, "cmax": 1}
    edge = {"line": {"color": "#838383", "width": 0.75}}
    return in_rows(
        reading.moments(mine),
        row,
        symbol=reading.style_of_kind(ds, kind)[1],
        marker={"size": LEAST_DOT + MORE_DOT * np.nan_to_num(sure), **shades, **edge},
        hover=f"<b>%{{customdata[0]}}</b><br>{OUT}tone %{{customdata[1]}}, %{{customdata[2]}} sure<extra></extra>",
        more={"customdata": np.stack([reading.titles(mine), *map(np.array, said)], 1), "showlegend": False},
    )


def _changes(ds: Run, kind: str) -> Lines:
    mine, (colour, symbol) = _of_kind(ds, kind), reading.style_of_kind(ds, kind)
    return lines(
        lambda plot: mine["change"],
        x=lambda plot: mine["change"].copy(data=reading.moments(mine)),
        name=reading.kind_label(kind),
        colour=colour,
        symbol=symbol,
        mode="lines+markers",
        width=1.5,
        hover=f"<b>%{{customdata}}</b><br>{OUT}%{{y:.3~g}}<extra></extra>",
        more={"customdata": reading.titles(mine)},
    )


def _panels(plot: Plot, document: int | AtStep) -> Sequence[Panel | Rule]:
    """A row of tones for each kind, where there are any; changes; and a gold line at the document in view."""
    ds, kinds, when = plot.ds, kinds_of(plot.ds), reading.moments(plot.ds)
    names = {"tickvals": [*range(len(kinds))], "ticktext": [reading.kind_label(kind) for kind in kinds]}
    rows = axis(scale="free", told=lambda plot: {"range": [len(kinds) - 0.4, -0.6], "showgrid": False, **names})
    tones = panel(*(_tones(ds, row, kind) for row, kind in enumerate(kinds)), heading=TONE, y=rows)
    changes = panel(*(_changes(ds, kind) for kind in kinds), heading=CHANGE, y=axis(scale="free", rangemode="tozero"))
    out = each(document, lambda number: when[reading.in_view(ds, number)])
    return [
        *([tones] if any_tone(ds) else []),
        changes,
        rule(x=out, colour="background", dash="solid", width=5, more={"opacity": 0.7}),
        rule(x=out, colour="accent", dash="solid", width=2),
    ]


def _whose(plot: Plot, document: int | AtStep) -> Words:
    titles, origin = plot.ds["title"].values, reading.origin_sentence(plot.ds)
    said: Words = each(document, lambda number: f"Gold line: {titles[reading.in_view(plot.ds, number)]}. {origin}")
    return said


timeline = figure(
    "timeline",
    "What did they say, and when was it out?",
    _panels,
    shows="Each document's tone at its release, and its distance from the one before of its kind.",
    cannot_show="Whether the tone is right.",
    x=axis(scale="free", type="date", nticks=6, showgrid=False, tickangle=0),
    notes=(lambda plot, document: "" if any_tone(plot.ds) else "This model has no classifier of tone.",),
    lead=_whose,
    height=lambda plot: 520 if any_tone(plot.ds) else 390,
    hover="closest",
    layout=lambda plot: {"showlegend": len(kinds_of(plot.ds)) > 1},
    looks_at={"document": 1},
    position="document",
    at_once=True,
)
