"""How fast this machine trains: what finished runs took beside what was estimated of them."""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from goldviz.declare.settings import SettingsError

if TYPE_CHECKING:
    from goldviz.declare.settings import Experiment
    from goldviz.runs.store.run import Run
    from goldviz.runs.store.run_store import Store

LATEST = 30
"""So many finished runs of a laboratory are looked at; earlier ones may be of another machine."""
NEAREST = 5
"""The correction is the median of so many runs, those whose estimates are nearest: what every run costs once weighs
more in a short one."""


class Expected(NamedTuple):
    """How long a run will take, and of how many timed runs that is known."""

    seconds: float
    runs: int


def expected(store: Store, settings: Experiment) -> Expected:
    """The settings' own estimate, corrected by what runs on the same device took; raises what the store raises."""
    own = settings.estimated_seconds()
    runs, _ = store.list(experiment=settings.name, status="finished", limit=LATEST)
    pairs = [pair for run in runs if (pair := _timed(run, settings)) is not None]
    pairs.sort(key=lambda pair: abs(math.log(pair[0] / own)))
    slower = [took / estimate for estimate, took in pairs[:NEAREST]]
    return Expected(own * median(slower), len(slower)) if slower else Expected(own, 0)


def _timed(run: Run, like: Experiment) -> tuple[float, float] | None:
    """What was estimated of a run and what it took; nothing of one that does not tell of settings such as these.

    A fork shares its parent's beginning. Runs of earlier versions say how long they trained, not how long they took.
    """
    took = float(run.attributes.get("took", run.seconds))
    if run.parent is not None or took <= 0:
        return None
    try:
        settings = like.from_store(run.settings_version, run.settings)
    except SettingsError:
        return None
    estimate = settings.estimated_seconds()
    return (estimate, took) if settings.device == like.device and estimate > 0 else None
