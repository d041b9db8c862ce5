"""What the store tells of a run beside its arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from goldviz.runs.store.rows import UNFINISHED


@dataclass(frozen=True)
class Run:
    """What is known of a run without its arrays."""

    id: str
    experiment: str
    name: str
    settings: str
    settings_version: int
    status: str
    message: str
    created: float
    step: int
    total: int
    seconds: float
    instrument_seconds: float
    version: int
    parent: str | None
    parent_step: int | None
    attributes: Mapping[str, Any]
    changes: Mapping[str, Any]

    @property
    def unfinished(self) -> bool:
        """Whether a worker has, or will have, something to do for it."""
        return self.status in UNFINISHED

    @property
    def seconds_left(self) -> float | None:
        """Time left at the pace so far, in seconds; None before the first step."""
        return self.seconds / self.step * (self.total - self.step) if self.step else None


@dataclass(frozen=True)
class Start:
    """What a worker needs to carry a run out: the lease under which it may write, and where the run stands.

    ``run.step`` is its last kept step, 0 at the beginning, and ``state`` what was kept there, if anything.
    """

    lease: str
    run: Run
    state: bytes | None


class Size(NamedTuple):
    """Bytes of what was recorded of a run, and of its checkpoints to go back to."""

    records: int
    checkpoints: int


class Result(NamedTuple):
    """What a run came to: the name of what was measured, and its value for each network."""

    name: str
    values: Mapping[str, float]


class About(NamedTuple):
    """What a run's records are labelled with: its variables, coordinates and attributes, as its dataset has them; the
    changes of hot settings, in order; and the variables that have no growing dimension."""

    variables: Mapping[str, Mapping[str, Any]]
    coordinates: Mapping[str, Any]
    attributes: Mapping[str, Any]
    marks: Sequence[Mapping[str, Any]]
    once: Mapping[str, np.ndarray]
