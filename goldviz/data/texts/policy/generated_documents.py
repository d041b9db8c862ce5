"""Statements and minutes that a program wrote: each repeats most of the one before, as a central bank's do.

They are as old as the simulated market, so that a forecast of it can use them from its first refit on.

They stand where documents will be once a visitor brings some, and are called generated wherever they appear.
"""

from __future__ import annotations

import math
from datetime import date, timedelta
from itertools import count

import numpy as np

from goldviz.data.texts.dated_texts import AS_THE_FEDERAL_RESERVE, DatedText, DatedTexts, order_of_release
from goldviz.data.texts.policy.meetings import Meeting, next_meeting

FIRST_MEETING = date(2005, 1, 5)
LAST_DAY = date(2024, 12, 31)
"""The first Wednesday and the last day of a simulated market of twenty years."""

WEEKS_BETWEEN = (7, 6, 7, 6, 6, 8, 6, 6)
"""Eight meetings a year, on Wednesdays."""

CYCLE = 20
"""Meetings from one good spell to the next."""

PARTS_OF_A_STATEMENT = 9
LOWEST, HIGHEST = 1, 15
"""The rate's low end over a cycle, in quarters of a percent."""


def generated_documents(seed: int = 0) -> DatedTexts:
    """A statement and its minutes for each meeting of twenty years: rates rise and fall again and again.

    >>> made = generated_documents()
    >>> len(made.texts), made.kinds, made.texts[1].title, made.texts[1].released.isoformat()
    (322, ('Minutes', 'Statement'), '2005-01-05 Minutes', '2005-01-26')
    """
    generator = np.random.default_rng(seed)
    seeds = tuple(generator.integers(2**31, size=PARTS_OF_A_STATEMENT).tolist())
    meeting = Meeting(FIRST_MEETING, LOWEST, LOWEST, seeds, leaning=-0.5)
    texts: list[DatedText] = []
    for number in count():
        if meeting.day > LAST_DAY:
            break
        for kind, words in (("Statement", meeting.statement()), ("Minutes", meeting.minutes())):
            texts.append(DatedText(meeting.day, AS_THE_FEDERAL_RESERVE.day_out(meeting.day, kind), kind, words))
        day = meeting.day + timedelta(weeks=WEEKS_BETWEEN[number % len(WEEKS_BETWEEN)])
        wave = math.cos(2 * math.pi * (number + 1) / CYCLE)
        level = round(LOWEST + (HIGHEST - LOWEST) * (1 - wave) / 2)
        meeting = next_meeting(meeting, day, level, -0.9 * wave, generator)
    return DatedTexts(tuple(sorted(texts, key=order_of_release)), "Generated documents", generated=True)
