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
