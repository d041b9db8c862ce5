"""Whether a series has room for what is asked of it: parts, windows, season, batches and channel."""

from __future__ import annotations

from typing import Protocol

from goldviz.labs.leaderboard.multivariate import SeriesError
from goldviz.labs.leaderboard.splits import Parts, parts_of


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
    if settings.season > settings.look_back:
        raise SeriesError(
            f"Season is {settings.season}; a look-back of {settings.look_back} allows at most {settings.look_back}."
        )
    if 0 < settings.longer_look_back < settings.look_back:
        raise SeriesError(
            f"Longer look-back is {settings.longer_look_back}; allowed is 0, or at least the look-back of "
            f"{settings.look_back}."
        )
    if settings.channel > channels:
        raise SeriesError(f"Channel is {settings.channel}; a series of {channels} allows at most {channels}.")
    windows = len(parts.tested(settings.horizon))
    if settings.last_batch == "drop" and settings.test_batch > windows:
        raise SeriesError(
            f"Test batch is {settings.test_batch}; with the last batch dropped, {windows} test windows allow at most "
            f"{windows}."
        )
    return parts
