"""Tables of *Policy documents*: the nearest documents, and all of them."""

from __future__ import annotations

import pandas as pd

from goldviz.arrays.labelled import Run
from goldviz.figures.theme import Theme
from goldviz.labs.policy_documents.figures.reading import in_view, tone_ink


def nearest_table(ds: Run, document: int) -> pd.DataFrame:
    """The documents nearest to the one in view, the nearest first; text is not escaped."""
    place = in_view(ds, document)
    others = ds["nearest"].values[place].astype(int)
    return pd.DataFrame(
        {
            "Document": ds["title"].values[others],
            "Cosine": ds["cosine"].values[place],
            "Tone": ds["balance"].values[others],
            "Released": pd.DatetimeIndex(ds["released"].values[others]).strftime("%Y-%m-%d"),
            "Known by then": ["yes" if other < place else "no, it is later" for other in others],
        }
    )


def tone_styles(values: pd.Series, theme: Theme) -> list[str]:
    """CSS for a column of tones: red above zero and blue below, as in the figures."""
    inks = [tone_ink(value, theme) for value in values]
    return [f"color: {ink}" if ink else "" for ink in inks]


def documents_table(ds: Run) -> pd.DataFrame:
    """Every document in the order of release; text is not escaped."""
    return pd.DataFrame(
        {
            "Document": ds["title"].values,
            "Out (UTC)": pd.DatetimeIndex(ds["released"].values).strftime("%Y-%m-%d %H:%M"),
            "Words": ds["words"].values.astype(int),
            "Pieces": ds["pieces"].values.astype(int),
            "Chunks": ds["chunks"].values.astype(int),
            "Tone": ds["balance"].values,
            "Change": ds["change"].values,
        }
    )
