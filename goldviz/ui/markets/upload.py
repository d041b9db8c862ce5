"""A visitor's own file as a market: what was read in it, and the choices that only the visitor can make."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from goldviz.data.markets.files import LARGEST_FILE, Choices, TablePreview, look_into, market_from_file
from goldviz.data.markets.market import Market, MarketError, Transformation
from goldviz.ui.words import plain

MOST_OTHERS = 12
ORDERS = {True: "day first, as in 31/12/2024", False: "month first, as in 12/31/2024"}
TRANSFORMATIONS: dict[Transformation, str] = {
    "log_return": "log returns (prices above zero)",
    "difference": "differences (yields, spreads)",
    "level": "the values themselves",
}


def show() -> Market | None:
    """The uploader, a look into the file and its choices; the market once *Use these data* was pressed."""
    st.caption(
        f"CSV, Excel (.xlsx) or Parquet, at most {LARGEST_FILE // 10**6} MB: one column of dates, and prices "
        "or other numbers. The file stays on this server; only you, and those to whom you give a link, can choose it."
    )
    file = st.file_uploader("File", key="market-file")
    if file is None:
        return None
    content = file.getvalue()
    try:
        found = look_into(content, file.name)
    except MarketError as error:
        st.error(plain(str(error)), icon=":material/block:")
        return None
    _say(found)
    choices = _choices(found)
    if choices is None or not st.button("Use these data", type="primary", key="use-file"):
        return None
    try:
        return market_from_file(content, file.name, choices, retrieved=pd.Timestamp.now(tz="UTC"))
    except MarketError as error:
        st.error(plain(str(error)), icon=":material/block:")
        return None


def _say(found: TablePreview) -> None:
    marks = f", separated by {_mark(found.separator)}, decimals with {_mark(found.decimal)}" if found.separator else ""
    st.markdown(f"**{found.rows:,} rows**{marks}; dates in *{plain(found.date_column)}*. The first rows:")
    st.dataframe(pd.DataFrame(list(found.head), columns=list(found.columns)), hide_index=True)
    for note in found.notes:
        st.caption(f":material/info: {plain(note)}")


def _mark(character: str) -> str:
    return {"\t": "tabs", ";": "semicolons", ",": "commas", "|": "bars", ".": "points", " ": "blanks"}[character]


def _choices(found: TablePreview) -> Choices | None:
    """The visitor's choices; None while one is missing."""
    day_first = None
    if found.date_order == "either":
        day_first = st.radio(
            "The dates can be read in two ways",
            list(ORDERS),
            format_func=lambda first: f"{ORDERS[first]}: {', '.join(found.readings['day' if first else 'month'][:3])}",
            index=None,
            key="market-dates",
        )
    target = st.selectbox("Forecast", found.values, index=found.values.index(found.target), key="market-target")
    left = [name for name in found.values if name != target]
    others = st.multiselect(
        "Other channels", left, default=left[:MOST_OTHERS], key=f"market-others-{target}", max_selections=MOST_OTHERS
    )
    with st.expander("What the network sees of each channel"):
        st.caption("Left open, prices above zero become log returns and everything else differences.")
        chosen = {
            name: st.selectbox(
                name,
                list(TRANSFORMATIONS),
                index=None,
                placeholder="as the values suggest",
                format_func=TRANSFORMATIONS.__getitem__,
                key=f"market-transformation-{number}",
            )
            for number, name in enumerate([target, *others])
        }
    if found.date_order == "either" and day_first is None:
        st.info("Choose how the dates are to be read.")
        return None
    return Choices(
        values=(target, *others),
        day_first=day_first,
        transformations={name: kind for name, kind in chosen.items() if kind is not None},
    )
