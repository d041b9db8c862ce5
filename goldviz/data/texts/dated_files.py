"""Dated texts out of files of their own, one document each: the date stands in the name or in the front matter.

Front matter is what stands between two lines of three dashes at the top of a Markdown file. Only lines of the form
``key: value`` are read, as text; nothing in them is ever run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date
from pathlib import PurePath

import pyarrow as pa

from goldviz.data.markets.clock import utc_now
from goldviz.data.markets.market import MarketError
from goldviz.data.tables.file_table import FileTable, plain_words
from goldviz.data.tables.printed_dates import ALLOWED_DATES, date_form, read_dates
from goldviz.data.texts.dated_texts import (
    ASSUMED_RELEASE,
    LONGEST_TEXT,
    DatedText,
    DatedTextError,
    DatedTexts,
    ReleaseRule,
    ordered,
    to_come,
)
from goldviz.data.texts.uploaded_text import LARGEST_UPLOAD, decoded_text

FRONT_MATTER = re.compile(r"\A\s*---[ \t]*\n(?P<facts>.{0,4000}?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
FACT = re.compile(r"^(?P<key>[A-Za-z][A-Za-z _-]{0,30}):[ \t]*(?P<value>.*)$")
FIRST_YEAR, LAST_YEAR = 1700, 2199
"""As in tables: goldviz.data.tables.printed_dates."""
DATE_IN_NAME = re.compile(r"(?<!\d)(\d{4})[-_. ]?(\d{2})[-_. ]?(\d{2})(?!\d)")
ABOUT_KEYS, RELEASE_KEYS = (
    ("date", "meeting date", "day"),
    ("release date", "released", "published", "publication date"),
)
KIND_KEYS = ("type", "kind", "category")
MARKED_WORDS = "statement", "minutes", "speech", "testimony", "transcript", "press"
"""Words in a file's name that say what kind of document it is."""
TABLE_ENDINGS, TEXT_ENDINGS = (".csv", ".tsv"), (".txt", ".md")
OWN_TITLE = re.compile(rf"(?i)\W*(?:the |summary |of )*(?P<kind>{'|'.join(MARKED_WORDS)})\b")


def is_one_table(names: Sequence[str]) -> bool:
    """Whether files of these names are one table of documents; raises :class:`DatedTextError` for one among others.

    >>> is_one_table(["statements.CSV"]), is_one_table(["2024-12-18.txt", "2025-01-29.txt"])
    (True, False)
    """
    tables = [name for name in names if name.lower().endswith(TABLE_ENDINGS)]
    if tables and len(names) > 1:
        raise DatedTextError(
            "A CSV file holds all documents by itself; bring one of them, or text files alone.", "table_and_texts"
        )
    return bool(tables)


def texts_from_files(
    files: Sequence[tuple[str, bytes]],
    rule: ReleaseRule = ASSUMED_RELEASE,
    day_first: bool | None = None,
    kind: str = "",
) -> DatedTexts:
    """The documents in these files, each given by its name and its bytes.

    The front matter's date counts before the one in the name. Where no day of release stands there the rule says it,
    and the notes what is doubtful in it. ``kind`` is that of documents which say none in front matter, name or title.
    Files without words are left out, and said.

    Raises :class:`goldviz.data.texts.dated_texts.DatedTextError` for files without a date, and for what is no text.

    >>> made = texts_from_files([("statement_2024-12-18.txt", b"Rates rose.")])
    >>> made.texts[0].about.isoformat(), made.texts[0].kind
    ('2024-12-18', 'Statement')
    """
    total = sum(len(content) for _, content in files)
    if total > LARGEST_UPLOAD:
        raise DatedTextError(
            f"The files have {total / 1e6:,.1f} MB; allowed are at most {LARGEST_UPLOAD / 1e6:.0f} MB together.",
            "too_large",
        )
    texts: list[DatedText] = []
    without_date: list[DatedText] = []
    notes: list[str] = []
    for file_name, content in files:
        name = plain_words(file_name) or "A file"
        if not content.strip():
            notes.append(f"{name} is empty and has no part in this.")
            continue
        text, remarks = decoded_text(content, name)
        notes += [f"{name}: {remark}" for remark in remarks]
        facts, words = _front_matter(text)
        if not words.strip():
            notes.append(f"{name} has no text and no part in this.")
            continue
        if len(words) > LONGEST_TEXT:
            raise DatedTextError(
                f"{name} has {len(words):,} characters; allowed are at most {LONGEST_TEXT:,}.", "too_long"
            )
        texts.append(_document(name, facts, words.strip(), rule, day_first, kind))
        if not _first(facts, RELEASE_KEYS):
            without_date.append(texts[-1])
    in_order, repeats = ordered(texts)
    origin = plain_words(files[0][0]) if len(files) == 1 else f"{len(files)} files"
    doubts = (*to_come(texts, utc_now().date()), *rule.doubts(texts, without_date))
    return DatedTexts(in_order, origin, rule.clock_for(texts), rule.zone, notes=(*notes, *doubts, *repeats))


