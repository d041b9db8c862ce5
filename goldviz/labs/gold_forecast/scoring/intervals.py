"""How far forecast intervals hold: what came inside, and where in its forecast distribution each value fell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.findings import Floats, Verdicts
from goldviz.diagnostics.noise import wilson_interval
from goldviz.labs.gold_forecast.scoring.distributions import inside, inside_gaussian, pit_gaussian
from goldviz.labs.gold_forecast.scoring.series import Series, finite_values

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run

SHARES = (0.5, 0.8, 0.9, 0.95)
"""What the central intervals promise to hold."""


@dataclass(frozen=True)
class Coverage:
    """How many values a central interval held that promises to hold the share ``nominal``, and the Wilson interval."""

    nominal: float
    held: int
    counted: int

    @property
    def share(self) -> float:
        """The share held; NaN where nothing was counted."""
        return self.held / self.counted if self.counted else np.nan

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the share, as if days were independent (Wilson 1927)."""
        return wilson_interval(self.held, self.counted)

    @property
    def off(self) -> float:
        """How far the share is from what was promised; 0 where that lies in the interval."""
        low, high = self.interval
        return 0.0 if low <= self.nominal <= high else abs(self.share - self.nominal)


def recorded_at_end(ds: Run, series: Series, name: str) -> bool:
    """Whether a variable of the run's end is there, and the look in view is the last, which it belongs to."""
    there = name in ds and ds[name].size > 0 and bool(np.isfinite(ds[name].values).any())
    return there and series.look is not None and series.look == int(ds["look"].values[-1])


def coverages(ds: Run, series: Series) -> list[Coverage]:
    """Coverage of the central intervals.

    From the recorded quantiles; where there are none yet, from a Gaussian with the look's mean and scale.
    """
    coverage = {share: _held(ds, series, share) for share in SHARES}
    scorable = np.isfinite(series.came)
    intervals = []
    for share, (within, usable) in coverage.items():
        there = scorable & usable
        if there.any():
            intervals.append(Coverage(share, int((within & there).sum()), int(there.sum())))
    return intervals


def _held(ds: Run, series: Series, share: float) -> tuple[Verdicts, Verdicts]:
    """For each forecast whether its interval held what came, and whether there is an interval."""
    if recorded_at_end(ds, series, "quantile"):
        low, high = quantile(ds, (1 - share) / 2), quantile(ds, (1 + share) / 2)
        return inside(series.came, low, high), np.isfinite(low) & np.isfinite(high)
    mean, scale = series.mean.mean(axis=1), series.scale.mean(axis=1)
    with np.errstate(invalid="ignore"):
        return inside_gaussian(series.came, mean, scale, share), np.isfinite(mean) & np.isfinite(scale)


def fan_bands(ds: Run, series: Series) -> list[tuple[str, Floats, Floats]]:
    """Name and edges of the bands around the forecasts, widest first: 95, 80 and 50 % from the recorded quantiles.

    Where there are none yet it is one band, two standard deviations around the mean.
    """
    if recorded_at_end(ds, series, "quantile"):
        shares = ((0.95, "95 %"), (0.8, "80 %"), (0.5, "50 %"))
        return [(name, quantile(ds, (1 - share) / 2), quantile(ds, (1 + share) / 2)) for share, name in shares]
    mean, scale = series.mean.mean(axis=1), series.scale.mean(axis=1)
    return [("mean ± 2 sd", mean - 2 * scale, mean + 2 * scale)]


def quantile(ds: Run, level: float) -> Floats:
    """The recorded quantile at a level (n,); NaN where that level was not recorded."""
    levels = ds["level"].values.astype(np.float64)
    nearest = int(np.argmin(np.abs(levels - level)))
    if abs(levels[nearest] - level) > 1e-6:
        return np.full(ds.sizes["time"], np.nan)
    return finite_values(ds["quantile"].transpose("time", "level").values[:, nearest])


def probabilities(ds: Run, series: Series) -> Floats:
    """The forecast probability of at most what came, of what is finite.

    As recorded; where it is not yet, from a Gaussian with the look's mean and scale.
    """
    if recorded_at_end(ds, series, "pit"):
        values = ds["pit"].values.astype(np.float64)
    else:
        values = pit_gaussian(series.came, series.mean.mean(axis=1), series.scale.mean(axis=1))
    return values[np.isfinite(values) & np.isfinite(series.came)]
