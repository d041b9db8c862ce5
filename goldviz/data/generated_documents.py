"""Statements and minutes that a program wrote: each repeats most of the one before, as a central bank's do.

They stand where documents will be once a visitor brings some, and are called generated wherever they appear.
"""

from __future__ import annotations

import math
from collections import deque
from datetime import date, timedelta

import numpy as np

from goldviz.data.dated_texts import AS_THE_FEDERAL_RESERVE, DatedText, DatedTexts, order_of_release
from goldviz.data.policy_sentences import TONES, Tone, policy_sentences

FIRST_MEETING = date(2022, 1, 26)
WEEKS_BETWEEN = (7, 6, 7, 6, 6, 8, 6, 6)
"""Eight meetings a year, on Wednesdays."""

MEETINGS = 24
STATEMENT_SENTENCES, MINUTES_SENTENCES = 8, 22
RENEWED = 3
"""Sentences of a statement that are new at each meeting."""

CYCLE = 20
"""Meetings from one good spell to the next."""

NEUTRAL_SHARE = 0.3
DRAWN = 3_000


def generated_documents(seed: int = 0) -> DatedTexts:
    """A statement and its minutes for each of 24 meetings, whose tone goes from bad to good and back.

    >>> made = generated_documents()
    >>> len(made.texts), made.kinds, made.texts[1].title, made.texts[1].released.isoformat()
    (48, ('Minutes', 'Statement'), '2022-01-26 Minutes', '2022-02-16')
    """
    generator = np.random.default_rng(seed)
    drawn = {sentence.text: sentence.tone for sentence in policy_sentences(DRAWN, generator)}
    store = {tone: deque(text for text, its in drawn.items() if its == tone) for tone in TONES}
    statement: list[str] = []
    texts: list[DatedText] = []
    day = FIRST_MEETING
    for meeting in range(MEETINGS):
        good = 0.5 - 0.45 * math.cos(2 * math.pi * meeting / CYCLE)
        for _ in range(RENEWED if statement else STATEMENT_SENTENCES):
            if len(statement) == STATEMENT_SENTENCES:
                statement.pop(int(generator.integers(STATEMENT_SENTENCES)))
            statement.insert(int(generator.integers(len(statement) + 1)), _sentence(store, good, generator))
        discussed = [_sentence(store, good, generator) for _ in range(MINUTES_SENTENCES - STATEMENT_SENTENCES)]
        for kind, sentences in (("Statement", statement), ("Minutes", [*discussed, *statement])):
            words = "\n\n".join(" ".join(sentences[start : start + 4]) for start in range(0, len(sentences), 4))
            texts.append(DatedText(day, AS_THE_FEDERAL_RESERVE.day_out(day, kind), kind, words))
        day += timedelta(weeks=WEEKS_BETWEEN[meeting % len(WEEKS_BETWEEN)])
    return DatedTexts(tuple(sorted(texts, key=order_of_release)), "Generated documents", generated=True)


def _sentence(store: dict[Tone, deque[str]], good: float, generator: np.random.Generator) -> str:
    """The next sentence of a tone that is drawn; used ones go to the end of their store."""
    drawn, toned = generator.random(2)
    tone: Tone = "neutral" if drawn < NEUTRAL_SHARE else "positive" if toned < good else "negative"
    store[tone].rotate(-1)
    return store[tone][-1]
