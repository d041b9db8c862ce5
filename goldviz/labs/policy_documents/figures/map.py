"""Documents on their first two principal components."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Run
from goldviz.figures.chart import figure
from goldviz.figures.draft import Figure
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


def _places(ds: Run, document: int, map_kinds: str) -> Places:
    """On axes that all documents share, or on those of the kind in view."""
    if map_kinds == "all":
        x, y = np.pad(ds["coordinate"].values, ((0, 0), (0, 2)))[:, :2].T
        return Places(np.ones(len(x), bool), ds["fitted"].values == 1, x, y, ds["share"].values[:2])
    place, kinds = reading.in_view(ds, document), ds["kind"].values
    x, y = np.nan_to_num(ds["own_coordinate"].values).T
    share = ds["own_share"].values[place]
    return Places(kinds == kinds[place], ds["own_fitted"].values == 1, x, y, share[np.isfinite(share)])


def _map(plot: Plot, document: int, colour: str, map_kinds: str) -> Figure:
    """Each document at its first two components, coloured by date, tone or kind; an arrow ends at the one in view."""
    ds, figure, ink, kinds = plot.ds, plot.figure, plot.ink, plot.ds["kind"].values
    at = _places(ds, document, map_kinds)
    if not len(at.share):
        return plot.instead(ONE_VECTOR)
    if colour == "tone" and not measures.any_tone(ds):
        colour = "kind"
    years = ds["released"].values.astype("datetime64[s]").astype(np.int64) / (365.25 * 86_400)
    shades = {"date": years, "tone": ds["balance"].values}.get(colour)
    said = np.stack([reading.titles(ds), _days(ds), [_signed(tone) for tone in ds["balance"].values]], axis=-1)
    there = [kind for kind in measures.kinds_of(ds) if (at.shown & (kinds == kind)).any()]
    for kind in there:
        own, symbol = reading.style_of_kind(ds, kind)
        for in_fit in (True, False):
            mine = np.flatnonzero(at.shown & (kinds == kind) & (at.fitted == in_fit))
            if not len(mine):
                continue
            coloured = {"color": own} if shades is None else {"color": shades[mine], "coloraxis": "coloraxis"}
            filled = {"symbol": symbol, "line": {"width": 0.8, "color": ink.muted}}
            open_ring = {"symbol": f"{symbol}-open", "line": {"width": 2.2}}
            figure.scatter(
                x=at.x[mine],
                y=at.y[mine],
                mode="markers",
                showlegend=False,
                marker={"size": 9, **coloured, **(filled if in_fit else open_ring)},
                customdata=said[mine],
                hovertemplate="<b>%{customdata[0]}</b><br>released %{customdata[1]}<br>tone %{customdata[2]}<br>"
                "(%{x:.3~g}, %{y:.3~g})<extra></extra>",
            )
        sample = {"symbol": symbol, "size": 9, "color": own if colour == "kind" else ink.muted}
        name = reading.kind_label(kind)
        figure.scatter(x=[None], y=[None], mode="markers", name=name, hoverinfo="skip", marker=sample)
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
        ticks = dict(zip(years[[0, -1]], _days(ds)[[0, -1]], strict=True))
        ends = years[0], max(years[-1], years[0] + 0.01)
        colour_bar(figure, ends, SEQUENTIAL, "Day of release", tickvals=[*ticks], ticktext=[*ticks.values()])
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


def _days(ds: Run) -> NDArray[np.str_]:
    return ds["released"].values.astype("datetime64[D]").astype(str)


def _signed(tone: float) -> str:
    return f"{tone:+.2f}".replace("-", "−") if np.isfinite(tone) else "none"


def _fitted_sentence(ds: Run, at: Places) -> str:
    part = reading.percent_of(measures.share_shown(at.share))
    if at.fitted[at.shown].all():
        return f"Fitted on all documents here; the map shows {part} of their differences."
    until = _days(ds)[at.shown & at.fitted][-1]
    return f"Filled: released until {until}, and fitted; the map shows {part} of their differences. Open: placed later."


def _kinds_sentence(ds: Run, at: Places, there: list[str]) -> str:
    """How much of the first axis is the kind: the part of its variance that is between the kinds' means."""
    if len(there) < 2:
        return f"Of the kind {reading.kind_label(there[0])} alone." if len(measures.kinds_of(ds)) > 1 else ""
    between = measures.share_between(at.x, ds["kind"].values)
    return f"{reading.percent_of(between)} of component 1 is between the kinds." if np.isfinite(between) else ""
