"""Tables with a column of tones, in the colours that tones have in the figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from goldviz.labs.policy_documents.figures.table import tone_styles
from goldviz.ui.theme import theme_now

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
