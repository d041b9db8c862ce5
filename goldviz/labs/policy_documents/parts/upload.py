"""The dialog in which a visitor brings documents: what was read in the files, and what only the visitor can say."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from datetime import time
from typing import Any, TypeVar

import pandas as pd
import streamlit as st

from goldviz.data.markets.release_words import BANK_CITIES
from goldviz.data.tables.brought_files import Told
from goldviz.data.texts.dated_files import is_one_table
from goldviz.data.texts.dated_tables import TextColumns, TextTablePreview
from goldviz.data.texts.dated_texts import (
    EARLIER_AFTERNOON,
    FIRST_AFTER_THREE_WEEKS,
    FIRST_AT_TWO,
    MINUTES_WAIT,
    MOST_TEXTS,
    NEW_YORK_AFTERNOON,
    WAIT_FOR_THE_NEXT_MEETING,
    DatedTextError,
    ReleaseRule,
)
from goldviz.data.texts.kept_documents import GENERATED, KEPT_DOCUMENTS
from goldviz.data.texts.uploaded_text import LARGEST_UPLOAD
from goldviz.labs.policy_documents.documents.brought import keep_files, keep_table, look
from goldviz.plurals import how_many
from goldviz.runs.jobs.jobs import Task
from goldviz.ui import keys
from goldviz.ui.brought_files import READ_SECONDS, BroughtFile, answer_about, brought
from goldviz.ui.words import plain

Value = TypeVar("Value")
Use = Callable[[str], None]
"""Takes the documents' name."""

ORDERS = {True: "day first, as in 31/12/2024", False: "month first, as in 12/31/2024"}
NONE = ""
ASSUMED_DAYS = (
    "The day of release is assumed: each document's own day, which must be that of the decision. For minutes it is "
    f"so many days later. Before {FIRST_AFTER_THREE_WEEKS} it is {WAIT_FOR_THE_NEXT_MEETING}, as the Federal "
    "Reserve's minutes came after the next meeting. For minutes of a meeting out of turn, and for most of what is "
    "older than 1976, that is too early. A release that is too early lets a forecast look ahead. Bring a column of "
    "days of release if you can."
)
ASSUMED_HOUR = (
    f"With a statement from before {FIRST_AT_TWO} among them, all documents count as out at {EARLIER_AFTERNOON}, as "
    "the Federal Reserve's were then. Another hour that you choose stays."
)
KINDS = (NONE, "Statement", "Minutes", "Speech")
CITIES = {zone: city for city, zone in BANK_CITIES.items()}


@st.dialog("Choose the documents", width="large")
def ask(use: Use) -> None:
    """Show the sources; ``use`` is told the name of what was chosen, and the page drawn again."""
    own, example = st.tabs(["Your files", "Generated"])
    with own:
        name = _own()
        if name is not None:
            keys.remember([name])
            use(name)
            st.rerun()
    with example:
        st.markdown(
            "Statements and minutes of twenty years of meetings that goldviz makes up, as long as its simulated "
            "market lasts. No bank has said them; they show what the page does, without a network."
        )
        if st.button("Use the generated documents", type="primary", key="use-generated"):
            use(GENERATED)
            st.rerun()


def _own() -> str | None:
    st.caption(
        f"One CSV file with a column of dates and one of texts. Or up to {MOST_TEXTS:,} TXT or Markdown files with "
        f"the date in the name or at the top. At most {LARGEST_UPLOAD // 10**6} MB in all. They stay on this server; "
        "only you, and those to whom you give a link, can choose them."
    )
    files = st.file_uploader("Files", type=["csv", "tsv", "txt", "md"], accept_multiple_files=True, key="policy-files")
    if not files:
        return None
    try:
        own = brought(files, DatedTextError)
        if is_one_table([file.name for file in files]):
            return _from_table(own[0])
        kind = st.selectbox(
            "Kind, where a file says none",
            KINDS,
            key="policy-kind-of-files",
            format_func=lambda name: name or "none",
            help="A file says it in its name, at its top, or in its first words. Minutes come later than statements.",
        )
        rule = _rule(asks_for_minutes=True)
        if st.button("Use these documents", type="primary", key="use-documents"):
            return _answer(keep_files, [(file.key, file.name) for file in own], rule, kind, holds=_is_there)
    except DatedTextError as error:
        st.error(plain(str(error)), icon=":material/block:")
    return None


