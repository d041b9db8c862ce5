"""The dialog in which a visitor chooses a market: simulated, from Yahoo Finance, from a file, or kept here before."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import streamlit as st

from goldviz.data.markets.downloads import download
from goldviz.data.markets.kept_markets import keep, kept
from goldviz.data.markets.market import Market, MarketError
from goldviz.data.markets.symbols import SYMBOLS
from goldviz.ui import keys, visitors_data
from goldviz.ui.markets import upload as market_upload
from goldviz.ui.words import plain

Use = Callable[[str, int], None]
"""Takes a market's name and the seed of the simulated one."""

FIRST_CHOICE = ("GC=F", "SI=F", "EURUSD=X", "^GSPC", "^TNX", "^VIX")
EARLIEST = 1990


@st.dialog("Choose the data", width="large")
def ask(use: Use, current_market: Market | None) -> None:
    """Show the sources; ``use`` is told what was chosen, and the page drawn again.

    ``held`` is the market that the visitor uses now, if it is not simulated.
    """
    simulation, yahoo, file, here = st.tabs(["Simulated", "Yahoo Finance", "A file", "Kept on this server"])
    with simulation:
        _simulated(use)
    with yahoo:
        _yahoo(use)
    with file:
        market = market_upload.show(current_market)
        if market is not None:
            _take(use, market)
    with here:
        _kept(use)


def _simulated(use: Use) -> None:
    st.markdown(
        "A market that goldviz makes up: regimes, changing volatility, jumps, holidays, channels with calendars of "
        "their own. It needs no network, and whatever is found in it holds for it alone."
    )
    seed = st.number_input("Seed of the simulation", 0, 999, value=0, key="market-seed")
    if st.button("Use the simulated market", type="primary", key="use-simulated"):
        use("simulated", int(seed))
        st.rerun()


def _yahoo(use: Use) -> None:
    st.caption(
        "Yahoo Finance's data are for personal use, says Yahoo; goldviz is not affiliated with it. Any of its symbols "
        "can be typed in. The first is the one that is forecast."
    )
    symbols = st.multiselect(
        "Symbols",
        list(SYMBOLS),
        default=list(FIRST_CHOICE),
        format_func=lambda symbol: f"{symbol}: {SYMBOLS[symbol].words}" if symbol in SYMBOLS else symbol,
        accept_new_options=True,
        max_selections=12,
        key="market-symbols",
    )
    year = st.number_input("From the year", EARLIEST, 2100, value=2004, key="market-from")
    for symbol in symbols:
        if symbol in SYMBOLS and SYMBOLS[symbol].caution:
            st.caption(f"{plain(symbol)}: {SYMBOLS[symbol].caution}")
    if not st.button("Download", type="primary", key="download", disabled=not symbols):
        return
    st.button("Cancel", key="cancel-download", help="Stops after the symbol that is being fetched.")
    bar = st.progress(0.0, "Asking Yahoo Finance")

    def show_progress(done: int, total: int, symbol: str) -> None:
        bar.progress(done / total, f"{done} of {total} fetched: now {plain(symbol)}" if done < total else "All fetched")

    try:
        market = download(symbols, start=date(int(year), 1, 1), progress=show_progress)
    except MarketError as error:
        st.error(plain(str(error)), icon=":material/cloud_off:")
        return
    bar.empty()
    _take(use, market)


def _kept(use: Use) -> None:
    """Downloads of everybody, and what the visitor has brought by file or by link."""
    ours = keys.ours()
    try:
        markets = [market for market in kept() if market.public or market.name in ours]
    except MarketError as error:
        st.error(plain(str(error)))
        return
    if not markets:
        st.caption("Nothing yet. Downloads, and files that you bring, are kept here.")
        return
    labels = {
        market.name: f"{market.origin}: {market.target_words}, {market.first:%Y}-{market.last:%Y-%m-%d}, "
        f"fetched {market.retrieved:%Y-%m-%d %H:%M} UTC"
        for market in markets
    }
    in_use, _ = visitors_data.market()
    place = list(labels).index(in_use) if in_use in labels else 0
    choice = st.radio(
        "Kept data", list(labels), index=place, format_func=lambda name: plain(labels[name]), key="kept-market"
    )
    if st.button("Use these data", type="primary", key="use-kept") and choice:
        use(choice, 0)
        st.rerun()


def _take(use: Use, market: Market) -> None:
    """Keep a market and use it; what should be known about it stands on the page from then on."""
    try:
        name = keep(market)
    except MarketError as error:
        st.error(plain(str(error)))
        return
    use(name, 0)
    st.rerun()
