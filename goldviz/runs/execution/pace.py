"""How fast this machine trains: what finished runs took beside what was estimated of them."""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from goldviz.declare.registry import experiments
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
LONG_SECONDS = 1.0
"""Of a shorter run of another laboratory more is what every run costs once than the machine's speed."""


class Expected(NamedTuple):
    """How long a run will take, and of how many timed runs that is known."""

    seconds: float
    runs: int


def expected(store: Store, settings: Experiment) -> Expected:
    """The settings' own estimate, corrected by what runs on the same device took; raises what the store raises.

    Before the laboratory's first timed run those of others tell how fast the machine is.
    """
    own = settings.estimated_seconds()
    slower = _slower(store, settings, settings.name)
    return Expected(own * median(slower or _slower(store, settings) or [1.0]), len(slower))


def _slower(store: Store, settings: Experiment, experiment: str | None = None) -> list[float]:
    """How many times as long as estimated the most alike runs took, of one laboratory or of all."""
    runs, _ = store.list(experiment=experiment, status="finished", limit=LATEST)
    own = settings.estimated_seconds()
    pairs = [pair for run in runs if (pair := _timed(run, settings.device)) is not None]
    if experiment is None:
        pairs = [pair for pair in pairs if pair[0] >= LONG_SECONDS]
    pairs.sort(key=lambda pair: abs(math.log(pair[0] / own)))
    return [took / estimate for estimate, took in pairs[:NEAREST]]


def _timed(run: Run, device: str) -> tuple[float, float] | None:
    """What was estimated of a run and what it took; nothing of one that tells nothing of runs on this device.

    A fork shares its parent's beginning. Runs of earlier versions say how long they trained, not how long they took.
    """
    took = float(run.attributes.get("took", run.seconds))
    declared = experiments().get(run.experiment)
    if run.parent is not None or took <= 0 or declared is None:
        return None
    try:
        settings = declared.from_store(run.settings_version, run.settings)
    except SettingsError:
        return None
    estimate = settings.estimated_seconds()
    return (estimate, took) if settings.device == device and estimate > 0 else None
