"""Documents on their first two principal components."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
import xarray as xr
from numpy.typing import NDArray

from goldviz.figures import theme as look
from goldviz.figures.elements import worded
from goldviz.figures.maps import SIGNED, colour_bar
from goldviz.figures.policy_documents_reading import (
    in_view,
    kind_label,
    kinds,
    origin_sentence,
    percent_of,
    previous_in_view,
    style_of_kind,
    titles,
)
from goldviz.figures.reading import sentences
from goldviz.figures.theme import INKS, SEQUENTIAL, Theme

TITLE = "Which documents are alike?"


def document_map(ds: xr.Dataset, *, document: int = 1, colour: str = "date", theme: Theme = "light") -> go.Figure:
    """Each document at its first two components, coloured by date, tone or kind; an arrow ends at the one in view."""
    if ds.sizes["component"] == 0:
        return worded(
            "All documents have the same vector, so there is no direction to lay a map along.", title=TITLE, theme=theme
        )
    if colour == "tone" and not np.isfinite(ds["balance"].values).any():
        colour = "kind"
    x = ds["coordinate"].values[:, 0]
    y = ds["coordinate"].values[:, 1] if ds.sizes["component"] > 1 else np.zeros_like(x)
    figure = go.Figure()
    ink = INKS[theme]
    for kind in kinds(ds):
        for fitted in (True, False):
            mine = np.flatnonzero((ds["kind"].values == kind) & (ds["fitted"].values == fitted))
            if len(mine):
                figure.add_trace(_marks(ds, mine, x, y, kind=kind, fitted=fitted, colour=colour, edge=ink.muted))
        shown = style_of_kind(ds, kind)
        figure.add_trace(
            go.Scatter(
                x=[None], y=[None], mode="markers", name=kind_label(kind), hoverinfo="skip",
                marker={"symbol": shown[1], "size": 9, "color": shown[0] if colour == "kind" else ink.muted},
            )
        )  # fmt: skip
    place, previous = in_view(ds, document), previous_in_view(ds, document)
    figure.add_trace(
        go.Scatter(
            x=x[[place]], y=y[[place]], mode="markers", showlegend=False, hoverinfo="skip",
            marker={"symbol": "circle-open", "size": 20, "color": ink.accent, "line": {"width": 2.5}},
        )
    )  # fmt: skip
    if previous is not None:
        figure.add_annotation(
            x=x[place], y=y[place], ax=x[previous], ay=y[previous], axref="x", ayref="y", showarrow=True, arrowhead=2,
            arrowwidth=1.5, arrowcolor=ink.accent, standoff=10, startstandoff=5, text="",
        )  # fmt: skip
    shares = [percent_of(share) for share in ds["share"].values[:2]]
    projected = bool((ds["fitted"].values == 0).any())
    part = percent_of(float(ds["share"].values[:2].sum()))
    until = ds.attrs["last_fitted"]
    notes = [
        f"Filled: released until {until}, and fitted; the axes have {part} of their variance. Open: placed later."
        if projected
        else f"Fitted on all documents; the axes have {part} of their variance.",
        sentences("Gold ring: the document in view.", "" if previous is None else "Arrow: from the one before."),
        origin_sentence(ds),
    ]
    look.apply(figure, theme, title=TITLE, notes=notes, legend=len(kinds(ds)) > 1, hover="closest", height=440)
    figure.update_xaxes(title_text=f"Component 1 ({shares[0]} of the variance)", zeroline=False)
    figure.update_yaxes(title_text=f"Component 2 ({shares[1]})" if len(shares) > 1 else "")
    if colour == "tone":
        colour_bar(figure, (-1, 1), SIGNED, "Tone: P(positive) − P(negative)", tickvals=[-1, 0, 1])
    elif colour == "date":
        first, last = _years(ds).min(), _years(ds).max()
        ticks = [first, last] if last > first else [first]
        labels = [str(ds["released"].values[end].astype("datetime64[D]")) for end in (0, -1)][: len(ticks)]
        colour_bar(
            figure, (first, max(last, first + 0.01)), SEQUENTIAL, "Day of release", tickvals=ticks, ticktext=labels
        )
    return figure


def _marks(
    ds: xr.Dataset, mine: NDArray[np.intp], x: NDArray[Any], y: NDArray[Any], *, kind: str, fitted: bool, colour: str,
    edge: str,
) -> go.Scatter:  # fmt: skip
    """The documents of a kind that were fitted, filled, or were not, open."""
    own, symbol = style_of_kind(ds, kind)
    value = {"date": _years(ds), "tone": ds["balance"].values}.get(colour)
    painted: Any = own if value is None else value[mine]
    open_mark = not fitted
    marker: dict[str, Any] = {
        "symbol": f"{symbol}-open" if open_mark else symbol,
        "size": 9,
        "color": painted,
        "line": {"width": 2.2} if open_mark else {"width": 0.8, "color": edge},
    }
    if value is not None:
        marker["coloraxis"] = "coloraxis"
    said = np.stack(
        [titles(ds)[mine], ds["released"].values[mine].astype("datetime64[D]").astype(str),
         [f"{tone:+.2f}".replace("-", "−") if np.isfinite(tone) else "none" for tone in ds["balance"].values[mine]]],
        axis=-1,
    )  # fmt: skip
    return go.Scatter(
        x=x[mine], y=y[mine], mode="markers", showlegend=False, marker=marker,
        customdata=said,
        hovertemplate="<b>%{customdata[0]}</b><br>released %{customdata[1]}<br>tone %{customdata[2]}<br>"
        "(%{x:.3~g}, %{y:.3~g})<extra></extra>",
    )  # fmt: skip


def _years(ds: xr.Dataset) -> NDArray[np.float64]:
    """The release in years since 1970, for colours."""
    seconds: NDArray[np.float64] = ds["released"].values.astype("datetime64[s]").astype(np.int64) / (365.25 * 86_400)
    return seconds
