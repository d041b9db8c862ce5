"""What the figures of *Policy documents* share: colours by kind, labels, and the source of the numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from goldviz.arrays.labelled import Run
from goldviz.figures.market import shortened
from goldviz.figures.notes import as_label
from goldviz.figures.theme import Theme
from goldviz.labs.policy_documents.measures import kinds_of

KIND_STYLES = (
    ("#009e73", "circle"),
    ("#c46a9c", "diamond"),
    ("#a0703c", "square"),
    ("#8674c4", "triangle-up"),
    ("#838383", "x"),
)
"""Colour and marker of the kinds of documents in the order of the alphabet; from the fifth on they share one.

None is red or blue: on this page these are the two signs of the tone.
"""

TONE_INKS: dict[Theme, tuple[str, str]] = {"light": ("#b2182b", "#2166ac"), "dark": ("#f4a582", "#92c5de")}
"""Above zero and below, from the two ends of the scale of signed numbers on every page: red for more, blue for less."""

LONGEST_KIND_SHOWN = 18


def style_of_kind(ds: Run, kind: str) -> tuple[str, str]:
    """Colour and marker of a kind."""
    return KIND_STYLES[min(kinds_of(ds).index(kind), len(KIND_STYLES) - 1)]


def kind_label(kind: str) -> str:
    """A kind as a legend shows it, escaped.

    >>> kind_label("<b>Statement of the board</b>")
    '&lt;b&gt;Statement of t…'
    """
    return as_label(shortened(kind, LONGEST_KIND_SHOWN))


def tone_ink(value: float, theme: Theme) -> str:
    """The colour of a tone or of what it gained: red above zero, blue below it; empty at zero and where there is none.

    >>> tone_ink(0.4, "light"), tone_ink(-0.4, "light"), tone_ink(float("nan"), "light")
    ('#b2182b', '#2166ac', '')
    """
    above, below = TONE_INKS[theme]
    return above if value > 0 else below if value < 0 else ""


def titles(ds: Run) -> NDArray[np.str_]:
    """The documents' titles, escaped."""
    return np.array([as_label(str(title)) for title in ds["title"].values])


def in_view(ds: Run, document: int) -> int:
    """The place of document number ``document``, counted from 1; beyond the last it means the last."""
    return min(document, ds.sizes["document"]) - 1


def previous_in_view(ds: Run, document: int) -> int | None:
    """The place of the document of the same kind before the one in view."""
    previous = int(ds["previous"].values[in_view(ds, document)])
    return None if previous < 0 else previous


def moments(ds: Run) -> NDArray[np.str_]:
    """When each document was out, as Plotly reads it; UTC."""
    return ds["released"].values.astype("datetime64[m]").astype(str)


def origin_sentence(ds: Run) -> str:
    """Where the documents come from and what read them; generated ones are always called so.

    >>> import xarray as xr
    >>> origin_sentence(xr.Dataset(attrs={"generated": 1, "origin": "x", "model": "Small"}))
    'Generated documents, read by Small.'
    """
    origin = "Generated documents" if ds.attrs["generated"] else f"Documents: {ds.attrs['origin']}"
    return f"{origin}, read by {ds.attrs['model']}."


def percent_of(share: float) -> str:
    """A share in percent without decimals.

    >>> percent_of(0.384)
    '38 %'
    """
    return f"{100 * share:.0f} %"
