"""A rule says once when a finding is made, about which networks, and in which words.

A laboratory writes its rules as data, in the order in which they are judged::

    SATURATED = Rule(
        "saturated",
        "warning",
        "Many activations are saturated in {subject}",
        line=above("saturation", 0.3, "{at:percent}, mean over the layers at the last epoch"),
        number="{saturation:percent} of the activations",
        explanation="On the flat ends of {settings.activation} the slope is almost 0 ...",
        advice=[("Draw smaller weights.", {"gain": DividedBy(2)})],
        only=lambda reading, settings: settings.activation in ("tanh", "sigmoid"),
    )

and concludes with :func:`~goldviz.diagnostics.findings.conclude.conclude`. A *reading* is what was recorded of one
network: any frozen object with a ``name`` and an array of one value for each seed for each measure (no ``name`` where
the run has one network alone). What can be said with a measure belongs into the reading; a rule is left with words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import KW_ONLY, dataclass, replace
from string import Formatter
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.findings.advice import Candidate, Remedy, Suited, remedies
from goldviz.diagnostics.findings.finding import (
    Finding,
    Severity,
    Verdict,
    Verdicts,
    agreement,
    majority,
    number,
)
from goldviz.diagnostics.findings.line import Line
from goldviz.diagnostics.findings.measures import median
from goldviz.diagnostics.findings.words import Least, Networks, Printed, apart_from, counted


@dataclass(frozen=True)
class Case:
    """What a rule found, for the parts of its finding that depend on it.

    ``considered`` are the readings that no other rule silenced, ``readings`` those of them that are over the line and
    ``verdicts`` what is said of each; ``everything`` are all readings. ``crossed`` names, for the kind of each rule
    that was judged before, the networks that are over its line. ``said_by_run`` is the number of a finding that the
    run as a whole makes (no network is over the line then).
    """

    settings: Any
    dataset: Run
    everything: Sequence[Any]
    considered: Sequence[Any]
    readings: Sequence[Any]
    verdicts: Sequence[Verdict]
    crossed: Mapping[str, Set[str]]
    said_by_run: str = ""

    @property
    def names(self) -> set[str]:
        """The networks over the line."""
        return {verdict.network for verdict in self.verdicts}

    def also(self, kind: str) -> bool:
        """Whether a network over this line is over that of an earlier rule, too."""
        return bool(self.names & self.crossed[kind])

    def others(self, but: str) -> list[Any]:
        """Readings of networks that are neither over this line nor over that of the earlier rule ``but``."""
        return [n for n in self.everything if name_of(n) not in self.names | self.crossed[but]]

    @property
    def reading(self) -> Any:
        """The reading over the line, where there is one alone.

        Raises:
            ValueError: there are several, or none.
        """
        [reading] = self.readings
        return reading

    def largest(self, measure: str) -> float:
        """The largest of a measure's medians over seeds, of the networks over the line."""
        return max(median(getattr(n, measure)) for n in self.readings)

    def text(self, words: str) -> str:
        """A template with its :class:`Fields` filled in."""
        return words.format_map(Fields(self.readings, self.settings))


Text = str | Callable[[Case], str]
"""A template, or a function of the case that gives one; :meth:`Case.text` fills it in."""


def anywhere(reading: Any, settings: Any) -> bool:
    """A rule that holds for every network and all settings."""
    return True


def nothing(dataset: Run) -> str:
    """A run that says nothing as a whole."""
    return ""


def sureness(case: Case) -> str:
    """The share of seeds that agree, or that the run was stopped."""
    return agreement(case.verdicts) if case.verdicts else "the run stopped for it"


