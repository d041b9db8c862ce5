"""The problem of a leaderboard: a standardised series, its parts, and what is drawn of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from goldviz.labs.leaderboard.multivariate import MultivariateSeries, checked_values, kept_series
from goldviz.labs.leaderboard.public_characters import SIMULATED_SERIES
from goldviz.labs.leaderboard.splits import Parts, Scaling, checked_geometry
from goldviz.models.series.sliding_windows import SlidingWindows

if TYPE_CHECKING:
    from goldviz.labs.leaderboard.settings import Leaderboard

LONGER, MOST = 4, 720
"""Least squares reads so many times the look-back, at most so many steps, where no longer one is set: to tell what
that trap gives."""


@dataclass(frozen=True)
class Problem:
    """A series with its parts. ``scaled`` (row, channel) are standardised as the settings say.

    ``other_scale`` (channel,) turns squared errors into those of the other way to standardise.
    """

    series: MultivariateSeries
    parts: Parts
    scaled: Float[np.ndarray, "row channel"]
    other_scale: Float[np.ndarray, " channel"]
    look_back: int
    horizon: int
    longer: int

    @property
    def windows(self) -> SlidingWindows:
        """Windows with the look-back that all rows of the table have."""
        return SlidingWindows(self.scaled, self.look_back, self.horizon)

    @property
    def longer_windows(self) -> SlidingWindows:
        """The same with the look-back that least squares alone may have."""
        return SlidingWindows(self.scaled, self.longer, self.horizon)

    @property
    def tested(self) -> range:
        """The first forecast rows of the test windows."""
        return self.parts.tested(self.horizon)

    @property
    def first_step_variance(self) -> float:
        """The variance of what one-step forecasts are to meet, mean over channels."""
        rows = self.tested
        return float(self.scaled[rows.start : rows.stop].var(axis=0).mean())

    def shown(self, share: float) -> int:
        """The first forecast row of the window that lies so many percent into the test part."""
        rows = self.tested
        return rows[min(len(rows) - 1, int(len(rows) * share / 100))]


def series_of(settings: Leaderboard) -> MultivariateSeries:
    """The simulated series or the visitor's own; raises :class:`SeriesError` where this machine does not hold it."""
    if simulate := SIMULATED_SERIES.get(settings.series):
        return simulate(settings.rows, settings.channels, settings.series_seed)
    return kept_series(settings.series)


def problem_of(settings: Leaderboard) -> Problem:
    """The series that the settings name, standardised by its training part or, as a trap, by all of it.

    Raises :class:`goldviz.labs.leaderboard.multivariate.SeriesError` for what it has no room for, and for values and
    channels that cannot be used.
    """
    series = series_of(settings)
    checked_values(series)
    parts = checked_geometry(settings, series.rows, series.values.shape[1])
    by_training, by_all = Scaling.of(series, parts.train), Scaling.of(series, parts.end)
    own, other = (by_training, by_all) if settings.scaled_by == "training" else (by_all, by_training)
    usual = min(LONGER * settings.look_back, MOST, (parts.train - settings.horizon) // 2)
    return Problem(
        series=series,
        parts=parts,
        scaled=own.applied(series.values),
        other_scale=(own.deviation / other.deviation) ** 2,
        look_back=settings.look_back,
        horizon=settings.horizon,
        longer=settings.longer_look_back or max(usual, settings.look_back),
    )
