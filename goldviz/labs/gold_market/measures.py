"""What claims, pages and captions tell of a market, each number in one place."""

from __future__ import annotations

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.measure import combined, measure

SURE = 1.96
"""Standard errors of a 95 % interval."""


@measure()
def whole_rows(run: Run) -> float:
    """The share of forecasts at which every covariate has something new."""
    return float(run.attrs["complete"])


@measure("values")
def placed(run: Run) -> float:
    """How many of the covariates' values stand in a row."""
    return float(run["placed"].values[1:].sum())


@measure("values")
def placed_too_early(run: Run) -> float:
    """How many of the covariates' values stand in a row before they were out."""
    return float(run["too_early"].values[1:].sum())


@combined()
def too_early(run: Run) -> float:
    """The share of the covariates' values that are used before they were out."""
    return placed_too_early(run) / placed(run)


@measure("values")
def there_in_months(run: Run) -> float:
    """How many of the covariates' values there are in all months, those that masking hides among them."""
    return float(sum(np.nansum(run[name].values[:, 1:]) for name in ("seen", "hidden")))


@measure()
def hidden(run: Run) -> float:
    """The share of the covariates' values that masking hides; 0 where there are none."""
    count = there_in_months(run)
    return float(np.nansum(run["hidden"].values[:, 1:])) / count if count else 0.0


def out_by(run: Run, hour: int) -> float:
    """The share of the covariates' values of the last year that are out by an hour of the day whose date they carry."""
    out = run["year_out_after"].values[:, 1:]
    count = int(np.isfinite(out).sum())
    return float((out <= hour).sum()) / count if count else float("nan")


@measure()
def mean_move(run: Run) -> float:
    """The mean of the target's moves, in the unit in which they are."""
    return float(run["change"].values.mean())


@measure()
def spread_of_moves(run: Run) -> float:
    """The standard deviation of the target's moves, in the unit in which they are."""
    return float(run.attrs["sd"])


@measure("channels")
def covariates(run: Run) -> float:
    """How many channels there are beside the target."""
    return float(run.sizes["channel"] - 1)


@measure("channels")
def new_at_a_forecast(run: Run) -> float:
    """How many of them have something new at a forecast, on average."""
    return float(run.attrs["new"])


@measure("hours")
def typical_wait(run: Run) -> float:
    """From the release of a value of the covariate in view to the forecast that first uses it, median; NaN for none."""
    return _in_view(run, "typical_wait")


@measure()
def outside_rolling(run: Run) -> float:
    """The share of moves beyond twice the volatility of the last ones before; NaN where there is none."""
    return _outside(run, "rolling_sd")


@measure()
def outside_expanding(run: Run) -> float:
    """The share of moves beyond twice the volatility of all before; NaN where there is none."""
    return _outside(run, "expanding_sd")


@measure()
def correlation_by_date(run: Run) -> float:
    """The correlation of the covariate in view with the target's next move over all the years, joined by date."""
    return _in_view(run, "joined_overall")


@measure()
def correlation_as_known(run: Run) -> float:
    """The correlation of what is known of the covariate in view at the forecast with the target's next move."""
    return _in_view(run, "known_overall")


@measure()
def explained_by_date(run: Run) -> float:
    """The adjusted R2 of a linear fit of the next move on all covariates, joined by date."""
    return float(run.attrs["joined_r2"])


@measure()
def explained_as_known(run: Run) -> float:
    """The adjusted R2 of a linear fit of the next move on what is known of all covariates at the forecast."""
    return float(run.attrs["known_r2"])


@measure("channels")
def told_ahead(run: Run) -> float:
    """How many covariates tell the next move by more than an honest one can; 0 of a simulated market."""
    return float(len(places_ahead(run)))


def places_ahead(run: Run) -> list[int]:
    """The places of those covariates, the target's being 0."""
    return np.flatnonzero(run["ahead"].values).tolist() if "ahead" in run else []


def worst_and_best(run: Run) -> tuple[int, int]:
    """The places, from 0, of the lowest and of the highest of the target's moves."""
    moves = run["change"].values
    return int(moves.argmin()), int(moves.argmax())


@measure("lags")
def lags_of_moves(run: Run) -> float:
    """How many lags of the moves' autocorrelation stand out of the band of white noise."""
    return _out_of_noise(run, "of_changes")


@measure("lags")
def lags_of_squares(run: Run) -> float:
    """How many lags of their squares' autocorrelation stand out of the band of white noise."""
    return _out_of_noise(run, "of_squares")


@measure("standard deviations of a move")
def answer(run: Run) -> float:
    """What one standard deviation of the tone adds to a move; NaN for too few documents."""
    return float(run.attrs["answer_slope"])


@measure("standard deviations of a move")
def answer_unsure(run: Run) -> float:
    """Half the 95 % interval of what one standard deviation of the tone adds to a move."""
    return SURE * float(run.attrs["answer_error"])


def _in_view(run: Run, name: str) -> float:
    return float(run[name].values[int(run.attrs["number"])])


def _outside(run: Run, name: str) -> float:
    spread = run[name].values
    usable = np.isfinite(spread)
    return float((np.abs(run["change"].values)[usable] > 2 * spread[usable]).mean()) if usable.any() else np.nan


def _out_of_noise(run: Run, name: str) -> float:
    return float((np.abs(run[name].values) > float(run.attrs["noise"])).sum())
