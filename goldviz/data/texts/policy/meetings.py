"""Meetings of one committee, one after another: what each says of the one before stays, until there is a reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from goldviz.data.texts.policy.circumstances import meeting_day, rate_band, year_of
from goldviz.data.texts.policy.grammar import Pattern, Term, phrases
from goldviz.data.texts.policy.meeting_patterns import DECISIONS, GUIDANCE, VOTES, Decision
from goldviz.data.texts.policy.statements import leaning_sentences, several_sentences, story_text

COMMITTEE = {"committee": phrases("the Committee")[0], "bank": phrases("the central bank")[0]}
RENEWED_SHARE = 0.25
"""Chance that a part of a statement is written anew although the decision is of the same kind."""
LARGEST_STEP = 3
DISCUSSED = 10


@dataclass(frozen=True)
class Meeting:
    """One meeting: its day, its rate before and after in quarters of a percent, and a seed for each of its parts.

    Parts with the same seed say the same, but for the day and the rates. ``leaning`` says how good or bad the body's
    sentences are, from -1 to 1.
    """

    day: date
    old: int
    new: int
    seeds: tuple[int, ...]
    leaning: float

    @property
    def decision(self) -> Decision:
        """Raising, lowering or holding."""
        sign = (self.new > self.old) - (self.new < self.old)
        return next(decision for decision in DECISIONS if decision.sign == sign)

    def _terms(self) -> dict[str, Term]:
        day = meeting_day(self.day.year, self.day.month, self.day.day)
        return {
            **COMMITTEE,
            "date": day,
            "year": year_of(self.day.year),
            "quarter": Term({"": day.forms["quarter"]}),
            "band": rate_band(self.old, self.new),
        }

    def statement(self) -> str:
        """What the committee says on the day."""
        decision = self.decision
        parts: list[Sequence[Pattern]] = [*decision.reasons, decision.action, *decision.outlook, GUIDANCE, VOTES]
        paragraphs = [
            several_sentences(part, 1, np.random.default_rng(seed), self._terms())
            for part, seed in zip(parts, self.seeds, strict=False)
        ]
        body = self._discussed(2, self.seeds[-1])
        return story_text([*paragraphs[:3], body, *paragraphs[3:]])

    def minutes(self) -> str:
        """What the members discussed, and then the statement."""
        discussion = self._discussed(DISCUSSED, self.seeds[-1] + 1)
        halves = [discussion[: DISCUSSED // 2], discussion[DISCUSSED // 2 :]]
        return "\n\n".join([story_text(halves), self.statement()])

    def _discussed(self, count: int, seed: int) -> list[str]:
        generator = np.random.default_rng(seed)
        topics: list[str] = []
        for _ in range(count):
            sign = 1 if generator.random() < (1 + self.leaning) / 2 else -1
            topics += leaning_sentences(sign, 1, generator, self._terms())
        return topics


def next_meeting(before: Meeting, day: date, target: int, leaning: float, generator: np.random.Generator) -> Meeting:
    """The meeting after ``before``, which moves its rate towards ``target`` quarters of a percent.

    Where the decision is of another kind every part is new; else each is with a chance of ``RENEWED_SHARE``.
    """
    move = int(np.clip(target - before.new, -LARGEST_STEP, LARGEST_STEP))
    after = replace(before, day=day, old=before.new, new=before.new + move, leaning=leaning)
    fresh = generator.random(len(before.seeds)) < RENEWED_SHARE
    fresh |= after.decision.sign != before.decision.sign
    fresh[-1] = True
    new_seeds = generator.integers(2**31, size=len(before.seeds)).tolist()
    seeds = tuple(new if renew else old for old, new, renew in zip(before.seeds, new_seeds, fresh, strict=True))
    return replace(after, seeds=seeds)
