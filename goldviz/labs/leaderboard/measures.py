"""What a leaderboard's numbers are: scores, what a trap changes, and which rows can be told apart."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.findings import Verdicts
from goldviz.diagnostics.measure import RunReading, each, measure
from goldviz.labs.leaderboard.choices import TRAPS
from goldviz.models.series.forecasters.table import FORECASTERS

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Array, Run

FOLLOWS = 0.9
"""R² of levels from which forecasts look right to the eye."""
LOADERS = (512, 128, 32)
"""Usual batch sizes of a test loader, the largest first."""


def _at_last(run: Run, name: str, forecaster: str) -> Array:
    """A row's variable after the last epoch."""
    if forecaster not in run["forecaster"].values:
        rows = ", ".join(map(str, run["forecaster"].values))
        raise KeyError(f"The run has no row {forecaster}; it has {rows}.")
    return run[name].isel(epoch=-1).sel(forecaster=forecaster)


def _changed(trap: str, run: Run, name: str) -> Array:
    honest, with_trap = (_at_last(run, one, name).sel(trap=trap) for one in ("trap_honest", "trap_score"))
    return change(honest, with_trap)


ROWS = {name: forecaster.label for name, forecaster in FORECASTERS.items()}
TOLD = each(
    ROWS, "{}.told", "{}: the mean squared error that the table tells.", lambda run, name: _at_last(run, "told", name)
)
CHANGED = {
    one.name: one
    for trap, words in TRAPS.items()
    for one in each(
        ROWS,
        f"{{}}.{trap}",
        f"{{}}, {words}: the share by which the trap changes its score.",
        partial(_changed, trap),
    ).values()
}
LEVEL_R2 = each(
    ROWS,
    "{}.level_r2",
    "{}: R² of one-step forecasts, against the mean of what came.",
    lambda run, name: _at_last(run, "level_r2", name),
)
MOVE_R2 = each(
    ROWS,
    "{}.move_r2",
    "{}: R² of one-step forecasts, against repeating the last value.",
    lambda run, name: _at_last(run, "move_r2", name),
)
OVER_LEAST_SQUARES = each(
    {name: label for name, label in ROWS.items() if name != "least_squares"},
    "{}.over_least_squares",
    f"The score of {{}} over that of {ROWS['least_squares']}.",
    lambda run, name: TOLD[name](run) / TOLD["least_squares"](run),
)


def change(honest: Array, with_trap: Array) -> Array:
    """By which share of itself a trap changes a score."""
    return with_trap / honest.where(honest > 0) - 1


def leader(scores: Array) -> str:
    """The row with the lowest score; empty where none has one."""
    values = np.where(np.isfinite(scores.values), scores.values, np.inf)
    return str(scores["forecaster"].values[int(values.argmin())]) if np.isfinite(values).any() else ""


def abreast(scores: Array, low: Array, high: Array) -> list[str]:
    """The rows, but for the leader, whose difference from it may be zero: (forecaster,) and (forecaster, rival)."""
    first = leader(scores)
    if not first:
        return []
    ends = low.sel(rival=first).values, high.sel(rival=first).values
    return [
        str(name)
        for name, from_below, from_above in zip(scores["forecaster"].values, *ends, strict=True)
        if str(name) != first and from_below <= 0 <= from_above
    ]


def order(low: Array, high: Array) -> Array:
    """Which of two rows is better: -1 the row, 1 its rival, 0 where the interval of the difference holds zero."""
    signs = np.where(high.values < 0, -1.0, np.where(low.values > 0, 1.0, 0.0))
    return low.copy(data=np.where(np.isfinite(low.values + high.values), signs, np.nan))


def loader_sizes(run: Run) -> Sequence[int]:
    """The batch sizes that the first figure marks: one window, and the two largest usual ones that fit."""
    fitting = [size for size in LOADERS if size <= int(run.attrs["windows"])]
    return sorted({1, *fitting[:2]})


class Reading(RunReading):
    """What a run's table says after its last epoch, for its rules; empty or NaN where nothing was recorded."""

    def _last(self, *names: str) -> list[Array] | None:
        if any(name not in self.dataset or not self.dataset[name].size for name in names):
            return None
        return [self.dataset[name].isel(epoch=-1) for name in names]

    @cached_property
    def leader(self) -> str:
        """What the row with the lowest score is called."""
        table = self._last("told")
        first = leader(*table) if table else ""
        return FORECASTERS[first].label if first else ""

    @cached_property
    def abreast(self) -> tuple[str, ...]:
        """What the rows are called that cannot be told from it."""
        table = self._last("told", "difference_low", "difference_high")
        return tuple(FORECASTERS[name].label for name in abreast(*table)) if table else ()

    @property
    def compared(self) -> bool:
        """Whether differences have intervals."""
        ends = self._last("difference_low", "difference_high")
        return ends is not None and bool(self.leader) and bool(np.isfinite(ends[0].values + ends[1].values).any())

    def changed(self, trap: str) -> tuple[str, float]:
        """The row that a trap changes most, and by which share of its score; no row where none is."""
        pair = self._last("trap_honest", "trap_score")
        if pair is None:
            return "", np.nan
        shares = change(*(one.sel(trap=trap).astype(np.float64) for one in pair)).values
        sizes = np.where(np.isfinite(shares), np.abs(shares), -1.0)
        place = int(sizes.argmax())
        name = str(self.dataset["forecaster"].values[place])
        return (FORECASTERS[name].label, float(shares[place])) if sizes[place] >= 0 else ("", np.nan)

    undecided = measure(lambda n: np.array([n.compared and bool(n.abreast)]))
    """Whether a row cannot be told from the leader."""
    ahead = measure(lambda n: np.array([n.compared and not n.abreast]))
    """Whether the leader can be told from every other row."""
    follows = measure(lambda n: np.array([n.level_r2 > FOLLOWS and n.best_move_r2 <= 0]))
    """Whether levels are met one step ahead, though no row gains on repeating the last value."""

    def trapped(self, trap: str) -> Verdicts:
        """Whether it is known what a trap changes."""
        return np.array([bool(self.changed(trap)[0])])

    level_r2 = measure(lambda n: n._of_row("level_r2", "repeat"))
    """R² of levels that repeating the last value has one step ahead."""

    @measure
    def best_move_r2(self) -> float:
        """The highest R² of one-step forecasts over repeating that a row has."""
        table = self._last("move_r2")
        others = table[0].values[table[0]["forecaster"].values != "repeat"] if table else np.zeros(0)
        return float(others.max()) if others.size else np.nan

    def _of_row(self, name: str, row: str) -> float:
        table = self._last(name)
        return float(table[0].sel(forecaster=row)) if table else np.nan
