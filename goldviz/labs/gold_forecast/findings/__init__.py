"""What a run of the forecast laboratory says about its forecasts, in order and without contradiction.

A run that diverged gets no other verdict: the cause comes first. Of a score with part of the future in sight, or one
that is too good, nothing else is said, for a leak explains all of it. On shuffled targets the check is what counts.
Skill is judged when the run has ended, and with it the intervals are there; until then only a leak and the training
show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldviz.diagnostics.findings import Conclusions
from goldviz.labs.gold_forecast.findings import caveats, documents, skill, training
from goldviz.labs.gold_forecast.measures import Reading

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run
    from goldviz.labs.gold_forecast.settings import GoldForecast

RULES = (training.DIVERGED, *documents.RULES, *skill.RULES, *caveats.RULES, *training.RULES, caveats.SIMULATED)
"""In the order in which they are judged."""


def readings(settings: GoldForecast, dataset: Run) -> list[Reading]:
    """The run, as rules read it."""
    return [Reading.of(dataset)]


findings_of = Conclusions(RULES, readings)
