"""Windows of a market's past as a network reads them: the rows up to a forecast, what is missing in them marked.

Nothing is filled in. Values are standardised with the moments of the rows that may be learnt from. Windows overlap, so
they are cut out of one table batch by batch; for 25 years of days and 8 channels the table takes 1 MB, and all windows
of 250 rows at once would take 230 MB.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from goldviz.data.markets.standard_scores import standard_scores

GAP_UNIT_DAYS = 7.0
"""Networks read gaps in weeks."""
LONGEST_GAP_DAYS = 8 * GAP_UNIT_DAYS
"""Longer silences count as this long: more than a month, whatever the channel."""


@dataclass(frozen=True)
class WindowBatch:
    """Some windows, time first; row T-1 of each is that of its forecast.

    ``table`` (time, batch, 3 channels + 1) holds standardised values, mask, gaps of the channels and gap of the row,
    side by side. ``ahead`` (batch,) are the weeks from the last row to the value that is forecast.
    """

    table: Float[Tensor, "time batch columns"]
    ahead: Float[Tensor, " batch"]

    @property
    def channels(self) -> int:
        """How many channels there are."""
        return self.table.shape[2] // 3

    @property
    def values(self) -> Float[Tensor, "time batch channels"]:
        """Standardised values, 0 where there is none."""
        return self.table[:, :, : self.channels]

    @property
    def mask(self) -> Bool[Tensor, "time batch channels"]:
        """True where a value was observed."""
        return self.table[:, :, self.channels : 2 * self.channels] > 0

    @property
    def values_and_mask(self) -> Float[Tensor, "time batch inputs"]:
        """Values and mask (1 or 0) side by side: what a network reads that is not told about time."""
        return self.table[:, :, : 2 * self.channels]

    @property
    def gaps(self) -> Float[Tensor, "time batch channels"]:
        """Weeks since each channel was last observed before the row, 8 at most; see :func:`weeks_since_observed`."""
        return self.table[:, :, 2 * self.channels : -1]

    @property
    def row_gaps(self) -> Float[Tensor, "time batch"]:
        """Weeks since the row before."""
        return self.table[:, :, -1]


class Windows:
    """All windows of ``length`` rows of a panel.

    ``values`` (rows, channels) are a panel's, NaN where nothing was observed, and ``days`` (rows,) the days of its
    rows, counted from anywhere. ``learnt`` are the rows that may be learnt from: their moments standardise all values.
    A channel that does not vary in them counts as not observed, anywhere. Rows before the first one are empty.
    """

    def __init__(
        self,
        values: Float[np.ndarray, "rows channels"],
        days: Float[np.ndarray, " rows"],
        length: int,
        train_rows: slice,
        device: torch.device | str = "cpu",
    ) -> None:
        scores = standard_scores(values, train_rows)
        present = np.isfinite(scores)
        scores = np.where(present, scores, 0.0)
        row_gaps = np.diff(days, prepend=days[:1])[:, None] / GAP_UNIT_DAYS
        table = np.concatenate([scores, present, weeks_since_observed(days, present), row_gaps], axis=1)
        before = np.zeros((length - 1, table.shape[1]))
        self._table = torch.as_tensor(np.concatenate([before, table]), dtype=torch.float32, device=device)
        self._offsets = torch.arange(length, device=device)[:, None]

    def ending_at(self, rows: Int[Tensor, " batch"], days_ahead: Float[Tensor, " batch"]) -> WindowBatch:
        """The windows whose last rows are these, for forecasts of values so many days after them."""
        ahead = (days_ahead / GAP_UNIT_DAYS).to(self._table)
        return WindowBatch(self._table[rows.to(self._table.device) + self._offsets], ahead)


def weeks_since_observed(
    days: Float[np.ndarray, " rows"], observations: Bool[np.ndarray, "rows channels"]
) -> Float[np.ndarray, "rows channels"]:
    """Weeks from the last observation before each row to the row, 8 at most (Che et al. 2018, eq. 2, in weeks).

    A channel that was not observed yet counts from the first row.

    >>> seen = np.array([[True], [False], [False], [True]])
    >>> weeks_since_observed(np.array([0.0, 7.0, 14.0, 700.0]), seen).ravel()
    array([0., 1., 2., 8.])
    """
    last_seen = np.maximum.accumulate(np.where(observations, days[:, None], days[:1]), axis=0)
    before = np.concatenate([np.broadcast_to(days[:1], last_seen[:1].shape), last_seen[:-1]])
    return np.asarray(np.minimum(days[:, None] - before, LONGEST_GAP_DAYS) / GAP_UNIT_DAYS)