@dataclass(frozen=True)
class Rule:
    """One finding in waiting; parts that are constant are written as they are, others as functions.

    - ``kind``, ``severity``, ``title`` and ``explanation`` become the finding's. Titles, explanations, numbers and
      what lines say are templates for :class:`Fields`.
    - ``line``: a :class:`Line`, or a function of the settings that gives one. It decides, and prints itself.
    - ``number``: a template, or a function of the reading; said of each network over the line.
    - ``explanation``: at most one sentence, of what was measured or what it means; none where the number says all.
    - ``advice``: candidates for :func:`remedy`, the first that changes something is given; or a function of the case.
    - ``only``: whether the rule applies to a reading and settings at all.
    - ``silenced_by``: kinds of rules before this one; a network over one of their lines gets no verdict here.
    - ``unless``: kinds of rules before this one; where any network is over one of their lines, none gets a verdict.
    - ``enough``: how many seeds have to be over the line; more than half where nothing else is said.
    - ``confidence``: how sure it is, where seeds that agree are not the measure; a template, too.
    - ``asked``: what each of the seeds was asked; said after how many agree.
    - ``of_training``: whether it complains of how training went (its gradients, its steps, its states) and not of what
      came of it: then nothing is said of seeds that have learned their task all the same.
    - ``alone``: whether nothing else is said of a network over its line, for it is the cause of all the rest.
    - ``run_says``: words for the number where the run as a whole says so though no network's reading does, else "".
      It then stands for all networks.
    - ``at_end``: whether the finding waits for the run's end; what it silences, it silences before.
    - ``must_tell``: whether it keeps a place among the findings, whatever else there is.
    """

    kind: str
    severity: Severity | Callable[[Case], Severity]
    title: Text
    _: KW_ONLY
    line: Line | Callable[[Any], Line]
    number: str | Callable[[Any], str]
    explanation: Text = ""
    advice: Sequence[Candidate | Suited] | Callable[[Case], Sequence[Candidate | Suited]] = ()
    only: Callable[[Any, Any], bool] = anywhere
    silenced_by: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    enough: Callable[[Verdicts], bool] = majority
    confidence: Text = sureness
    asked: str = ""
    run_says: Callable[[Run], str] = nothing
    at_end: bool = False
    must_tell: bool = False
    of_training: bool = False
    alone: bool = False

    def sparing(self, learned: Line | None) -> Rule:
        """The rule with a line that no seed is over which ``learned`` its task, where it is one ``of_training``."""
        if learned is None or not self.of_training:
            return self

        def spared(line: Line) -> Line:
            return replace(
                line,
                over=lambda n: np.asarray(line.over(n) & ~learned.over(n)),
                spares=lambda n: np.asarray(line.over(n) & learned.over(n)),
            )

        if isinstance(self.line, Line):
            return replace(self, line=spared(self.line))
        by_settings = self.line
        return replace(self, line=lambda settings: spared(by_settings(settings)))

    def judge(self, readings: Sequence[Any], settings: Any, dataset: Run, over_line: Mapping[str, Set[str]]) -> Case:
        """Which of the readings are over the line, but for those that earlier rules (``over_line``) silence."""
        silent = {name for kind in self.silenced_by for name in over_line[kind]}
        unsaid = any(over_line[kind] for kind in self.unless)
        candidates = [n for n in readings if name_of(n) not in silent and self.only(n, settings) and not unsaid]
        line = self.line_for(settings)
        over = [(n, seeds) for n in candidates if self.enough(seeds := np.atleast_1d(line.over(n)))]
        return Case(
            settings=settings,
            dataset=dataset,
            everything=readings,
            considered=candidates,
            readings=[n for n, _ in over],
            verdicts=[Verdict(name_of(n), self._number(n, settings, line, seeds), seeds) for n, seeds in over],
            crossed=over_line,
            said_by_run="" if over else self.run_says(dataset),
        )

    def line_for(self, settings: Any) -> Line:
        """The line that holds for these settings."""
        return self.line if isinstance(self.line, Line) else self.line(settings)

    def _switched_off(self, case: Case, remedy: Remedy) -> bool:
        """Whether the rule would not apply any more to what a remedy makes of the settings."""
        if self.only is anywhere or not case.readings:
            return False
        after = case.settings.model_copy(update=dict(remedy.changes))
        return not any(self.only(reading, after) for reading in case.readings)

    def finding(self, case: Case) -> Finding:
        """The finding that a case makes."""
        candidates = self.advice(case) if callable(self.advice) else self.advice
        useful = tuple(
            replace(one, switches_off=self._switched_off(case, one)) for one in remedies(case.settings, *candidates)
        )
        line = self.line_for(case.settings).words
        return Finding(
            kind=self.kind,
            title=_text(self.title, case),
            severity=self.severity(case) if callable(self.severity) else self.severity,
            number=number(case.verdicts) if case.verdicts else case.said_by_run,
            threshold=case.text(line),
            confidence="; ".join(filter(None, (_text(self.confidence, case), self.asked))),
            explanation=_text(self.explanation, case),
            advice=useful[0].advice if useful else "",
            changes=useful[0].changes if useful else {},
            remedies=useful,
            line=line,
        )

    def over(self, readings: Sequence[Any], settings: Any, dataset: Run) -> dict[str, Verdicts]:
        """Which seeds of each network are over the line, whatever other rules say; of the whole run under no name."""
        line = self.line_for(settings)
        by_network = {name_of(n): np.atleast_1d(line.over(n)) for n in readings if self.only(n, settings)}
        if self.run_says(dataset):
            by_network[""] = np.ones(dataset.sizes.get("seed", 1), dtype=bool)
        return by_network

    def _number(self, reading: Any, settings: Any, line: Line, seeds: Verdicts) -> str:
        if callable(self.number):
            with apart_from([limit for limits in line.limits.values() for limit in limits]):
                said = self.number(reading)
        else:
            said = self.number.format_map(Fields([reading], settings, line.limits))
        if self.confidence is not sureness or seeds.all():
            return said
        return f"{said}; on {counted(seeds, 'seeds')}{self._of_the_others(reading, line, seeds)}"

    def _of_the_others(self, reading: Any, line: Line, seeds: Verdicts) -> str:
        """What the seeds have that do not agree: that they learned their task, or the number which is told first, of
        the farthest of them."""
        spared = np.zeros_like(seeds) if line.spares is None else np.atleast_1d(line.spares(reading))
        if spared.any():
            return f"; {spared.sum()} learned the task all the same"
        parts = () if callable(self.number) else Formatter().parse(self.number)
        field, form = next(((str(part[1]), str(part[2])) for part in parts if part[1]), ("", ""))
        values = np.asarray(getattr(reading, line.measure, np.nan), float)
        if field != line.measure or values.shape != seeds.shape:
            return ""
        others = values[~seeds]
        farthest = Printed(others.min() if line.rises else others.max()).beside(line.limits[field])
        if not np.isfinite(farthest):
            return ""
        if others.size == 1:
            return f", {farthest:{form}} on the other"
        return f", {'down' if line.rises else 'up'} to {farthest:{form}} on the others"


