"""The figures of *Policy documents*: tone and change over time, the map, and what each change did."""

from __future__ import annotations

import numpy as np
import xarray as xr

from goldviz.figures.spec import FigureSpec
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.policy_documents.figures.effects import effects
from goldviz.labs.policy_documents.figures.map import document_map
from goldviz.labs.policy_documents.figures.reading import kinds, style_of_kind
from goldviz.labs.policy_documents.figures.timeline import timeline

FIGURES: dict[str, FigureSpec] = {
    "timeline": FigureSpec(
        timeline,
        "What did they say, and when was it out?",
        "The tone of each document at the moment of its release, and its distance from the one before of its kind.",
        "How sure the tone is: it is one model's reading, and a long text's is a mean over its chunks.",
    ),
    "map": FigureSpec(
        document_map,
        "Which documents are alike?",
        "Documents on the two directions in which the fitted ones differ most, of one kind or of all.",
        "The other directions: two documents that stand together here may be far apart there.",
    ),
    "effects": FigureSpec(
        effects,
        "Which change moved the document?",
        "What each changed passage did to tone and vector, with all other changes in place. Red: more positive.",
        "How changes work together, and whether a reader would have felt the same.",
    ),
}


def picture(ds: xr.Dataset) -> str:
    """The home page's picture: the tone of each kind over time."""
    curves = []
    for kind in kinds(ds):
        mine = np.flatnonzero(ds["kind"].values == kind)
        curves.append(Curve(kind, ds["balance"].values[mine], style_of_kind(ds, kind)[0], "solid"))
    return polyline_svg(curves, label="The tone of statements and minutes over three years.")
