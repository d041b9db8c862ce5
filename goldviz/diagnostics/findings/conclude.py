"""From rules and readings to findings: in order, without contradiction, few, and dated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.findings.finding import Finding, Verdicts
from goldviz.diagnostics.findings.line import Line
from goldviz.diagnostics.findings.rule import Rule, name_of

ORDER = {"bad": 0, "warning": 1, "good": 2}
MOST = 5


class Planned(Protocol):
    """What is asked of the settings: along which dimension a run goes, and how far."""

    step: ClassVar[str]

    def steps_planned(self) -> int:
        """How many steps the run takes."""


@dataclass(frozen=True)
class Conclusions:
    """What a laboratory concludes from its runs: rules in their order, and how readings are read off a run.

    Called with settings and a dataset it gives the findings, most serious first, at most ``most``. Where there are too
    many, ``praise`` places are kept for good ones, and one for each that must be told: what works is worth knowing,
    too. ``learned`` says which seeds have learned their task: no rule that is one ``of_training`` complains of them.
    """

    rules: Sequence[Rule]
    readings: Callable[[Any, Run], Sequence[Any]]
    most: int = MOST
    praise: int = 1
    learned: Line | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", tuple(rule.sparing(self.learned) for rule in self.rules))

    def __call__(self, settings: Planned, dataset: Run) -> list[Finding]:
        """The findings that a page shows."""
        return conclude(self.rules, self.readings(settings, dataset), settings, dataset, self.most, self.praise)

    def all(self, settings: Planned, dataset: Run) -> list[Finding]:
        """The findings, however many."""
        return conclude(self.rules, self.readings(settings, dataset), settings, dataset, most=len(self.rules))

    def learned_by(self, settings: Planned, dataset: Run) -> dict[str, Verdicts]:
        """For each network the seeds that have learned their task; none where nobody says what that is."""
        if self.learned is None:
            return {}
        return {name_of(n): np.atleast_1d(self.learned.over(n)) for n in self.readings(settings, dataset)}

    def over(self, settings: Planned, dataset: Run) -> dict[str, dict[str, Verdicts]]:
        """For each kind of rule and each network, the seeds over its line, whatever other rules say of them."""
        readings = self.readings(settings, dataset)
        return {rule.kind: rule.over(readings, settings, dataset) for rule in self.rules}


def conclude(
    rules: Sequence[Rule], readings: Sequence[Any], settings: Planned, dataset: Run, most: int = MOST, praise: int = 1
) -> list[Finding]:
    """Findings of a run, most serious first, at most ``most``; see :class:`Conclusions`.

    Rules are judged in their order, so a rule can be silenced by those before it alone; among findings that are
    equally serious the same order holds. A rule that stands ``alone`` silences all after it. A run that goes on says
    how far it is, one that diverged where it ended.

    Raises:
        KeyError: a rule names a kind in ``silenced_by`` that no rule before it has.
    """
    at = int(dataset[settings.step].max()) if dataset.sizes.get(settings.step) else 0
    last_step = settings.steps_planned()
    over_line: dict[str, set[str]] = {}
    alone: list[str] = []
    pairs: list[tuple[Rule, Finding]] = []
    for rule in rules:
        silenced = replace(rule, silenced_by=(*alone, *rule.silenced_by))
        case = silenced.judge(readings, settings, dataset, over_line)
        failures = {name_of(reading) for reading in readings} if case.said_by_run else set()
        over_line.setdefault(rule.kind, set()).update(case.names | failures)
        if rule.alone:
            alone.append(rule.kind)
        if (case.verdicts or case.said_by_run) and (at >= last_step or not rule.at_end):
            pairs.append((rule, rule.finding(case)))
    pairs.sort(key=lambda pair: ORDER[pair[1].severity])
    findings = _shortened(pairs, most, praise)
    if at >= last_step:
        return findings
    until = "the run ended" if dataset.attrs.get("status") == "diverged" else "so far,"
    how_far = f"{until} at {settings.step} {at} of {last_step}"
    return [replace(finding, confidence=f"{finding.confidence}; {how_far}") for finding in findings]


def _shortened(pairs: Sequence[tuple[Rule, Finding]], most: int, praise: int) -> list[Finding]:
    """The first ones, with places kept for good ones and for those that must be told; the order stays."""
    good = [place for place, (_, finding) in enumerate(pairs) if finding.severity == "good"][:praise]
    must_tell = [place for place, (rule, _) in enumerate(pairs) if rule.must_tell]
    places = dict.fromkeys([*must_tell, *good, *range(len(pairs))])
    return [pairs[place][1] for place in sorted(list(places)[:most])]
