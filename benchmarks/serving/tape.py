"""A run recorded on tape, to be played into stored runs without training: many runs that grow at the same time."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from goldviz.declare.laboratory import laboratory_of
from goldviz.labs.depth_gradients.settings import DepthGradients
from goldviz.runs.recorder import Batch, Progress, Recorder
from goldviz.runs.store.memory import NobodyAsks
from goldviz.runs.store.run_store import Store


@dataclass
class Tape:
    """A sink that keeps what a run of ``settings`` handed over, step by step."""

    settings: DepthGradients
    labels: dict[str, list[Any]] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    finals: dict[str, np.ndarray] = field(default_factory=dict)
    steps: list[tuple[Batch, Progress]] = field(default_factory=list)

    @classmethod
    def of(cls, settings: DepthGradients) -> Tape:
        """Train once."""
        tape = cls(settings)
        laboratory_of(settings).run(settings, Recorder(settings, tape, NobodyAsks()))
        return tape

    def coordinates(self, coordinates: Mapping[str, list[Any]]) -> None:
        self.labels.update(coordinates)

    def attributes(self, attributes: Mapping[str, Any]) -> None:
        self.facts.update(attributes)

    def once(self, name: str, values: np.ndarray) -> None:
        self.finals[name] = values

    def batch(self, batch: Batch, progress: Progress) -> None:
        copied = Batch(batch.last_step)
        copied.extend(batch)
        self.steps.append((copied, progress))

    def mark(self, step: int, text: str, changes: Mapping[str, Any]) -> None: ...

    def checkpoint(self, step: int, state: bytes) -> None: ...

    def begin(self, store: Store, run_id: str) -> None:
        """Make a stored run look like one that a worker has begun."""
        store.append(
            run_id,
            self.steps[0][1],
            batch=self.steps[0][0],
            coordinates=self.labels,
            attributes=self.facts,
            status="running",
        )

    def play(self, store: Store, run_id: str, first: int, last: int) -> None:
        """Append the records of the steps ``first`` to ``last - 1``, counted from 0, in one write."""
        together = Batch(last)
        for batch, _ in self.steps[first:last]:
            together.extend(batch)
        store.append(run_id, self.steps[last - 1][1], batch=together)

    def finish(self, store: Store, run_id: str) -> None:
        """Write the end."""
        store.append(run_id, self.steps[-1][1], once=self.finals, status="finished")


def play_all(tape: Tape, url: str, run_ids: Sequence[str], every: float, log: Path) -> None:
    """Let all these runs grow by one step every so many seconds, evenly spread in time, until the tape ends.

    ``log`` gets a line for each step that was written: the run, the step, and when.
    """
    store = Store(url)
    began = time.monotonic()
    with log.open("w") as written:
        for step in range(1, len(tape.steps)):
            for place, run_id in enumerate(run_ids):
                time.sleep(max(0.0, began + (step - 1 + place / len(run_ids)) * every - time.monotonic()))
                tape.play(store, run_id, step, step + 1)
                print(run_id, step + 1, time.time(), file=written)
        for run_id in run_ids:
            tape.finish(store, run_id)
