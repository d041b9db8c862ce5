"""Texts with the day that they are about and the moment at which anybody could have read them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta

import pandas as pd

from goldviz.data.market import Release

MOST_TEXTS = 2_000
LONGEST_TEXT = 1_000_000
"""Characters."""

NEW_YORK_AFTERNOON = ("14:00", "America/New_York")
MINUTES_WAIT = 21


class DatedTextError(ValueError):
    """Documents that cannot be used, in a sentence for a person."""

    for_a_person = True


@dataclass(frozen=True)
class ReleaseRule:
    """When a document of day d is out, where nothing says it: at ``clock`` in ``zone``, days after d.

    The Federal Reserve's statements are out at two in the afternoon in New York on their own day, its minutes three
    weeks later (``minutes_wait`` days, for every kind whose name begins with *minute*).
    """

    clock: str = NEW_YORK_AFTERNOON[0]
    zone: str = NEW_YORK_AFTERNOON[1]
    minutes_wait: int = MINUTES_WAIT

    def day_out(self, about: date, kind: str) -> date:
        """The day of release of a document about this day.

        >>> ReleaseRule().day_out(date(2024, 11, 7), "Minutes").isoformat()
        '2024-11-28'
        """
        return about + timedelta(days=self.minutes_wait) if kind.lower().startswith("minute") else about


AS_THE_FEDERAL_RESERVE = ReleaseRule()


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
    was noticed while they were read.
    """

    texts: tuple[DatedText, ...]
    origin: str
    clock: str = NEW_YORK_AFTERNOON[0]
    zone: str = NEW_YORK_AFTERNOON[1]
    generated: bool = False
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.texts:
            raise DatedTextError(f"There is no document with a text in {self.origin}; at least one is needed.")
        if len(self.texts) > MOST_TEXTS:
            raise DatedTextError(
                f"{self.origin} has {len(self.texts):,} documents; allowed are at most {MOST_TEXTS:,}."
            )
        if list(self.texts) != sorted(self.texts, key=order_of_release):
            raise DatedTextError(f"The documents of {self.origin} are not in the order of their release.")

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


def ordered(texts: Iterable[DatedText]) -> tuple[tuple[DatedText, ...], tuple[str, ...]]:
    """Documents by their release, each once, and a note on those that stood there twice."""
    found = sorted(texts, key=order_of_release)
    distinct = list(dict.fromkeys(found))
    notes = []
    if len(distinct) < len(found):
        count = len(found) - len(distinct)
        notes.append(f"{count} document{' stands' if count == 1 else 's stand'} there twice and count once.")
    repeated = len(distinct) - len({text.text for text in distinct})
    if repeated:
        notes.append(f"{repeated} document{' has' if repeated == 1 else 's have'} the same words as another day's.")
    return tuple(distinct), tuple(notes)
