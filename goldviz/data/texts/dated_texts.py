"""Texts with the day that they are about and the moment at which anybody could have read them."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import pandas as pd

from goldviz.coded_errors import CodedError
from goldviz.data.markets.market import Release

MOST_TEXTS = 2_000
LONGEST_TEXT = 1_000_000
"""Characters."""

FEWEST_MONTHS = 5
"""Different firsts of a month that make them likely to stand for the months."""

NEW_YORK_AFTERNOON = ("14:00", "America/New_York")
EARLIER_AFTERNOON = "14:15"
FIRST_AT_TWO = date(2013, 3, 20)
"""From this meeting on the Federal Reserve's statements are out at 14:00 in New York, before at about 14:15."""

MINUTES_WAIT = 24
"""Three weeks, and the three days that holidays and a meeting moved forward cost in January and April 2020."""
FIRST_AFTER_THREE_WEEKS = date(2004, 12, 14)
"""The Federal Reserve's minutes of meetings before this one were out after the next meeting."""
WAIT_FOR_THE_NEXT_MEETING = 60
"""Meetings are eight weeks apart at most, and the minutes came up to four days after the next one."""
FIRST_AFTER_THE_NEXT_MEETING = date(1976, 1, 1)
"""What was decided before this day was published after three months, after a year, or later."""


class DatedTextError(CodedError):
    """Documents that cannot be used, in a sentence for a person."""


@dataclass(frozen=True)
class ReleaseRule:
    """When a document of day d is out, where nothing says it: at ``clock`` in ``zone``, days after d.

    The Federal Reserve's statements are out at two in the afternoon in New York on their own day, its minutes about
    three weeks later (``minutes_wait`` days, for every kind whose name begins with *minute*). Minutes of meetings
    before 14 December 2004 wait at least 60 days, and the Federal Reserve's clock is 14:15 where a statement is from
    before 20 March 2013. So a document of a scheduled meeting since 1976 is never taken to be out too early; of others
    :meth:`doubts` speaks.
    """

    clock: str = NEW_YORK_AFTERNOON[0]
    zone: str = NEW_YORK_AFTERNOON[1]
    minutes_wait: int = MINUTES_WAIT

    def day_out(self, about: date, kind: str) -> date:
        """The day of release of a document about this day.

        >>> ReleaseRule().day_out(date(2024, 11, 7), "Minutes").isoformat()
        '2024-12-01'
        >>> ReleaseRule().day_out(date(2004, 11, 10), "Minutes").isoformat()
        '2005-01-09'
        """
        if not _minutes(kind):
            return about
        early = about < FIRST_AFTER_THREE_WEEKS
        return about + timedelta(days=max(self.minutes_wait, WAIT_FOR_THE_NEXT_MEETING) if early else self.minutes_wait)

    def clock_for(self, texts: Iterable[DatedText]) -> str:
        """The hour at which all of these are out: the latest that one of them needs.

        An hour that is not the Federal Reserve's of today is the visitor's own, and stays.

        >>> ReleaseRule().clock_for([DatedText(date(2008, 3, 18), date(2008, 3, 18), "Statement", "Rates fell.")])
        '14:15'
        """
        if (self.clock, self.zone) != NEW_YORK_AFTERNOON:
            return self.clock
        return EARLIER_AFTERNOON if any(map(_before_two, texts)) else self.clock

    def doubts(self, texts: Iterable[DatedText], by_rule: Sequence[DatedText]) -> tuple[str, ...]:
        """What should be known of hours and days that were not read.

        ``texts`` are all of a source, whose one clock is that of :meth:`clock_for`; ``by_rule`` are those of them whose
        day of release is the rule's.
        """
        notes = []
        if self.clock_for(texts) != self.clock:
            notes.append(
                f"The Federal Reserve's statements before {FIRST_AT_TWO} were out at about {EARLIER_AFTERNOON}; this "
                "hour counts for all documents."
            )
        minutes = [text for text in by_rule if _minutes(text.kind)]
        if minutes:
            notes.append(
                f"The day of release of {_documents_in_words(minutes)} is assumed. Minutes of a meeting out of turn "
                "came with those of the next one, up to two months later: bring their days of release."
            )
        long_kept = [text for text in by_rule if text.about < FIRST_AFTER_THE_NEXT_MEETING]
        if long_kept:
            notes.append(
                f"The day of release of {_documents_in_words(long_kept)} from before 1976 is assumed, and is likely "
                "too early. What was decided then came out after three months, a year, or later. Bring their days "
                "of release."
            )
        return tuple(notes)


def stamped_by_month(days: Sequence[date]) -> bool:
    """Whether days are likely months: several, and all of them the first of one.

    >>> stamped_by_month([date(2016, month, 1) for month in range(1, 7)]), stamped_by_month([date(2016, 1, 1)])
    (True, False)
    """
    return len(set(days)) >= FEWEST_MONTHS and all(day.day == 1 for day in days)


def end_of_month(day: date) -> date:
    """The last day of the month of a day.

    >>> end_of_month(date(2016, 2, 1)).isoformat()
    '2016-02-29'
    """
    return (day.replace(day=1) + timedelta(days=32)).replace(day=1) - timedelta(days=1)


