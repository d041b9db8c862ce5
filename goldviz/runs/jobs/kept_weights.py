"""A run's weights as they stood at a kept step, named so that a worker finds them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from goldviz.runs.examples import EXAMPLE, weights_path
from goldviz.runs.store.run_store import Store

if TYPE_CHECKING:
    from goldviz.declare.settings import Experiment


class KeptWeights(NamedTuple):
    """The run, or the recorded run of a preset; the step; and the run's settings as JSON."""

    run: str
    step: int
    settings: str

    def state(self, experiment: type[Experiment]) -> bytes:
        """The packed state; raises :class:`goldviz.runs.store.schema.StoreError` where the run or its state is gone."""
        if self.run.startswith(EXAMPLE):
            return weights_path(experiment, self.run.removeprefix(EXAMPLE)).read_bytes()
        return Store().checkpoint(self.run, self.step)
