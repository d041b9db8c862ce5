"""Documents as channels of the visitor's market, for the forecast lab."""

from __future__ import annotations

from datetime import date

import streamlit as st

from goldviz.arrays.labelled import Run
from goldviz.data.markets.kept_markets import SIMULATED, keep
from goldviz.data.markets.market import Market, MarketError
from goldviz.data.markets.release_words import release_words
from goldviz.data.markets.text_channels import SameDay, is_text_channel
from goldviz.data.texts.dated_texts import DatedTextError, DatedTexts
from goldviz.declare.registry import laboratories
from goldviz.labs.policy_documents.market import (
    ChannelChoice,
    market_that_answers,
    market_with_documents,
    misfits,
    no_tone,
)
from goldviz.labs.policy_documents.measures import kinds_of
from goldviz.labs.policy_documents.settings import PolicyDocuments
from goldviz.ui import visitors_data
from goldviz.ui.chrome import page_file
from goldviz.ui.markets import panel as market_panel
from goldviz.ui.words import plain

MOST_COMPONENTS = 5
ADDED = "policy-documents-added"
"""In the session state: what was added to which market, in a sentence."""
NEXT = {"gold-forecast": "Open the forecast lab", "gold-market": "See when each value was known"}
PLANTED = (
    "A positive control: gold will answer to these documents, {:g} standard deviations of its return for one of their "
    "tone. A forecast that reads them in time must find it."
)
NOTHING_PLANTED = (
    "A response is planted in the simulated market alone, and before documents are added: choose that market anew, or "
    "set the tone response to 0."
)
SAME_DAY: dict[SameDay, str] = {"last": "the last one counts", "mean": "their mean counts"}


def show(settings: PolicyDocuments, dataset: Run) -> None:
    """What can become a channel, and a button that adds it to the visitor's market."""
    documents = settings.texts()
    st.markdown("**Could a market have known?**")
    st.markdown(
        f"A document's numbers become channels of your market, known from {plain(release_words(documents.release))} "
        "on its day of release and not before. Between documents a forecast has the last one's numbers and their age."
    )
    try:
        market = market_panel.current()
    except MarketError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    st.caption(f"Your market: {market_panel.described(market)}")
    name, seed = visitors_data.market()
    plants = bool(settings.tone_response) and name == SIMULATED and not no_tone(dataset)
    if settings.tone_response:
        st.caption(PLANTED.format(settings.tone_response) if plants else NOTHING_PLANTED)
    left, right = st.columns(2)
    with left:
        there = kinds_of(dataset)
        kinds = st.multiselect(
            "Documents", there, default=[one_kind(documents)], key=f"channel-kinds-{there}", persist_state="session"
        )
        kinds_words = _kinds_sentence(kinds, there)
        if kinds_words:
            st.caption(kinds_words)
        tone = _tone(dataset)
        change = st.toggle(
            "Change",
            value=True,
            key="channel-change",
            persist_state="session",
            help="1 − cos with the document before of the same kind.",
        )
    with right:
        components = st.slider(
            "Principal components",
            0,
            MOST_COMPONENTS,
            2,
            key="channel-components",
            persist_state="session",
            help="The document's place on so many axes. The axes are fitted on documents before a day, so that no "
            "value after that day knows a later document.",
        )
        first, last = documents.texts[0].released, documents.texts[-1].released
        middle = documents.texts[len(documents.texts) // 2].released
        day = st.date_input(
            "Axes fitted on documents before",
            middle,
            min_value=first,
            max_value=last,
            key=f"channel-day-{first}-{last}",
            persist_state="session",
            disabled=not components,
            help="Judge forecasts after this day alone: values before it share its fit.",
        )
        same_day = st.selectbox(
            "Two on one day",
            list(SAME_DAY),
            format_func=SAME_DAY.__getitem__,
            key="channel-same-day",
            persist_state="session",
            help="Of documents that are released on the same day.",
        )
    for sentence in misfits(documents, dataset, market, kinds, tone=tone):
        st.caption(f":material/warning: {plain(sentence)}")
    if st.button(
        "Use these as channels in the forecast lab", type="primary", icon=":material/add_chart:", key="add-channels"
    ):
        st.session_state.pop(ADDED, None)
        fitted_before = day if isinstance(day, date) else middle
        choice = ChannelChoice(tuple(kinds), tone, change, components, fitted_before, same_day)
        try:
            if plants:
                market = market_that_answers(seed, documents, dataset, choice, settings.tone_response)
            _use(market_with_documents(market, documents, dataset, choice), documents)
        except (MarketError, DatedTextError) as error:
            st.error(plain(str(error)), icon=":material/block:")
    if ADDED in st.session_state:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f":material/check: {st.session_state[ADDED]}", width="stretch")
            for name, label in NEXT.items():
                lab = laboratories()[name]
                st.page_link(page_file(lab), label=label, icon=lab.declared.icon)


def _tone(dataset: Run) -> bool:
    """Whether the tone becomes a channel; offered where the model reads one, else said why not."""
    without = no_tone(dataset)
    if without:
        st.caption(f":material/sentiment_neutral: {plain(without)}")
        return False
    words = "P(positive) − P(negative) of each document."
    return st.toggle("Tone", value=True, key="channel-tone", persist_state="session", help=words)


def one_kind(documents: DatedTexts) -> str:
    """The kind whose channel is offered first: statements where there are any, else the most frequent one."""
    default = next((kind for kind in documents.kinds if kind.lower().startswith("statement")), documents.kinds[0])
    return default or "document"


def _kinds_sentence(kinds: list[str], there: list[str]) -> str:
    """What it means that these kinds share a channel, or that one does not; empty where there is no other."""
    if len(kinds) > 1:
        return plain(
            f"{', '.join(kinds)} share each channel. Mixing kinds blurs changes: take one kind to keep them apart."
        )
    if not kinds or len(there) == 1:
        return ""
    return plain(f"{kinds[0]} alone: mixing kinds blurs changes.")


def _use(market: Market, documents: DatedTexts) -> None:
    """Keep the market, take it on every page, and say so."""
    visitors_data.bring_market(keep(market))
    channels = [channel.words for channel in market.channels if is_text_channel(channel.name)]
    market_words = " The market itself is simulated." if market.simulated else ""
    documents_words = " The documents are generated." if documents.generated else ""
    st.session_state[ADDED] = plain(f"Your market now has {', '.join(channels)}.{market_words}{documents_words}")
