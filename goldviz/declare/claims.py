"""What the documents claim, as data: a sentence, its place, the settings that test it, and what is measured there.

A laboratory that tests claims has a file ``claims.py`` with a table ``CLAIMS``. It loads neither torch nor Streamlit::

    from goldviz.declare.claims import Claim, Part
    from goldviz.labs.random_walk import LAB

    CLAIMS = (
        Claim(LAB, "C99", "A walk with drift goes further than one without.", "001, 2.1, eq. 5",
            lanes=("as-in-the-document", {"drift": 0.2}),
            parts={"with drift it ends {} times as far away": Part("times_as_far", above=1, scale="ratio")}),
    )

``lanes`` are the runs that a claim compares: a preset's slug, or what differs from the defaults. Each case (a seed,
unless ``over`` names another setting) runs all lanes, and the measure that a part names, one of the laboratory's
``measures.py``, is given that case's datasets, in the lanes' order and without a seed axis, and returns one number.
``make claims NAME=random-walk`` keeps the numbers of all cases in ``recorded/claims.json``; the verdict is computed of
them whenever it is shown.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Literal

from goldviz.data.tables.whole_files import write_text_beside
from goldviz.declare.registry import laboratories
from goldviz.declare.settings import Settings, SettingsError
from goldviz.diagnostics.measure import Measure
from goldviz.diagnostics.verdicts import Judged, Line, Scale, Verdict

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run
    from goldviz.declare.laboratory import Laboratory

SEEDS = (0, 1, 2, 3, 4)
NOT_TESTED = "not tested"
IDENTITY = "identity"
Kind = Literal["claim", "question", "identity"]
"""Who says it: a document; nobody, so that it is our own question on one; or mathematics, where only code can fail."""
DIGITS = 6
"""Significant digits of a kept number."""


@dataclass(frozen=True)
class Part:
    """One measurable half of a claim: the laboratory's ``measure`` of that name gives a number of each case, and the
    line says where it has to be.

    ``scale`` says how the interval is found: see
    :func:`goldviz.diagnostics.verdicts.interval`. A part of the scale ``share`` measures 1 (yes) or 0 (no) in a case.
    ``lanes`` are those that it measures, numbered from 1; without them it is given all. A ``control`` is no part of the
    sentence: it is shown, and decides nothing. ``chance`` is what chance alone gives of a number that is 1 at best; the
    line then lies halfway between.
    """

    measure: str
    above: float = -math.inf
    below: float = math.inf
    scale: Scale = "difference"
    lanes: tuple[int, ...] = ()
    control: bool = False
    chance: float | None = None

    @property
    def name(self) -> str:
        """Under which its numbers are kept."""
        return " ".join([self.measure, *map(str, self.lanes)])

    def number(self, measure: Measure, runs: Sequence[Run]) -> float:
        """What is measured in a case whose lanes gave these ``runs``; NaN where one ended before it recorded that.

        A run that diverged before its first evaluation lacks a variable, has none of its entries, or divides by none.
        """
        own_runs = [runs[lane - 1] for lane in self.lanes] if self.lanes else runs
        try:
            return measure(*own_runs)
        except (KeyError, IndexError, ZeroDivisionError):
            return math.nan

    @property
    def line(self) -> Line:
        """Where its number has to lie."""
        return Line(self.above if self.chance is None else (self.chance + 1) / 2, self.below)


DOCUMENTS = {
    "001": "Modeling the Gold Market with Recurrent Neural Networks and Partial Observations",
    "002": "LLM",
    "003": "Handwritten notes on recurrent networks",
    "004": "Write-up for MAT497",
}
"""What the documents are called, by their numbers."""


@dataclass(frozen=True)
class Claim:
    """One claim of the documents. ``number`` is C1, C2, ...; ``place`` is "001, 3.1.2, eq. 27".

    ``parts`` stand under words that say what their number is, with a place for it: ``"its loss is {} of the plain
    twin's"``. A format (``{:.0%}``) is used for line and interval, too.
    ``over`` is the setting that tells cases apart, ``called`` what they are called. ``kind`` says whether a document
    claims it. What is said to be so ``always`` is refuted by one part. Raises UnknownMeasureError where a part names a
    measure that the laboratory does not have.
    """

    lab: Laboratory
    number: str
    sentence: str
    place: str
    parts: Mapping[str, Part]
    lanes: tuple[str | Mapping[str, Any], ...] = field(default=({},))
    over: str = "seeds"
    cases: tuple[Any, ...] = SEEDS
    called: str = "seeds"
    kind: Kind = "claim"
    always: bool = False

    def __post_init__(self) -> None:
        for part in self.parts.values():
            self.lab.measures[part.measure]

    @property
    def document(self) -> str:
        """The number of the document that claims it."""
        return self.place[:3]

    @cached_property
    def settings(self) -> tuple[Settings, ...]:
        """Each lane's settings, without the cases."""
        settings_class = self.lab.declared
        return tuple(
            settings_class.preset(lane) if isinstance(lane, str) else settings_class.checked(dict(lane))
            for lane in self.lanes
        )

    def in_case(self, case: Any) -> tuple[Settings, ...]:
        """Each lane's settings in one case."""
        value = (case,) if self.over == "seeds" else case
        return tuple(lane.changed(**{self.over: value}) for lane in self.settings)

    @property
    def together(self) -> tuple[Settings, ...]:
        """Each lane with all seeds at once, as a page runs it; with the first case where cases are no seeds."""
        if self.over == "seeds":
            return tuple(lane.changed(seeds=self.cases) for lane in self.settings)
        return self.in_case(self.cases[0])

    def measured(self, carry_out: Callable[[Settings], Run]) -> dict[str, list[float]]:
        """The parts' numbers, one of each case; ``carry_out`` runs or computes settings."""
        return self.read([[carry_out(lane) for lane in self.in_case(case)] for case in self.cases])

    def read(self, runs: Sequence[Sequence[Run]]) -> dict[str, list[float]]:
        """The parts' numbers, read off the datasets of each case by lane."""
        return {
            part.name: [part.number(self.lab.measures[part.measure], lanes) for lanes in runs]
            for part in self.parts.values()
        }

    def judged(self, numbers: Mapping[str, Sequence[float]]) -> Verdict:
        """The verdict on these numbers."""
        return Verdict(
            tuple(
                Judged(words, part.line, part.scale, tuple(numbers[part.name]), self.called, part.control)
                for words, part in self.parts.items()
            ),
            whole=self.always,
        )

    @property
    def verdict(self) -> Verdict | None:
        """The verdict on the kept numbers; None where there are none, or none of today's settings."""
        return verdicts(self.lab).get(self.number)

    @property
    def word(self) -> str:
        """The verdict's word, or :data:`NOT_TESTED`; an identity that came out says so, for it could not fail."""
        return self.word_of(self.verdict)

    def word_of(self, verdict: Verdict | None) -> str:
        """The word for a verdict on this claim."""
        if verdict is None:
            return NOT_TESTED
        return IDENTITY if self.kind == "identity" and verdict.word == "holds" else verdict.word


