"""How often the sign of a forecast is right, year by year, beside always saying *up* on the same days."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from goldviz.diagnostics.findings import Floats, Verdicts
from goldviz.diagnostics.forecasts.scores import Hits, hits
from goldviz.diagnostics.forecasts.significance import against_always_up, wilson_interval
from goldviz.labs.gold_forecast.scoring.series import Series


@dataclass(frozen=True)
class Direction:
    """The network's right signs and those of *up*, over the same moves; ``year`` is None for all years together."""

    year: int | None
    network: Hits
    up: Hits

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the network's rate."""
        return wilson_interval(self.network.right, self.network.counted)


def directions(series: Series) -> list[Direction]:
    """Every year before the final block with enough moves to count, and all of them together at the end.

    Empty where nothing can be counted. Moves and forecasts of exactly zero do not count.
    """
    if series.look is None or series.target == "volatility":
        return []
    years = series.dates.astype("datetime64[Y]").astype(int) + 1970
    by_year = [_counted(series, int(year), years == year) for year in np.unique(years[~series.final])]
    judged_years = [entry for entry in by_year if entry.network.counted]
    together = _counted(series, None, np.ones(len(years), bool))
    return [*judged_years, together] if together.network.counted else []


def difference_p_value(series: Series) -> float:
    """How often chance alone would set the network's rate so far apart from that of *up* (McNemar 1947)."""
    came, forecast, last = _usable(series, np.ones(len(series.dates), bool))
    return against_always_up(came, forecast, last).p_value


def _counted(series: Series, year: int | None, mask: Verdicts) -> Direction:
    came, forecast, last = _usable(series, mask)
    moves = forecast != last
    return Direction(year, hits(came, forecast, last), hits(came[moves], last[moves] + 1, last[moves]))


def _usable(series: Series, mask: Verdicts) -> tuple[Floats, Floats, Floats]:
    """What came, what was forecast, and where the target stood, before the final block and where all are finite."""
    forecast = series.forecast("network")
    before = series.price if series.target == "level" else np.zeros_like(series.came)
    usable = mask & ~series.final & np.isfinite(forecast) & np.isfinite(before) & np.isfinite(series.came)
    return series.came[usable], forecast[usable], before[usable]
