"""What claims, pages and captions tell of a market, each number in one place."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.measure import measure

SURE = 1.96
"""Standard errors of a 95 % interval."""
whole_rows = measure(lambda run: run.attrs["complete"])
"""The share of forecasts at which every covariate has something new."""
placed = measure(lambda run: run["placed"].values[1:].sum(), "values")
"""How many of the covariates' values stand in a row."""
placed_too_early = measure(lambda run: run["too_early"].values[1:].sum(), "values")
"""How many of the covariates' values stand in a row before they were out."""
too_early = measure(lambda run: placed_too_early(run) / placed(run))
"""The share of the covariates' values that are used before they were out."""
there_in_months = measure(lambda run: sum(np.nansum(run[name].values[:, 1:]) for name in ("seen", "hidden")), "values")
"""How many of the covariates' values there are in all months, those that masking hides among them."""


@measure
def hidden(run: Run) -> float:
    """The share of the covariates' values that masking hides; 0 where there are none."""
    count = there_in_months(run)
    return float(np.nansum(run["hidden"].values[:, 1:])) / count if count else 0.0


def out_by(run: Run, hour: int) -> float:
    """The share of the covariates' values of the last year that are out by an hour of the day whose date they carry."""
    out = run["year_out_after"].values[:, 1:]
    count = int(np.isfinite(out).sum())
    return float((out <= hour).sum()) / count if count else float("nan")


mean_move = measure(lambda run: run["change"].values.mean())
"""The mean of the target's moves, in the unit in which they are."""
spread_of_moves = measure(lambda run: run.attrs["sd"])
"""The standard deviation of the target's moves, in the unit in which they are."""
covariates = measure(lambda run: run.sizes["channel"] - 1, "channels")
"""How many channels there are beside the target."""
new_at_a_forecast = measure(lambda run: run.attrs["new"], "channels")
"""How many of them have something new at a forecast, on average."""
typical_wait = measure(lambda run: _in_view(run, "typical_wait"), "hours")
"""From the release of a value of the covariate in view to the forecast that first uses it, median; NaN for none."""
outside_rolling = measure(lambda run: _outside(run, "rolling_sd"))
"""The share of moves beyond twice the volatility of the last ones before; NaN where there is none."""
outside_expanding = measure(lambda run: _outside(run, "expanding_sd"))
"""The share of moves beyond twice the volatility of all before; NaN where there is none."""
correlation_by_date = measure(lambda run: _in_view(run, "joined_overall"))
"""The correlation of the covariate in view with the target's next move over all the years, joined by date."""
correlation_as_known = measure(lambda run: _in_view(run, "known_overall"))
"""The correlation of what is known of the covariate in view at the forecast with the target's next move."""
explained_by_date = measure(lambda run: run.attrs["joined_r2"])
"""The adjusted R2 of a linear fit of the next move on all covariates, joined by date."""
explained_as_known = measure(lambda run: run.attrs["known_r2"])
"""The adjusted R2 of a linear fit of the next move on what is known of all covariates at the forecast."""
told_ahead = measure(lambda run: len(places_ahead(run)), "channels")
"""How many covariates tell the next move by more than an honest one can; 0 of a simulated market."""


def places_ahead(run: Run) -> list[int]:
    """The places of those covariates, the target's being 0."""
    return np.flatnonzero(run["ahead"].values).tolist() if "ahead" in run else []


def worst_and_best(run: Run) -> tuple[int, int]:
    """The places, from 0, of the lowest and of the highest of the target's moves."""
    moves = run["change"].values
    return int(moves.argmin()), int(moves.argmax())


lags_of_moves = measure(lambda run: _out_of_noise(run, "of_changes"), "lags")
"""How many lags of the moves' autocorrelation stand out of the band of white noise."""
lags_of_squares = measure(lambda run: _out_of_noise(run, "of_squares"), "lags")
"""How many lags of their squares' autocorrelation stand out of the band of white noise."""
answer = measure(lambda run: run.attrs["answer_slope"], "standard deviations of a move")
"""What one standard deviation of the tone adds to a move; NaN for too few documents."""
answer_unsure = measure(lambda run: SURE * float(run.attrs["answer_error"]), "standard deviations of a move")
"""Half the 95 % interval of what one standard deviation of the tone adds to a move."""


def _in_view(run: Run, name: str) -> float:
    return float(run[name].values[int(run.attrs["number"])])


def _outside(run: Run, name: str) -> float:
    spread = run[name].values
    usable = np.isfinite(spread)
    return float((np.abs(run["change"].values)[usable] > 2 * spread[usable]).mean()) if usable.any() else np.nan


def _out_of_noise(run: Run, name: str) -> float:
    return float((np.abs(run[name].values) > float(run.attrs["noise"])).sum())
