"""Series that visitors brought, kept under their content's name: a line of JSON, then the values in float64."""

from __future__ import annotations

import json
from functools import lru_cache

import numpy as np

from goldviz.data.tables.kept_files import PLACES
from goldviz.data.texts.read_kept import read_kept
from goldviz.labs.leaderboard.multivariate import MultivariateSeries, SeriesError

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
