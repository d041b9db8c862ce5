"""Documents on their first two principal components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Run
from goldviz.figures.chart import figure
from goldviz.figures.draft import Figure, Node, Scatter
from goldviz.figures.elements import arrow
from goldviz.figures.maps import SIGNED, colour_bar
from goldviz.figures.plot import Plot
from goldviz.figures.reading import sentences
from goldviz.figures.theme import SEQUENTIAL
from goldviz.labs.policy_documents import measures
from goldviz.labs.policy_documents.figures import reading

ONE_VECTOR = "The documents that the axes are fitted on have one vector, so there is no direction to lay a map along."


@dataclass(frozen=True)
class Places:
    """Where documents stand: ``shown`` (document,) are on the map, ``fitted`` (document,) made its axes.

    ``x`` and ``y`` (document,) are the places, ``share`` (axis,) the part of the fitted documents' variance.
    """

    shown: NDArray[np.bool_]
    fitted: NDArray[np.bool_]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    share: NDArray[np.float64]


def _map(plot: Plot, document: int, colour: str, map_kinds: str) -> Figure:
    """Each document at its first two components, coloured by date, tone or kind; an arrow ends at the one in view.

    ``map_kinds`` says whether all documents share their axes, or those of the kind in view stand on their own.
    """
    ds, figure, ink = plot.ds, plot.figure, plot.ink
    at = _all_places(ds) if map_kinds == "all" else _places_of_one_kind(ds, document)
    if not len(at.share):
        return plot.instead(ONE_VECTOR)
    if colour == "tone" and not measures.any_tone(ds):
        colour = "kind"
    there = [kind for kind in reading.kinds(ds) if (at.shown & (ds["kind"].values == kind)).any()]
    for kind in there:
        for in_fit in (True, False):
            mine = np.flatnonzero(at.shown & (ds["kind"].values == kind) & (at.fitted == in_fit))
            if len(mine):
                plot.add(_marks(ds, mine, at, kind=kind, in_fit=in_fit, colour=colour, edge=ink.muted))
        own, symbol = reading.style_of_kind(ds, kind)
        shown = {"symbol": symbol, "size": 9, "color": own if colour == "kind" else ink.muted}
        figure.scatter(
            x=[None], y=[None], mode="markers", name=reading.kind_label(kind), hoverinfo="skip", marker=shown
        )
    place, previous = reading.in_view(ds, document), reading.previous_in_view(ds, document)
    ring = {"symbol": "circle-open", "size": 20, "color": ink.accent, "line": {"width": 2.5}}
    figure.scatter(x=at.x[[place]], y=at.y[[place]], mode="markers", showlegend=False, hoverinfo="skip", marker=ring)
    if previous is not None:
        arrow(figure, (at.x[previous], at.y[previous]), (at.x[place], at.y[place]), ink.accent, width=1.5)
        figure.layout.annotations[-1].update(standoff=10, startstandoff=5)
    figure.update_xaxes(title_text=f"Component 1 ({reading.percent_of(at.share[0])} of the variance)", zeroline=False)
    second = f"Component 2 ({reading.percent_of(at.share[1])})" if len(at.share) > 1 else ""
    figure.update_yaxes(title_text=second)
    plot.finish(
        _fitted_sentence(ds, at),
        _kinds_sentence(ds, at, there),
        sentences("Gold ring: the document in view.", "" if previous is None else "Arrow: from the one before."),
        reading.origin_sentence(ds),
        legend=len(there) > 1,
        hover="closest",
        height=440,
    )
    if colour == "tone":
        colour_bar(figure, (-1, 1), SIGNED, "Tone: P(positive) − P(negative)", tickvals=[-1, 0, 1])
    elif colour == "date":
        years = _years(ds)
        first, last = years.min(), years.max()
        days = [str(ds["released"].values[end].astype("datetime64[D]")) for end in (0, -1)]
        ticks = (
            {"tickvals": [first, last], "ticktext": days}
            if last > first
            else {"tickvals": [first], "ticktext": days[:1]}
        )
        colour_bar(figure, (first, max(last, first + 0.01)), SEQUENTIAL, "Day of release", **ticks)
    return figure


# What colours mean, and which axes there are, hang on what a person chooses; an arrow is no mark.
document_map = figure(
    "map",
    "Which documents are alike?",
    draw=_map,
    shows="Documents on the two directions in which the fitted ones differ most.",
    looks_at={"document": 1, "colour": "date", "map_kinds": "all"},
    position="document",
)


def _all_places(ds: Run) -> Places:
    coordinates = ds["coordinate"].values
    x, y = (coordinates[:, axis] if axis < ds.sizes["component"] else np.zeros(len(coordinates)) for axis in (0, 1))
    return Places(np.ones(len(coordinates), bool), ds["fitted"].values == 1, x, y, ds["share"].values[:2])


def _places_of_one_kind(ds: Run, document: int) -> Places:
    place = reading.in_view(ds, document)
    x, y = np.nan_to_num(ds["own_coordinate"].values).T
    share = ds["own_share"].values[place]
    same_kind = ds["kind"].values == ds["kind"].values[place]
    return Places(same_kind, ds["own_fitted"].values == 1, x, y, share[np.isfinite(share)])


def _fitted_sentence(ds: Run, at: Places) -> str:
    part = reading.percent_of(measures.share_shown(at.share))
    if at.fitted[at.shown].all():
        return f"Fitted on all documents here; the map shows {part} of their differences."
    until = ds["released"].values[at.shown & at.fitted][-1].astype("datetime64[D]")
    return f"Filled: released until {until}, and fitted; the map shows {part} of their differences. Open: placed later."


def _kinds_sentence(ds: Run, at: Places, there: list[str]) -> str:
    """How much of the first axis is the kind: the part of its variance that is between the kinds' means."""
    if len(there) < 2:
        return f"Of the kind {reading.kind_label(there[0])} alone." if len(reading.kinds(ds)) > 1 else ""
    between = measures.share_between(at.x, ds["kind"].values)
    return f"{reading.percent_of(between)} of component 1 is between the kinds." if np.isfinite(between) else ""


