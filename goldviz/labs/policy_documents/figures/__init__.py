"""The figures of *Policy documents*: tone and change over time, the map, and what each change did."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.figures.chart import bound
from goldviz.figures.thumbnail import Curve, polyline_svg
from goldviz.labs.policy_documents.figures.effects import effects
from goldviz.labs.policy_documents.figures.map import document_map
from goldviz.labs.policy_documents.figures.reading import style_of_kind
from goldviz.labs.policy_documents.figures.timeline import timeline
from goldviz.labs.policy_documents.measures import kinds_of
from goldviz.labs.policy_documents.settings import PolicyDocuments

FIGURES = bound(PolicyDocuments, timeline, document_map, effects)


def picture(ds: Run) -> str:
    """The home page's picture: the tone of each kind in the last three years."""
    curves = []
    for kind in kinds_of(ds):
        mine = np.flatnonzero(ds["kind"].values == kind)[-24:]
        curves.append(Curve(kind, ds["balance"].values[mine], style_of_kind(ds, kind)[0], "solid"))
    return polyline_svg(
        curves,
        label="The tone of statements and minutes in the last three years, eight meetings a year.",
        axes=("meeting", "tone"),
    )
