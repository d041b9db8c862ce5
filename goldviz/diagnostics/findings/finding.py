"""A finding, the verdicts on single networks that it rests on, and how sure they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from goldviz.diagnostics.findings.advice import Remedy

Severity = Literal["bad", "warning", "good"]
Floats = NDArray[np.floating[Any]]
Verdicts = NDArray[np.bool_]


@dataclass(frozen=True)
class Finding:
    """One conclusion: what happened, the number that says so, where the line is, and what to try.

    ``number`` and ``threshold`` are ready to read ("4,100 times smaller", "100 times"). ``confidence`` says
    how sure it is and why. ``changes`` are the settings of the paired run that *Try this* starts, ``effect`` says what
    they did when they were tried. ``remedies`` are all that could be advised, ``line`` is the threshold as its rule
    writes it. ``cure`` is code that may mend it, where the network is a script's own.
    """

    kind: str
    title: str
    severity: Severity
    number: str
    threshold: str
    confidence: str
    explanation: str
    advice: str = ""
    changes: Mapping[str, Any] = field(default_factory=dict)
    effect: str = ""
    remedies: tuple[Remedy, ...] = ()
    line: str = ""
    cure: str = ""

    def without(self, is_unwanted: Callable[[Remedy], bool]) -> Finding:
        """The same finding without some of its remedies: the first of those that are left is advised."""
        left = tuple(remedy for remedy in self.remedies if not is_unwanted(remedy))
        if left == self.remedies:
            return self
        advice, changes = (left[0].advice, left[0].changes) if left else ("", {})
        return replace(self, advice=advice, changes=changes, remedies=left)


@dataclass(frozen=True)
class Verdict:
    """What one rule says about one network: its number in words, and which seeds cross the line."""

    network: str
    number: str
    seeds: Verdicts


def majority(verdicts: Verdicts) -> bool:
    """Whether more than half of the seeds cross the line."""
    return bool(np.mean(verdicts) > 0.5)


def any_seed(verdicts: Verdicts) -> bool:
    """Whether a single seed crosses the line."""
    return bool(np.any(verdicts))


def number(verdicts: Sequence[Verdict]) -> str:
    """The numbers of some verdicts, each with its network where there are several."""
    if len(verdicts) == 1:
        return verdicts[0].number
    return "; ".join(f"{verdict.network}: {verdict.number}" for verdict in verdicts)


def agreement(verdicts: Sequence[Verdict]) -> str:
    """How sure some verdicts are: the share of seeds that cross the line in the least certain of them.

    >>> agreement([Verdict("plain", "", np.array([True, True, False]))])
    '2 of 3 seeds agree'
    """
    seeds = min((verdict.seeds for verdict in verdicts), key=np.sum)
    if len(seeds) == 1:
        return "one seed: run several to be sure"
    in_favour = int(np.sum(seeds))
    return f"all {len(seeds)} seeds agree" if in_favour == len(seeds) else f"{in_favour} of {len(seeds)} seeds agree"