def to_come(texts: Iterable[DatedText], today: date) -> tuple[str, ...]:
    """What is said of documents whose day lies after ``today``."""
    future = sorted(text.about for text in texts if text.about > today)
    if not future:
        return ()
    are = "document is" if len(future) == 1 else "documents are"
    return (f"{len(future)} {are} dated in the future, the last on {future[-1]}: check the dates.",)


def _minutes(kind: str) -> bool:
    return kind.lower().startswith("minute")


def _before_two(text: DatedText) -> bool:
    return not _minutes(text.kind) and text.released < FIRST_AT_TWO


def _documents_in_words(texts: Sequence[DatedText]) -> str:
    return f"{len(texts)} document{'' if len(texts) == 1 else 's'}"


ASSUMED_RELEASE = ReleaseRule()
AS_THE_FEDERAL_RESERVE = ReleaseRule(minutes_wait=21)
"""Three weeks to the day, as the Federal Reserve plans it: for documents that keep to the plan."""


@dataclass(frozen=True)
class DatedText:
    """One document: the day that it is ``about``, the day on which it was ``released``, its kind and its words."""

    about: date
    released: date
    kind: str
    text: str

    @property
    def title(self) -> str:
        """How lists and figures call it."""
        return f"{self.about.isoformat()} {self.kind}".strip()

    @property
    def name(self) -> str:
        """The SHA-256 of its words: the same words have the same vector, whenever they were said."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class DatedTexts:
    """Documents in the order of their release, all of them out at ``clock`` in ``zone`` on their days.

    ``generated`` says that a program wrote them; wherever they appear, this is said. ``notes`` are sentences on what
    was noticed while they were read. ``unwritten`` are days that the source lists without a text, ascending.
    """

    texts: tuple[DatedText, ...]
    origin: str
    clock: str = NEW_YORK_AFTERNOON[0]
    zone: str = NEW_YORK_AFTERNOON[1]
    generated: bool = False
    notes: tuple[str, ...] = ()
    unwritten: tuple[date, ...] = ()

    def __post_init__(self) -> None:
        if not self.texts:
            raise DatedTextError(f"There is no document with a text in {self.origin}; at least one is needed.", "empty")
        if len(self.texts) > MOST_TEXTS:
            raise DatedTextError(
                f"{self.origin} has {len(self.texts):,} documents; allowed are at most {MOST_TEXTS:,}.", "too_large"
            )
        if list(self.texts) != sorted(self.texts, key=order_of_release):
            raise DatedTextError(f"The documents of {self.origin} are not in order of their release.", "not_ascending")

    @property
    def release(self) -> Release:
        """When a document released on a day is out on that day."""
        return Release(self.clock, self.zone)

    @property
    def release_days(self) -> pd.DatetimeIndex:
        """The days of release, ascending, without a zone; a day may stand there twice."""
        return pd.DatetimeIndex([text.released.isoformat() for text in self.texts])

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of documents, the most frequent first."""
        counts = pd.Series([text.kind for text in self.texts]).value_counts(sort=False)
        return tuple(sorted(map(str, counts.index), key=lambda kind: (-int(counts[kind]), kind)))

    def previous(self, number: int) -> int | None:
        """The number of the document of the same kind that was released last before document ``number``."""
        kind = self.texts[number].kind
        return next((earlier for earlier in range(number - 1, -1, -1) if self.texts[earlier].kind == kind), None)


def order_of_release(text: DatedText) -> tuple[date, date, str, str]:
    """What documents are sorted by."""
    return text.released, text.about, text.kind, text.text


def can_be_seen(text: str) -> bool:
    """Whether a text has a character that is no blank, control or mark on another one.

    >>> can_be_seen("Gold."), can_be_seen("\\u200b\\u00ad \\u0301")
    (True, False)
    """
    return any(unicodedata.category(character)[0] not in "CMZ" for character in text)


def ordered(texts: Iterable[DatedText]) -> tuple[tuple[DatedText, ...], tuple[str, ...]]:
    """Documents by their release, each once, and notes on those that stood there twice or have nothing to read."""
    in_order = sorted(texts, key=order_of_release)
    visible = [text for text in in_order if can_be_seen(text.text)]
    distinct = list(dict.fromkeys(visible))
    notes = []
    if len(visible) < len(in_order):
        blank_titles = ", ".join(text.title for text in in_order if not can_be_seen(text.text))
        notes.append(f"Left out, because no character of it can be seen: {blank_titles}.")
    if len(distinct) < len(visible):
        count = len(visible) - len(distinct)
        notes.append(f"{count} document{' stands' if count == 1 else 's stand'} there twice and count once.")
    repeats = len(distinct) - len({text.text for text in distinct})
    if repeats and repeats == len(distinct) - 1:
        notes.append(f"All {len(distinct)} documents have the same words, so there is nothing to compare.")
    elif repeats:
        notes.append(f"{repeats} document{' has' if repeats == 1 else 's have'} the same words as another day's.")
    return tuple(distinct), tuple(notes)
