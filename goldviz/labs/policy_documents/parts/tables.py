"""Tables of *Policy documents*: the nearest documents, and all of them, with tones in the figures' colours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from goldviz.arrays.labelled import Run
from goldviz.figures.theme import Theme
from goldviz.labs.policy_documents.figures.reading import in_view, tone_ink
from goldviz.ui.theme import theme_now


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


TONE = "Tone"
TONE_MEANS = (
    "Positive and negative are meant for the economy or the market in the text, as the model was taught. They mean "
    "no judgement of hawkish or dovish, or of good or bad for gold."
)


def show_tones(table: pd.DataFrame, columns: Mapping[str, Any]) -> None:
    """Draw a table whose column *Tone* is red above zero and blue below.

    ``columns`` configures Streamlit's columns; those of decimals need a format, for without one a styled table shows
    six places.
    """
    table_in_colour = table.style.apply(tone_styles, theme=theme_now(), subset=[TONE])
    st.dataframe(table_in_colour, hide_index=True, column_config=dict(columns))