def _answer(
    work: Callable[..., Told[Value]], *what: Any, holds: Callable[[Value], bool] = lambda value: True
) -> Value | None:
    """What a worker says of files, once for each question. Raises DatedTextError for files that cannot be used."""
    key = f"{work.__name__}-documents-{hashlib.sha256(repr(what).encode()).hexdigest()}"
    return answer_about(Task(key, work, what, "Reading the documents", READ_SECONDS), DatedTextError, holds)


def _is_there(name: str) -> bool:
    return KEPT_DOCUMENTS.path(name).is_file()


def _from_table(file: BroughtFile) -> str | None:
    preview = _answer(look, file.key, file.name)
    if preview is None:
        return None
    st.markdown(f"**{how_many(preview.rows, 'row')}**. The first ones, texts cut short:")
    st.dataframe(pd.DataFrame(list(preview.head), columns=list(preview.columns)), hide_index=True)
    for note in preview.notes:
        st.caption(f":material/info: {plain(note)}")
    day_first = None
    if preview.date_order == "either":
        day_first = st.radio(
            "The dates can be read in two ways",
            list(ORDERS),
            index=None,
            key="policy-day-first",
            format_func=lambda first: f"{ORDERS[first]}: {', '.join(preview.readings['day' if first else 'month'])}",
        )
    columns_chosen = _columns(preview)
    rule = _rule(asks_for_minutes=not columns_chosen.release)
    if preview.date_order == "either" and day_first is None:
        st.info("Choose how the dates are to be read.")
        return None
    if not st.button("Use these documents", type="primary", key="use-documents"):
        return None
    columns = replace(columns_chosen, day_first=day_first)
    return _answer(keep_table, file.key, file.name, columns, rule, holds=_is_there)


def _columns(preview: TextTablePreview) -> TextColumns:
    """The columns, as suggested or as the visitor says; what is unclear is in sight, the rest too."""
    if "text" in preview.unclear:
        st.caption(":material/help: More than one column holds long texts; say which is meant.")
    if "date" in preview.unclear:
        st.caption(":material/help: More than one column holds dates; say which day a document is about.")
    left, right = st.columns(2)
    with left:
        text = st.selectbox("Text", preview.texts, index=preview.texts.index(preview.text), key="policy-text")
        kinds = (NONE, *preview.kinds)
        kind = st.selectbox(
            "Kind",
            kinds,
            index=kinds.index(preview.kind),
            key="policy-kind",
            format_func=lambda name: name or "none",
            help="Documents are compared with the one before them of the same kind.",
        )
    with right:
        date = st.selectbox("Day", preview.dates, index=preview.dates.index(preview.date), key="policy-date")
        releases = (NONE, *preview.dates)
        release = st.selectbox(
            "Day of release",
            releases,
            index=releases.index(preview.release),
            key="policy-release",
            format_func=lambda name: name or "not in the file: assumed",
        )
    return TextColumns(date, text, release, kind)


def _rule(*, asks_for_minutes: bool) -> ReleaseRule:
    """When documents are out, where the files do not say it."""
    clock, zone = NEW_YORK_AFTERNOON
    left, middle, right = st.columns(3)
    with left:
        hour = st.time_input("Out at", value=time.fromisoformat(clock), key="policy-clock", step=300)
    with middle:
        place = st.selectbox(
            "Time of", list(CITIES), index=list(CITIES).index(zone), key="policy-zone", format_func=CITIES.__getitem__
        )
    wait = MINUTES_WAIT
    if asks_for_minutes:
        with right:
            wait = int(
                st.number_input(
                    "Minutes come after (days)",
                    0,
                    120,
                    value=MINUTES_WAIT,
                    key="policy-wait",
                    help="Documents whose kind begins with 'minute' are taken to be out so many days after their day.",
                )
            )
        st.caption(ASSUMED_DAYS)
    if (f"{hour:%H:%M}", place) == NEW_YORK_AFTERNOON:
        st.caption(ASSUMED_HOUR)
    return ReleaseRule(f"{hour:%H:%M}", place, wait)
