"""Windows of a series at every step: what a forecast looks back on, and what came."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy.lib.stride_tricks import sliding_window_view

BLOCK_NUMBERS = 2_000_000
"""Numbers of a block of windows, about: 16 MB."""


@dataclass(frozen=True)
class SlidingWindows:
    """Windows with a look-back and a horizon over ``values`` (row, channel), named by their first forecast row."""

    values: Float[np.ndarray, "row channel"]
    look_back: int
    horizon: int

    def past(self, rows: range) -> Float[np.ndarray, "window channel look_back"]:
        """The values before each of these consecutive rows; a view."""
        view = sliding_window_view(self.values, self.look_back, axis=0)
        return view[rows.start - self.look_back : rows.stop - self.look_back]

    def future(self, rows: range) -> Float[np.ndarray, "window channel horizon"]:
        """The values from each of these consecutive rows on; a view."""
        return sliding_window_view(self.values, self.horizon, axis=0)[rows.start : rows.stop]

    def blocks(self, rows: range) -> Iterator[range]:
        """The rows in consecutive parts that fit in memory."""
        numbers = self.values.shape[1] * (self.look_back + self.horizon)
        size = max(1, BLOCK_NUMBERS // numbers)
        return (rows[start : start + size] for start in range(0, len(rows), size))
