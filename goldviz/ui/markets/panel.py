"""Which market a page uses: one line that says where the numbers come from, and a way to change it.

A visitor has one market for all pages. Settings that are declared with ``control="market"`` hold its name.
"""

from __future__ import annotations

import streamlit as st

from goldviz.data.markets.kept_markets import load_market
from goldviz.data.markets.market import Market, MarketError
from goldviz.data.markets.text_channels import is_text_channel
from goldviz.declare.settings import Settings, SettingsError
from goldviz.plurals import how_many
from goldviz.ui import visitors_data
from goldviz.ui.markets import dialog as market_dialog
from goldviz.ui.panels import controls
from goldviz.ui.words import plain

ADVICE = "A laboratory, not investment advice."


def show(settings_class: type[Settings]) -> None:
    """The line of the market that these settings use, where they use one, with a button to change it."""
    if not is_used(settings_class):
        return
    line, notes = _words()
    with st.container(border=True, key="market"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(line, width="stretch")
            st.button("Change data", icon=":material/database:", key=f"market-{settings_class.name}", on_click=_ask)
        if notes:
            st.caption(" · ".join(notes))
    if st.session_state.pop(_ASKED, False):
        market_dialog.ask(visitors_data.bring_market, _held())


_ASKED = "market-asked"


def _ask() -> None:
    st.session_state[_ASKED] = True


def _held() -> Market | None:
    """The visitor's market where it is not simulated; None where it cannot be had either."""
    try:
        market = current()
    except MarketError:
        return None
    return None if market.simulated else market


def current() -> Market:
    """The visitor's market; raises :class:`goldviz.data.markets.market.MarketError` where it cannot be had."""
    return load_market(*visitors_data.market())


def is_used(settings_class: type[Settings]) -> bool:
    """Whether these settings, as the page has them, look at the visitor's market."""
    name = visitors_data.setting_of(settings_class, visitors_data.MARKET)
    if name is None:
        return False
    try:
        return name not in controls.current(settings_class).without_effect()
    except SettingsError:
        return True


def _words() -> tuple[str, list[str]]:
    """The market's line, and what else should be known about it."""
    try:
        market = current()
    except MarketError as error:
        return f":material/error: {plain(str(error))} {ADVICE}", []
    # The simulated market's line says all that matters of its own channels; Yahoo's refusals, a file's oddities, and
    # when documents were known have to be read.
    words = {channel.name: channel.words for channel in market.channels}
    notes = [
        plain(_named(words.get(channel, channel), sentence))
        for channel, sentence in market.notes.items()
        if not market.simulated or is_text_channel(channel)
    ]
    return described(market), notes


def _named(name: str, sentence: str) -> str:
    return sentence if sentence.startswith(name) or not name else f"{name}: {sentence}"


def described(market: Market) -> str:
    """A market in a line of Markdown: its kind, its channels, its last observation and when it was fetched.

    Text that came with the data is escaped.
    """
    icon = ":material/casino:" if market.simulated else ":material/show_chart:"
    others = len(market.channels) - 1
    more = f" and {how_many(others, 'more channel')}" if others else ""
    age = "" if market.simulated else f", kept since {market.retrieved:%Y-%m-%d %H:%M} UTC"
    return (
        f"{icon} **{plain(market.origin)}**: {plain(market.target.words)}{more}, last observation "
        f"{market.last:%Y-%m-%d}{age}. {ADVICE}"
    )
