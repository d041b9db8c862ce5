"""Lanes of *Your network*: a run that somebody's own script trains, or the recorded one that stands there before."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from goldviz.declare.settings import SettingsError
from goldviz.diagnostics.findings import Finding, percent
from goldviz.runs.examples import EXAMPLE
from goldviz.ui.panels.lanes import Shown
from goldviz.ui.serving import services
from goldviz.ui.words import duration
from goldviz.watching import example
from goldviz.watching.declared import STEP, WATCHED
from goldviz.watching.findings import findings_of, gauge
from goldviz.watching.measures import knobs_of, looked_every, share_watching, trials_of, tried_of
from goldviz.watching.versions import known, said_of

RECORDED = f"{EXAMPLE}vanishing"
"""The lane of the recorded run."""


@dataclass(frozen=True)
class WatchedLane(Shown):
    """A watched run at one moment; ``left_out`` says what another goldviz recorded and this one does not know."""

    left_out: str

    @property
    def own_title(self) -> str:
        """What its script called it."""
        return (self.run.name if self.run else example.TITLE) or self.id

    @property
    def step(self) -> str:
        """What its steps are called, from before the first one on."""
        return STEP

    @property
    def growing(self) -> bool:
        """Whether its script trains now."""
        return self.run is not None and self.run.status == "running"

    @cached_property
    def findings(self) -> Sequence[Finding]:
        """What its cards say."""
        return findings_of(self.records)


def read(lane_id: str) -> WatchedLane:
    """A lane's present state; raises as :func:`goldviz.ui.panels.lanes.read` does."""
    if lane_id == RECORDED:
        return WatchedLane(lane_id, example.recorded(), None, "")
    run, records = services.live_run(lane_id).snapshot()
    if run.experiment != WATCHED:
        raise SettingsError({"run": f"The run {lane_id!r} is of a laboratory; the page Runs opens it."})
    return WatchedLane(lane_id, known(records), run, said_of(records))


def progress_of(lane: WatchedLane) -> tuple[float | None, str]:
    """How far a run is, in words; how far that is of all its steps nobody knows."""
    run = lane.run
    step, seconds = (run.step, run.seconds) if run else (example.STEPS, float(lane.records.attrs["duration"]))
    if not step:
        return None, "No step yet: waiting for the first."
    share, every = share_watching(lane.records), looked_every(lane.records)
    parts = [f"Step {step:,}", duration(seconds)]
    parts += [f"watching took {percent(share)} of your steps' time"] if math.isfinite(share) else []
    parts += [f"to keep its budget it looks once in {every} steps"] if every else []
    return None, " · ".join(parts)


def sense_of(lane: WatchedLane) -> str:
    """A mark of all that the page says of a run beside its figures and its progress."""
    run, records = lane.run, lane.records
    if run is None:
        return ""
    findings = lane.findings if lane.last_step else []
    parts = [run.status, run.message, run.name, run.step > 0, records.attrs.get("marks", ""), lane.left_out]
    parts += [knobs_of(records), trials_of(records), tried_of(records), gauge(records, findings)]
    parts += [sorted(records.arrays)]
    parts += [(one.kind, one.title, one.number, one.severity) for one in findings]
    return hashlib.blake2b(repr(parts).encode(), digest_size=8).hexdigest()