def filled(template: str, reading: Any, settings: Any = None) -> str:
    """A template with the measures of one reading, each the median of its seeds: pages tell them as rules do."""
    return template.format_map(Fields([reading], settings))


def name_of(reading: Any) -> str:
    """The reading's network; empty where the run has one alone."""
    return str(getattr(reading, "name", ""))


def _text(words: Text, case: Case) -> str:
    return case.text(words(case) if callable(words) else words)


class Fields(Networks):
    """What a template may name: its :class:`Networks`, ``{settings.depth}`` and its like, and measures of the reading.

    ``"{update:times}"`` prints the median of a measure's seeds, where the template is about one reading alone. What is
    no number is printed as it is, and a dot leads to its parts.
    ``limits`` are what measures are compared with, by their names: their numbers are told apart from those.
    """

    def __init__(
        self, readings: Sequence[Any], settings: Any, limits: Mapping[str, Sequence[float]] | None = None
    ) -> None:
        clauses = ((name_of(n), getattr(n, "clause", {})) for n in readings)
        super().__init__([str(clause.get(name, name)) for name, clause in clauses], settings=settings)
        self.readings = readings
        self.limits = limits or {}

    def __missing__(self, field: str) -> Any:
        if not self.readings or not all(hasattr(n, field) for n in self.readings):
            return super().__missing__(field)
        if len(self.readings) > 1:
            return Least(min(median(np.asarray(getattr(n, field), float)) for n in self.readings))
        measure = getattr(self.readings[0], field)
        if not isinstance(measure, float | np.ndarray):
            return measure
        return Printed(median(np.asarray(measure, float))).beside(self.limits.get(field, ()))
