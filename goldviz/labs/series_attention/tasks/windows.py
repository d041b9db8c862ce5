"""Windows of series: what is forecast, what is known beforehand of every row, and when each row is."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from goldviz.diagnostics.forecasts.lookahead import NextMoveLink


class SeriesProblemError(ValueError):
    """Series that cannot be learned from, in a sentence for a person."""

    for_a_person = True


@dataclass(frozen=True)
class SeriesWindows:
    """Values z, covariates x that are known for the future too, and the time of each row, in days or seconds."""

    values: Float[Tensor, "series row"]
    covariates: Float[Tensor, "series row covariate"]
    times: Float[Tensor, "series row"]

    def __len__(self) -> int:
        return len(self.values)

    @property
    def rows(self) -> int:
        """How many rows each window has."""
        return self.values.shape[1]

    def chosen(self, which: Int[Tensor, " chosen"] | slice) -> SeriesWindows:
        """Some of the windows."""
        return SeriesWindows(self.values[which], self.covariates[which], self.times[which])

    def first_rows(self, rows: int) -> SeriesWindows:
        """The windows without what comes after so many rows."""
        return SeriesWindows(self.values[:, :rows], self.covariates[:, :rows], self.times[:, :rows])

    def to(self, device: torch.device) -> SeriesWindows:
        """The windows where a network is."""
        return SeriesWindows(*(part.to(device) for part in (self.values, self.covariates, self.times)))

    def inputs(self) -> Float[Tensor, "series row input"]:
        """y_t = [z_(t-1), x_t], with z_0 = 0 before the first row (document 002, section 4).

        >>> evenly_spaced(torch.tensor([[5.0, 6.0]])).inputs().tolist()
        [[[0.0], [5.0]]]
        """
        before = torch.nn.functional.pad(self.values[:, :-1], (1, 0))
        return torch.cat([before[..., None], self.covariates], -1)


@dataclass(frozen=True)
class SeriesProblem:
    """What is learned from and what is tested on, in units of ``scale`` around ``location``.

    ``period`` is what a seasonal forecast repeats. ``longer`` are test windows of more rows than any that is learned
    from, where there are some. ``floor`` is the mean square error that no forecast can pass, the noise; NaN where
    nobody knows it. ``columns_ahead`` are covariates that tell the next value, where it is learned, by more than an
    honest one can.
    """

    train: SeriesWindows
    test: SeriesWindows
    context: int
    period: int
    location: float
    scale: float
    floor: float
    covariates: tuple[str, ...] = ()
    longer: SeriesWindows | None = None
    time_unit: str = "rows"
    columns_ahead: tuple[NextMoveLink, ...] = ()

    @property
    def horizon(self) -> int:
        """How many rows are forecast."""
        return self.test.rows - self.context


def evenly_spaced(
    values: Float[Tensor, "series row"], covariates: Float[Tensor, "row covariate"] | None = None
) -> SeriesWindows:
    """Windows of one row a time unit, whose covariates are the same for all series; without any, none."""
    series, rows = values.shape
    shared_covariates = values.new_zeros(rows, 0) if covariates is None else covariates.to(values.dtype)
    times = torch.arange(rows, dtype=values.dtype).expand(series, -1)
    return SeriesWindows(values, shared_covariates.expand(series, -1, -1), times)


def standardised(windows: SeriesWindows, location: float, scale: float) -> SeriesWindows:
    """The values in units of ``scale`` around ``location``."""
    return SeriesWindows((windows.values - location) / scale, windows.covariates, windows.times)
