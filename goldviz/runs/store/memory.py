"""A run kept in memory: what a notebook and the shell use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from goldviz.runs.recorder import Batch, Command, Progress
from goldviz.runs.store.arrays import light_dataset

if TYPE_CHECKING:
    import xarray as xr


@dataclass
class Memory:
    """A sink that keeps everything but states, and tells ``watch`` how far the run is."""

    watch: Callable[[Progress], None] = lambda progress: None
    records: Batch = field(default_factory=lambda: Batch(0))
    labels: dict[str, list[Any]] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    finals: dict[str, np.ndarray] = field(default_factory=dict)
    marks: list[dict[str, Any]] = field(default_factory=list)
    progress: Progress = field(default_factory=lambda: Progress(0, 0, 0.0, 0.0))

    def coordinates(self, coordinates: Mapping[str, list[Any]]) -> None:
        """Keep the labels of the fixed dimensions."""
        self.labels.update(coordinates)

    def attributes(self, attributes: Mapping[str, Any]) -> None:
        """Keep facts about the run."""
        self.facts.update(attributes)

    def once(self, name: str, values: np.ndarray) -> None:
        """Keep a variable without a growing dimension."""
        self.finals[name] = values

    def batch(self, batch: Batch, progress: Progress) -> None:
        """Keep the records of one step."""
        self.records.extend(batch)
        self.progress = progress
        self.watch(progress)

    def mark(self, step: int, text: str, changes: Mapping[str, Any]) -> None:
        """Keep the change of a hot setting."""
        self.marks.append({"step": step, "text": text, "changes": dict(changes)})

    def checkpoint(self, step: int, state: bytes) -> None:
        """States are for rewinding, which needs a store."""

    def dataset(self, variables: Mapping[str, Mapping[str, Any]], attributes: Mapping[str, Any]) -> xr.Dataset:
        """All that was recorded, labelled."""
        facts = {**self.facts, **attributes, "marks": self.marks}
        return light_dataset(variables, self.labels, self.records.stacked(), self.finals, facts).dataset


class NobodyAsks:
    """A control channel without commands."""

    def commands(self) -> list[Command]:
        """No commands."""
        return []
