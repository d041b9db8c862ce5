"""How a series is split into training, validation and test part, and where the windows of each part lie.

A new split is an entry of :data:`SPLITS`. The parts of published tables are among them, for their scores depend on it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from jaxtyping import Float

from goldviz.labs.leaderboard.multivariate import MultivariateSeries, SeriesError

MONTH = 30
"""Days of a month in the published splits."""


@dataclass(frozen=True)
class Parts:
    """Rows of the training part [0, train), the validation part [train, test) and the test part [test, end)."""

    train: int
    test: int
    end: int

    def training(self, look_back: int, horizon: int) -> range:
        """First forecast rows of the training windows, which lie wholly in their part."""
        return range(look_back, self.train - horizon + 1)

    def validation(self, horizon: int) -> range:
        """First forecast rows of the validation windows; what they look back on may lie before their part."""
        return range(self.train, self.test - horizon + 1)

    def tested(self, horizon: int) -> range:
        """First forecast rows of the test windows, at every step."""
        return range(self.test, self.end - horizon + 1)


@dataclass(frozen=True)
class Split:
    """What it is called, and how it divides so many rows."""

    words: str
    parts: Callable[[int], Parts]


def _shares(train: int, test: int) -> Callable[[int], Parts]:
    """Whole percents for training and test, rounded down as in the benchmarks' code; validation takes the rest."""
    return lambda rows: Parts(rows * train // 100, rows - rows * test // 100, rows)


def _months(rows_a_day: int) -> Callable[[int], Parts]:
    """Twelve, four and four months; rows after them are left out, as in the benchmarks' code."""
    month = MONTH * rows_a_day
    return lambda rows: Parts(12 * month, 16 * month, 20 * month)


SPLITS = {
    "70-10-20": Split("70 / 10 / 20 %", _shares(70, 20)),
    "60-20-20": Split("60 / 20 / 20 %", _shares(60, 20)),
    "months-hourly": Split("12 / 4 / 4 months of hours (ETTh)", _months(24)),
    "months-quarters": Split("12 / 4 / 4 months of quarter hours (ETTm)", _months(96)),
}


def parts_of(split: str, rows: int, look_back: int, horizon: int) -> Parts:
    """The parts of a series of so many rows.

    Raises :class:`SeriesError` where the split asks for more rows, or a part has no room for one window.
    """
    parts = SPLITS[split].parts(rows)
    if parts.end > rows:
        raise SeriesError(
            f"Split is {SPLITS[split].words}, which takes {parts.end:,} rows; the series has {rows:,}. "
            "Choose a split in percent.",
            "too_short",
        )
    room = {"test": parts.end - parts.test, "validation": parts.test - parts.train}
    for name, length in room.items():
        if length == 0:
            raise SeriesError(
                f"The series has {rows} rows, none of them in the {name} part; longer ones are allowed.", "too_short"
            )
        if length < horizon:
            raise SeriesError(
                f"Horizon is {horizon}; the {name} part of {rows:,} rows has {length}, so at most {length} is allowed.",
                "not_allowed",
            )
    if not parts.training(look_back, horizon):
        raise SeriesError(
            f"Look-back is {look_back} and horizon {horizon}; the training part has {parts.train:,} rows. "
            f"Allowed are at most {parts.train:,} together.",
            "not_allowed",
        )
    return parts


@dataclass(frozen=True)
class Scaling:
    """What each channel's values are standardised with: (channel,) means and deviations."""

    mean: Float[np.ndarray, " channel"]
    deviation: Float[np.ndarray, " channel"]

    @classmethod
    def of(cls, series: MultivariateSeries, rows: int) -> Scaling:
        """Of the first so many rows; raises :class:`SeriesError` for a channel that is constant there."""
        values = series.values[:rows]
        mean, deviation = values.mean(axis=0), values.std(axis=0)
        constant = np.flatnonzero(deviation <= 1e-12 * np.maximum(1.0, np.abs(mean)))
        if len(constant):
            name = series.names[constant[0]]
            raise SeriesError(
                f"Channel {name} is {values[0, constant[0]]:g} in all of the first {rows:,} rows; it cannot be "
                "standardised. Allowed are channels that vary.",
                "constant",
            )
        return cls(mean, deviation)

    def applied(self, values: Float[np.ndarray, "row channel"]) -> Float[np.ndarray, "row channel"]:
        """(x - mean) / deviation, by channel."""
        return np.asarray((values - self.mean) / self.deviation)


class Geometry(Protocol):
    """The settings that a series has to have room for."""

    look_back: int
    longer_look_back: int
    horizon: int
    season: int
    channel: int
    test_batch: int

    @property
    def split(self) -> str:
        """How the rows are parted."""

    @property
    def last_batch(self) -> str:
        """``drop`` where windows that fill no test batch are left out."""


def checked_geometry(settings: Geometry, rows: int, channels: int) -> Parts:
    """The parts of a series of so many rows and channels.

    Raises :class:`SeriesError` with one sentence on the first setting that it has no room for.
    """
    parts = parts_of(settings.split, rows, max(settings.look_back, settings.longer_look_back), settings.horizon)
    season, back, longer = settings.season, settings.look_back, settings.longer_look_back
    channel, batch, windows = settings.channel, settings.test_batch, len(parts.tested(settings.horizon))
    dropped = settings.last_batch == "drop"
    for fault, sentence in (
        (season > back, f"Season is {season}; a look-back of {back} allows at most {back}."),
        (0 < longer < back, f"Longer look-back is {longer}; allowed is 0, or at least the look-back of {back}."),
        (channel > channels, f"Channel is {channel}; a series of {channels} allows at most {channels}."),
        (
            dropped and batch > windows,
            f"Test batch is {batch}; with the last batch dropped, {windows} test windows allow at most {windows}.",
        ),
    ):
        if fault:
            raise SeriesError(sentence, "not_allowed")
    return parts
