"""A series of several channels at equal time steps, as forecasting benchmarks use it, and how a visitor's is kept.

It is kept under its content's name: a line of JSON, then the values in float64.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from jaxtyping import Float

from goldviz.coded_errors import CodedError
from goldviz.data.tables.kept_files import PLACES
from goldviz.data.texts.read_kept import read_kept


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


KEPT_SERIES = PLACES["series"]
SOURCE = "a file of one's own"


def packed(series: MultivariateSeries) -> bytes:
    """What is kept of a series, to the last bit of its values."""
    head = json.dumps({"names": series.names, "row": series.row})
    return head.encode() + b"\n" + series.values.astype("<f8").tobytes()


@lru_cache(maxsize=4)
def kept_series(name: str) -> MultivariateSeries:
    """The kept series of this name; raises :class:`SeriesError` where this machine does not hold it whole."""
    content = read_kept(
        KEPT_SERIES,
        name,
        "series",
        SeriesError,
        folder="Series that were brought",
        if_lost="bring its file here again, or choose a simulated series",
        if_damaged="bring its file again",
    )
    head, _, values = content.partition(b"\n")
    about = json.loads(head)
    names = tuple(about["names"])
    numbers = np.frombuffer(values, "<f8").reshape(-1, len(names)).astype(np.float64)
    return MultivariateSeries(names, numbers, about["row"], SOURCE)
