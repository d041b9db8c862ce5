"""A series of several channels at equal time steps, as forecasting benchmarks use it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from goldviz.coded_errors import CodedError


class SeriesError(CodedError):
    """A series that cannot be used, in a sentence for a person."""


@dataclass(frozen=True)
class MultivariateSeries:
    """``values`` (row, channel) in the order of time, the channels' names, and what a row is: an hour, a day.

    ``source`` says where the numbers come from.
    """

    names: tuple[str, ...]
    values: Float[np.ndarray, "row channel"]
    row: str
    source: str

    @property
    def rows(self) -> int:
        """How many time steps there are."""
        return len(self.values)


def checked_values(series: MultivariateSeries) -> None:
    """Raise :class:`SeriesError` for a value that is no finite number, and name its channel and row."""
    bad = np.argwhere(~np.isfinite(series.values))
    if len(bad):
        row, channel = bad[0]
        raise SeriesError(
            f"Channel {series.names[channel]} has no number in row {row + 1}; allowed are finite numbers in every row.",
            "not_finite",
        )
