"""What a sweep takes before it begins: time, memory and disk, and what to lower where that is too much."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldviz.declare.settings import SettingsError, label
from goldviz.runs.examples import example_path, has_example
from goldviz.runs.execution.limits import SHARE, gigabytes, hours, machine_bytes
from goldviz.runs.execution.pace import machine
from goldviz.sweeps.cells import CELLS
from goldviz.sweeps.grid import MOST_CELLS, SEED, Grid

if TYPE_CHECKING:
    from goldviz.declare.settings import Experiment

SAMPLE = 200
PROCESS_BYTES = 0.4e9
"""What a worker has beside its run."""
UNKNOWN_BYTES = 500_000
"""Of a kept cell of a laboratory without recorded runs."""


@dataclass(frozen=True)
class Cost:
    """What the cells that are to be trained take: seconds by the clock, bytes of memory and of disk."""

    name: str
    cells: int
    kept: int
    workers: int
    seconds: float
    memory: float
    disk: float

    @property
    def sentence(self) -> str:
        """The cost in words."""
        there = f"{self.kept:,} of {self.cells:,} cells are there already; " if self.kept else ""
        new = self.cells - self.kept
        on = f"on {self.workers} worker{'' if self.workers == 1 else 's'}" if self.workers else "in this process"
        return (
            f"{there}{new:,} cell{'' if new == 1 else 's'} of {self.name} {on}: about {hours(self.seconds)}, "
            f"{gigabytes(self.memory)} of memory, {gigabytes(self.disk)} on the disk."
        )


def workers_for(settings: Sequence[Experiment], asked: int | None) -> int:
    """How many processes share the cells: as many as ask, else as there are cores, cells and memory for.

    Raises :class:`SettingsError` for a number that is none.
    """
    if asked is not None:
        if isinstance(asked, bool) or not isinstance(asked, int) or not 0 <= asked <= 1024:
            raise SettingsError(
                {"workers": f"Workers is {asked!r}; allowed is a whole number from 0 to 1024, or None."}
            )
        return min(asked, len(settings))
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    largest = PROCESS_BYTES + max((one.estimated_bytes() for one in settings), default=0.0)
    return max(1, min(cores, len(settings), int(SHARE * machine_bytes() / largest)))


def cost_of(name: str, settings: Sequence[Experiment], cells: int, workers: int, probe: float, size: float) -> Cost:
    """What these runs take on so many workers, by a ``probe`` of the machine and the ``size`` of a kept cell."""
    slower = machine(type(settings[0]), probe) if settings else 1.0
    seconds = slower * sum(one.estimated_seconds() for one in settings) / max(workers, 1)
    memory = max(workers, 1) * (PROCESS_BYTES + max((one.estimated_bytes() for one in settings), default=0.0))
    disk = sum(size or cell_bytes(one) for one in settings)
    return Cost(name, cells, cells - len(settings), workers, seconds, memory if settings else 0.0, disk)


def cell_bytes(settings: Experiment) -> float:
    """About how much a kept cell takes: as the first preset's recorded run, for as many steps."""
    kind = type(settings)
    first = next((one for one in kind.presets if has_example(kind, one.slug)), None)
    if first is None:
        return UNKNOWN_BYTES
    like = kind.preset(first.slug)
    share = settings.steps_planned() / max(1, like.steps_planned()) / len(like.seeds)
    return max(20_000, example_path(kind, first.slug).stat().st_size * share)


def check_size(grid: Grid) -> None:
    """Raise :class:`SettingsError` for more cells than a sweep may have, with their cost and what to lower."""
    if len(grid) <= MOST_CELLS:
        return
    some = [cell.settings for cell in grid.some(SAMPLE) if cell.settings is not None]
    cost = cost_of(grid.kind.name, some, len(some), workers_for(some, None), 0.0, 0.0)
    times = len(grid) / max(1, len(some))
    names = [*grid.axes, SEED]
    most = max(range(len(names)), key=lambda at: grid.shape[at])
    at_most = MOST_CELLS * grid.shape[most] // len(grid)
    what = "seeds" if names[most] == SEED else f"values of {label(names[most]).lower()}"
    lower = f"take at most {at_most} {what}" if at_most else f"take fewer {what} and of the others"
    raise SettingsError({"cells": (
        f"This sweep has {len(grid):,} cells, about {hours(times * cost.seconds)} of training on {cost.workers} "
        f"workers and {gigabytes(times * cost.disk)} on the disk; allowed are {MOST_CELLS:,}: {lower}."
    )})  # fmt: skip


def check_disk(cost: Cost) -> None:
    """Raise :class:`SettingsError` where kept cells would take more room than there is for them."""
    if cost.disk > CELLS.budget:
        raise SettingsError({"cells": (
            f"These cells would take {gigabytes(cost.disk)} on the disk; allowed are {gigabytes(CELLS.budget)}. "
            "Take fewer values, seeds or steps."
        )})  # fmt: skip