def _front_matter(text: str) -> tuple[dict[str, str], str]:
    """The facts at the top, their keys in small letters, and the text below them."""
    match = FRONT_MATTER.match(text)
    if not match:
        return {}, text
    facts = {}
    for line in match["facts"].splitlines():
        fact = FACT.match(line)
        if fact:
            key = " ".join(fact["key"].lower().replace("_", " ").replace("-", " ").split())
            facts[key] = fact["value"].strip().strip("\"'")
    return facts, text[match.end() :]


def _document(
    name: str, facts: Mapping[str, str], words: str, rule: ReleaseRule, day_first: bool | None, usual: str
) -> DatedText:
    kind = plain_words(_first(facts, KIND_KEYS), 30) or _kind_in_name(name) or _kind_in_title(words) or usual
    day_words = _first(facts, ABOUT_KEYS)
    about = _day(day_words, name, day_first) if day_words else _day_in_name(name)
    if about is None:
        raise DatedTextError(
            f"{name} has no date. Write it in the file's name, as in statement_2024-12-18.txt. Or write date: "
            "2024-12-18 at the top, between two lines of ---.",
            "no_dates",
        )
    out = _first(facts, RELEASE_KEYS)
    day_of_release = _day(out, name, day_first) if out else rule.day_out(about, kind)
    if day_of_release < about:
        raise DatedTextError(
            f"{name} is dated {about} and released on {day_of_release}; allowed is that day or later.", "released_early"
        )
    return DatedText(about, day_of_release, kind, words)


def _first(facts: Mapping[str, str], keys: Sequence[str]) -> str:
    return next((facts[key] for key in keys if facts.get(key)), "")


def _kind_in_name(name: str) -> str:
    return next((word.capitalize() for word in MARKED_WORDS if word in name.lower()), "")


def _kind_in_title(words: str) -> str:
    """What a text calls itself in its first words, as *Minutes of the Bank Board Meeting*."""
    match = OWN_TITLE.match(words)
    return match["kind"].capitalize() if match else ""


def _day_in_name(name: str) -> date | None:
    for match in DATE_IN_NAME.finditer(PurePath(name).stem):
        with suppress(ValueError):
            day = date(*(int(part) for part in match.groups()))
            if FIRST_YEAR <= day.year <= LAST_YEAR:
                return day
    return None


def _day(cell: str, name: str, day_first: bool | None) -> date:
    """A day in the front matter, in any form that tables may have."""
    cells = pa.array([cell])
    form = date_form(cells)
    day_words = plain_words(cell, 30)
    if form is None:
        raise DatedTextError(
            f"{name} has {day_words!r} for a date; allowed are dates like {ALLOWED_DATES}.", "bad_date"
        )
    try:
        read = read_dates(FileTable(name, "text", ("date",), (cells,), _FIRST_ROW), 0, form, day_first)
    except MarketError:
        raise DatedTextError(
            f"{name} has {day_words!r} for a date, which is no day of the calendar.", "bad_date"
        ) from None
    if read.order == "either":
        raise DatedTextError(
            f"{name} has {day_words!r} for a date, which can be read in two ways; write it like 2024-12-31.",
            "two_readings",
        )
    day: date = read.moments[0].astype("datetime64[D]").item()
    return day


_FIRST_ROW = pa.array([1]).to_numpy()
