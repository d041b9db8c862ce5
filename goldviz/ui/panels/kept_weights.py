"""With which weights of a run a person may try something, and why there are none yet."""

from __future__ import annotations

from typing import Any

from goldviz.runs.jobs.kept_weights import KeptWeights
from goldviz.ui.panels.lanes import Lane
from goldviz.ui.serving import services


def kept_weights(lane: Lane[Any], step: int | None) -> KeptWeights | None:
    """The last kept weights that are not after the step in view, or the first after the start."""
    if lane.run is None:
        return None
    checkpoints = [one for one in services.store().checkpoint_steps(lane.id) if one > 0]
    if not checkpoints:
        return None
    before = [one for one in checkpoints if step is None or one <= step]
    return KeptWeights(lane.id, before[-1] if before else checkpoints[0], lane.stored.model_dump_json())


def not_yet(lane: Lane[Any], does: str) -> str:
    """Why there are none; ``does`` is what they would do, such as "translates your sentence here"."""
    if lane.unfinished:
        return f"The run is learning. As soon as it has kept weights, it {does}."
    if lane.run is not None:
        return f"This run has kept no weights. Press *Train* to make one that {does}."
    return f"Recorded examples come without weights. Press *Train*: as soon as your run has kept some, it {does}."
