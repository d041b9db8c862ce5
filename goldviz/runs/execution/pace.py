"""How long a run will take on this machine: what its settings say, by a probe of the machine or by runs timed on it."""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from goldviz.declare.registry import experiments
from goldviz.declare.settings import SettingsError, measured_costs

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


def expected(store: Store, settings: Experiment, probe: float = 0.0) -> Expected:
    """The settings' own estimate, corrected by what runs on the same device took; raises what the store raises.

    Before the laboratory's first timed run, a ``probe`` of this machine (:func:`goldviz.training.probe.probe`) is set
    against that of the machine on which its costs were measured; 0 stands for one that is not known yet.
    """
    slower = _slower(store, settings)
    own = settings.estimated_seconds()
    return Expected(own * (median(slower) if slower else machine(type(settings), probe)), len(slower))


def machine(experiment: type[Experiment], probe: float) -> float:
    """How many times as long this machine takes as the one on which a laboratory's costs were measured."""
    costs = measured_costs(experiment)
    return probe / costs.probe if costs and probe > 0 else 1.0


def _slower(store: Store, settings: Experiment) -> list[float]:
    """How many times as long as estimated the laboratory's most alike runs took."""
    runs, _ = store.list(experiment=settings.name, status="finished", limit=LATEST)
    own = settings.estimated_seconds()
    pairs = [pair for run in runs if (pair := _timed(run, settings.device)) is not None]
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