@dataclass(frozen=True)
class Evidence:
    """What was measured to test a claim: numbers by part and case, and the settings that gave them."""

    number: str
    version: int
    settings: Sequence[Mapping[str, Any]]
    over: str
    cases: Sequence[Any]
    numbers: Mapping[str, Sequence[float]]

    @classmethod
    def of(cls, claim: Claim, numbers: Mapping[str, Sequence[float]]) -> Evidence:
        """Fresh numbers of a claim, as they are kept."""
        settings = [lane.model_dump(mode="json") for lane in claim.settings]
        short = {name: [float(f"{x:.{DIGITS}g}") for x in values] for name, values in numbers.items()}
        return cls(claim.number, claim.lab.declared.version, settings, claim.over, list(claim.cases), short)

    def tests(self, claim: Claim) -> bool:
        """Whether it was measured with the claim's own settings, cases and parts."""
        settings_class = claim.lab.declared
        try:
            lanes = tuple(settings_class.from_store(self.version, json.dumps(lane)) for lane in self.settings)
        except SettingsError:
            return False
        same = (self.over, tuple(self.cases)) == (claim.over, claim.cases)
        return same and lanes == claim.settings and set(self.numbers) == {part.name for part in claim.parts.values()}


def claims_of(lab: Laboratory) -> tuple[Claim, ...]:
    """The claims that a laboratory tests; none where it has no ``claims.py``."""
    claims: tuple[Claim, ...] = lab.part("claims").CLAIMS if lab.has("claims") else ()
    return claims


@cache
def claims() -> dict[str, Claim]:
    """All claims by number, in the numbers' order. Loads neither torch nor Streamlit."""
    all_claims = [claim for lab in laboratories().values() for claim in claims_of(lab)]
    return {claim.number: claim for claim in sorted(all_claims, key=lambda claim: int(claim.number[1:]))}


def claim_of(number: str) -> Claim:
    """The claim with this number; raises :class:`SettingsError` where there is none."""
    claim = claims().get(number.upper())
    if claim is None:
        raise SettingsError({"claim": f"There is no claim {number[:20]!r}; 'goldviz claims' lists them."})
    return claim


@cache
def evidence(lab: Laboratory) -> dict[str, Evidence]:
    """What is kept of a laboratory's claims, by number."""
    path = lab.recorded / "claims.json"
    if not path.exists():
        return {}
    rows = json.loads(path.read_text(encoding="utf-8"))
    return {row["number"]: Evidence(**row) for row in rows}


@cache
def verdicts(lab: Laboratory) -> dict[str, Verdict]:
    """The verdicts on a laboratory's claims that were tested with today's settings, by number."""
    pairs = ((claim, evidence(lab).get(claim.number)) for claim in claims_of(lab))
    return {claim.number: claim.judged(numbers.numbers) for claim, numbers in pairs if numbers and numbers.tests(claim)}


def keep(lab: Laboratory, evidence_by_number: Mapping[str, Evidence]) -> None:
    """Write the evidence of a laboratory's claims, one a line, in the claims' order."""
    in_order = [evidence_by_number[claim.number] for claim in claims_of(lab) if claim.number in evidence_by_number]
    rows = ",\n".join(json.dumps(vars(one), ensure_ascii=False) for one in in_order)
    write_text_beside(lab.recorded / "claims.json", f"[\n{rows}\n]\n")
    evidence.cache_clear()
    verdicts.cache_clear()