def _marks(ds: Run, mine: NDArray[np.intp], at: Places, *, kind: str, in_fit: bool, colour: str, edge: str) -> Node:
    """The documents of a kind that were fitted, filled, or were not, open."""
    own, symbol = reading.style_of_kind(ds, kind)
    value = {"date": _years(ds), "tone": ds["balance"].values}.get(colour)
    colours: Any = own if value is None else value[mine]
    open_mark = not in_fit
    marker: dict[str, Any] = {
        "symbol": f"{symbol}-open" if open_mark else symbol,
        "size": 9,
        "color": colours,
        "line": {"width": 2.2} if open_mark else {"width": 0.8, "color": edge},
    }
    if value is not None:
        marker["coloraxis"] = "coloraxis"
    hover = np.stack(
        [
            reading.titles(ds)[mine],
            ds["released"].values[mine].astype("datetime64[D]").astype(str),
            [f"{tone:+.2f}".replace("-", "−") if np.isfinite(tone) else "none" for tone in ds["balance"].values[mine]],
        ],
        axis=-1,
    )
    return Scatter(
        x=at.x[mine],
        y=at.y[mine],
        mode="markers",
        showlegend=False,
        marker=marker,
        customdata=hover,
        hovertemplate="<b>%{customdata[0]}</b><br>released %{customdata[1]}<br>tone %{customdata[2]}<br>"
        "(%{x:.3~g}, %{y:.3~g})<extra></extra>",
    )


def _years(ds: Run) -> NDArray[np.float64]:
    """The release in years since 1970, for colours."""
    seconds: NDArray[np.float64] = ds["released"].values.astype("datetime64[s]").astype(np.int64) / (365.25 * 86_400)
    return seconds
