"""How long a run takes: one formula for all laboratories, whose numbers are measured and kept, not written by hand.

A run does some things once and others again and again: steps of training, looks, close looks. What each of them takes
is a sum of terms, a number of seconds times sizes of the settings; the sizes and how often are the laboratory's to say
(:meth:`goldviz.declare.settings.Experiment.sizes`, ``counts``), the seconds are fitted to timed runs by ``make costs``
and stand in ``recorded/costs.json``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

ONCE = "once"
"""What a run does before its first step and after its last."""
UNMEASURED_SECONDS = 1e-3
"""Of a step of a laboratory whose costs nobody measured."""


class Term(NamedTuple):
    """So many seconds times each of the ``sizes``, only where a setting has the value that ``where`` says, if any."""

    seconds: float
    where: str
    sizes: tuple[str, ...]

    def of(self, sizes: Mapping[str, float], choices: frozenset[str]) -> float:
        """What it adds with these sizes and choices; a size that there is not is 0."""
        if self.where and self.where not in choices:
            return 0.0
        return self.seconds * prod(sizes.get(name, 0.0) for name in self.sizes)


class Costs(NamedTuple):
    """What a laboratory's runs took when they were timed, and the probe of that machine."""

    probe: float
    terms: Mapping[str, Sequence[Term]]

    def seconds(
        self, counts: Mapping[str, float], sizes: Mapping[str, float], choices: frozenset[str], learners: int
    ) -> float:
        """About how long a run takes that does each thing so often, all but the first for every learner."""
        one = {kind: sum(term.of(sizes, choices) for term in terms) for kind, terms in self.terms.items()}
        return one.get(ONCE, 0.0) + learners * sum(count * one.get(kind, 0.0) for kind, count in counts.items())


@cache
def costs_in(path: Path) -> Costs | None:
    """What was measured of a laboratory; None where nothing was.

    The file is the package's own: ``{"probe": seconds, "costs": {"step": [[seconds, where, size, size, ...], ...]}}``.
    """
    if not path.is_file():
        return None
    kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return Costs(
        float(kept["probe"]),
        {kind: [Term(float(s), w, tuple(sizes)) for s, w, *sizes in terms] for kind, terms in kept["costs"].items()},
    )
