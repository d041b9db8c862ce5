"""What a run of the forecast laboratory comes to: one sentence with its numbers, and a table of all models."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from goldviz.labs.gold_forecast.scoring.results import (
    Result,
    ends_in_words,
    final_results,
    recorded_score,
    result_in_words,
    results,
)
from goldviz.labs.gold_forecast.scoring.series import Series, settings_of
from goldviz.labs.gold_forecast.words import (
    forecasts_counted,
    model_name,
    near_one,
    p_value,
    plain_number,
    signed_percent,
)

if TYPE_CHECKING:
    import xarray as xr

LEAK = 0.05
"""R2 above which a forecast of daily returns is not believed: honest ones stay below 1 %."""

DAILY = 5
"""Median days from one observation to the next up to which data count as daily."""

UNFINISHED = ("queued", "running")


def verdict(ds: xr.Dataset, settings_target: str) -> str:
    """The sentence that stands first: whether the network beats the simplest forecast, and how sure that is.

    ``settings_target`` is the run's target: 'return', 'volatility' or 'level'. While a run goes on the sentence says
    how far it is, and leaves the judgement to the interval that comes at the end.
    """
    if str(ds.attrs.get("status", "")) == "diverged":
        return "Training diverged: its loss stopped being a finite number, so there is no forecast to judge."
    series = Series.of(ds)
    if series.look is None:
        later = "No forecast yet: the first ones come with the first look."
        return later if _unfinished(ds) else "This run made no forecast."
    found = results(ds, series)
    own = found["network"]
    if not np.isfinite(own.value):
        return "No forecast of this run can be scored: none of them is a finite number."
    if not own.sure:
        text = f"{_how_far(ds, series)}: {_unsure(ds, series, own)}"
    elif settings_of(ds).get("shuffle_targets"):
        text = _shuffled(ds, series, own)
    else:
        text = {"return": _of_return, "level": _of_level, "volatility": _of_volatility}[settings_target](
            ds, series, found
        )
    return f"{text[0].upper()}{text[1:]}"


def leaking(ds: xr.Dataset, series: Series, own: Result) -> bool:
    """Whether a mean forecast is too good to be honest: R2 above 5 % on daily data, and not by chance."""
    ahead = ds["days_ahead"].values if "days_ahead" in ds else np.array([1.0])
    daily = bool(np.median(ahead) <= DAILY) if ahead.size else True
    certain = not own.sure or own.better
    return series.target != "volatility" and daily and own.value > LEAK and certain


def _unfinished(ds: xr.Dataset) -> bool:
    return str(ds.attrs.get("status", "running")) in UNFINISHED


def _how_far(ds: xr.Dataset, series: Series) -> str:
    epochs = settings_of(ds).get("epochs")
    place = f"at epoch {series.look}{f' of {epochs}' if epochs else ''}"
    return f"so far, {place}" if _unfinished(ds) else f"{place}, where the run was left"


def _unsure(ds: xr.Dataset, series: Series, own: Result) -> str:
    """The score without its interval."""
    if leaking(ds, series, own):
        return _leak(ds, series, own)
    later = "; the interval comes when the run ends" if _unfinished(ds) else ", without an interval"
    end = f"over {_forecasts(ds, series)}{later}."
    if series.target == "volatility":
        return f"QLIKE gain {plain_number(own.value)} over a constant variance, {end}"
    against = "repeating the last price" if series.target == "level" else "zero"
    return f"R² {signed_percent(own.value)} against {against}, {end}"


def _shuffled(ds: xr.Dataset, series: Series, own: Result) -> str:
    score = result_in_words(series.target, own)
    if own.better:
        return (
            f"The targets were dealt out at random, yet {score}: such skill can only come from a mistake in how the "
            "data are used."
        )
    return (
        f"The targets were dealt out at random, and no skill is left, as it must be: {score}, over "
        f"{_forecasts(ds, series)}."
    )


def _of_return(ds: xr.Dataset, series: Series, found: dict[str, Result]) -> str:
    own = found["network"]
    if leaking(ds, series, own):
        return _leak(ds, series, own)
    if own.better:
        words = "Better than zero"
    elif own.worse:
        words = "Worse than saying zero"
    else:
        words = "No detectable skill over zero"
    return f"{words}: {result_in_words(series.target, own)}, over {_forecasts(ds, series)}."


def _of_level(ds: xr.Dataset, series: Series, found: dict[str, Result]) -> str:
    own = found["network"]
    if leaking(ds, series, own):
        return _leak(ds, series, own)
    fine = f"R² {near_one(r2_against_mean(ds, series))} against the mean"
    honest = f"{ends_in_words(series.target, own)} against repeating the last price"
    learned = "something" if own.better else "nothing"
    return f"{fine}, and {honest}: {learned} was learned about tomorrow ({_forecasts(ds, series)})."


def _of_volatility(ds: xr.Dataset, series: Series, found: dict[str, Result]) -> str:
    own = found["network"]
    if own.better:
        words = "The size of the next move can be forecast"
    elif own.worse:
        words = "Worse than a constant variance"
    else:
        words = "No detectable skill in the size of the next move"
    garch = found["garch"].value if "garch" in found else np.nan
    beside = f"; GARCH reaches {plain_number(garch)}" if np.isfinite(garch) else ""
    over = f"over a constant variance in {_forecasts(ds, series)}"
    return f"{words}: {result_in_words(series.target, own)} {over}{beside}."


def _leak(ds: xr.Dataset, series: Series, own: Result) -> str:
    by_date = settings_of(ds).get("alignment") == "date"
    place = "covariates are joined by calendar date" if by_date else "is a covariate known later than it is dated?"
    against = " against repeating the last price" if series.target == "level" else ""
    what = "prices" if series.target == "level" else "returns"
    return (
        f"R² {signed_percent(own.value)}{against}: no honest forecast of daily {what} does that. "
        f"Look for a leak: {place}{'.' if by_date else ''}"
    )


def r2_against_mean(ds: xr.Dataset, series: Series) -> float:
    """R2 of the network against the mean of the very values that came, as recorded or from the forecasts."""
    recorded = recorded_score(ds, "network", "r2_mean")
    if np.isfinite(recorded):
        return recorded
    errors = series.came - series.forecast("network")
    kept = ~series.final & np.isfinite(errors)
    spread = float(np.var(series.came[kept])) if kept.any() else 0.0
    return 1 - float(np.mean(np.square(errors[kept]))) / spread if spread > 0 else np.nan


def _forecasts(ds: xr.Dataset, series: Series) -> str:
    counted = forecasts_counted(scored_forecasts(series))
    return f"{counted} of a simulated market" if int(ds.attrs.get("simulated", 0)) else counted


def scored_forecasts(series: Series) -> int:
    """How many forecasts of the network lie before the final block and are finite."""
    return int((np.isfinite(series.gains("network")) & ~series.final).sum())


def score_rows(ds: xr.Dataset) -> list[dict[str, str]]:
    """The network and every baseline with their scores in words, one row for each, ready for a table.

    Numbers that only the end of a run brings are '–' until then. Empty while nothing has been forecast.
    """
    series = Series.of(ds)
    if not series.models:
        return []
    found = {**results(ds, series), series.reference: Result(0.0)}
    final = final_results(series)
    rows = []
    for model, result in found.items():
        row = {"Model": model_name(model, series.network, series.target), **_scores(ds, series, model, result)}
        if final:
            said = plain_number if series.target == "volatility" else signed_percent
            row["Final block"] = said(final[model]) if model in final else "–"
        rows.append(row)
    return rows


def _scores(ds: xr.Dataset, series: Series, model: str, result: Result) -> dict[str, str]:
    simplest = model == series.reference
    said = plain_number if series.target == "volatility" else signed_percent
    interval = f"{said(result.low)} to {said(result.high)}" if result.sure and not simplest else "–"
    value = "0" if simplest else said(result.value)

    def of(metric: str, form: str, factor: float = 1.0) -> str:
        number = recorded_score(ds, model, metric)
        return format(factor * number, form).replace("-", "−").replace("%", " %") if np.isfinite(number) else "–"

    test = p_value(recorded_score(ds, model, "dm_p")).removeprefix("p = ").removeprefix("p ") or "–"
    if series.target == "volatility":
        return {
            "QLIKE gain": value, "95 % interval": interval, "QLIKE": of("qlike", ".2f"), "DM p": test,
            "CRPS": f"{of('crps', '.1f', 1e4)} bp".replace("– bp", "–"),
            "Inside 50 %": of("coverage_50", ".0%"), "Inside 90 %": of("coverage_90", ".0%"),
        }  # fmt: skip
    error = of("rmse", ",.4g") if series.target == "level" else f"{of('rmse', '.1f', 1e4)} bp".replace("– bp", "–")
    against = "R² against no change" if series.target == "level" else "R² against zero"
    row = {against: value, "95 % interval": interval, "DM p": test, "Sign right": of("hit_rate", ".1%"), "RMSE": error}
    return {**row, "R² against the mean": of("r2_mean", ".4f")} if series.target == "level" else row
