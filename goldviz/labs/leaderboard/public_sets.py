"""Public sets whose published scores stand beside a run's own, as facts with their source and protocol.

A file is taken for one by its shape and its first row; the numbers are of the sources' tables, not computed here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from goldviz.labs.leaderboard.multivariate import MultivariateSeries

HORIZONS = (96, 192, 336, 720)
TABLE = "Zeng et al. 2023, table 2"
"""Are Transformers Effective for Time Series Forecasting?, AAAI 2023 (arXiv 2205.13504). The benchmark file of its
repository, cure-lab/LTSF-Linear, has DLinear's rows and NLinear's exchanged for exchange rates; FITS (Xu et al. 2024)
and others repeat the paper's."""
Scores = Mapping[str, tuple[float, ...]]


@dataclass(frozen=True)
class PublicSet:
    """A set by its rows and its first row, the split of its published table, and scores by model and horizon."""

    label: str
    rows: int
    first_row: tuple[float, ...]
    split: str
    scores: Scores

    @property
    def horizons_in_words(self) -> str:
        """The horizons of the published tables."""
        return f"{', '.join(map(str, HORIZONS[:-1]))} and {HORIZONS[-1]}"

    def published(self, horizon: int, split: str) -> dict[str, float]:
        """The published scores by model; none at another horizon or split than those of the table."""
        if horizon not in HORIZONS or split != self.split:
            return {}
        place = HORIZONS.index(horizon)
        return {model: values[place] for model, values in self.scores.items()}


PUBLIC_SETS = (
    PublicSet(
        "ETTh1",
        17_420,
        (5.827, 2.009, 1.599, 0.462, 4.203, 1.34, 30.531),
        "months-hourly",
        {
            "NLinear": (0.374, 0.408, 0.429, 0.440),
            "DLinear": (0.375, 0.405, 0.439, 0.472),
            "FEDformer": (0.376, 0.420, 0.459, 0.506),
            "Autoformer": (0.449, 0.500, 0.521, 0.514),
            "Informer": (0.865, 1.008, 1.107, 1.181),
            "LogTrans": (0.878, 1.037, 1.238, 1.135),
        },
    ),
    PublicSet(
        "exchange rates of eight currencies",
        7588,
        (0.7855, 1.611, 0.861698, 0.634196, 0.211242, 0.006838, 0.593, 0.525486),
        "70-10-20",
        {
            "repeat": (0.081, 0.167, 0.305, 0.823),
            "NLinear": (0.089, 0.180, 0.331, 1.033),
            "DLinear": (0.081, 0.157, 0.305, 0.643),
            "FEDformer": (0.148, 0.271, 0.460, 1.195),
            "Autoformer": (0.197, 0.300, 0.509, 1.447),
            "Informer": (0.847, 1.204, 1.672, 2.478),
        },
    ),
)


def recognised(series: MultivariateSeries) -> PublicSet | None:
    """The public set with this shape and first row, whatever the order of its columns; None where there is none.

    >>> rates = np.zeros((7588, 8))
    >>> rates[0] = PUBLIC_SETS[1].first_row[::-1]
    >>> recognised(MultivariateSeries(tuple("abcdefgh"), rates, "day", "a file")).label
    'exchange rates of eight currencies'
    """
    for one in PUBLIC_SETS:
        if series.values.shape == (one.rows, len(one.first_row)) and np.allclose(
            np.sort(series.values[0]), np.sort(one.first_row), rtol=0, atol=5e-4
        ):
            return one
    return None
