"""What a run of the forecast laboratory comes to: one sentence with its numbers, and a table of all models."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from goldviz.diagnostics.forecasts.columns_ahead import columns_in_words
from goldviz.diagnostics.forecasts.moves import still_in_words
from goldviz.diagnostics.forecasts.result import Result, judged
from goldviz.diagnostics.forecasts.words import (
    DIVERGED,
    NO_FORECAST_YET,
    forecasts_counted,
    near_one,
    p_in_table,
    plain_number,
    signed_percent,
)
from goldviz.labs.gold_forecast.measures import Reading
from goldviz.labs.gold_forecast.scoring.results import ends_in_words, recorded_score, result_in_words
from goldviz.labs.gold_forecast.scoring.series import settings_of
from goldviz.labs.gold_forecast.words import model_name

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run

UNFINISHED = ("queued", "running")

JOINED_BY_DATE = "covariates are joined by calendar date"

BETTER_WORSE_NEITHER = {
    "return": ("Better than zero", "Worse than saying zero", "No detectable skill over zero"),
    "volatility": (
        "The size of the next move can be forecast",
        "Worse than a constant variance",
        "No detectable skill in the size of the next move",
    ),
}


def verdict(ds: Run, target: str) -> str:
    """The sentence that stands first: whether the network beats the simplest forecast, and how sure that is.

    ``target`` is the run's: 'return', 'volatility' or 'level'. While a run goes on the sentence says how far it is, and
    leaves the judgement to the interval that comes at the end.
    """
    if str(ds.attrs.get("status", "")) == "diverged":
        return DIVERGED
    n = Reading.of(ds)
    if n.series.look is None:
        return NO_FORECAST_YET if _unfinished(ds) else "This run made no forecast."
    if not isfinite(n.own.value):
        return "No forecast of this run can be scored: none of them is a finite number."
    if not n.own.sure:
        text = f"{_how_far(n)}: {_of_leak(n) if n.leaking else _unsure(n)}{_beside_the_future(n)}"
    elif settings_of(ds).get("shuffle_targets"):
        text = f"{_of_shuffled(n)}{_beside_the_future(n)}"
    elif n.leaking:
        text = _of_leak(n)
    elif n.foresees:
        text = _of_future(n)
    else:
        text = _of_level(n) if target == "level" else _of_move(n, target)
    return f"{text[0].upper()}{text[1:]}"


def standing_still(ds: Run) -> str:
    """What is to be known of the scores where the target does not move for many days on end; empty where it does."""
    n = Reading.of(ds)
    if n.series.target == "volatility":
        so = (
            "QLIKE rewards whatever narrows on such days, so its gains say little of the others. The simple forecasts "
            "stop at a hundredth of the past's width."
        )
    else:
        so = "Such days lie inside every interval."
    return still_in_words(str(ds.attrs.get("target_words", "")), n.moves, so)


def _unfinished(ds: Run) -> bool:
    return str(ds.attrs.get("status", "running")) in UNFINISHED


def _how_far(n: Reading) -> str:
    epochs = settings_of(n.dataset).get("epochs")
    place = f"at epoch {n.series.look}{f' of {epochs}' if epochs else ''}"
    return f"so far, {place}" if _unfinished(n.dataset) else f"{place}, where the run was left"


def _unsure(n: Reading) -> str:
    """The score without its interval."""
    later = "; the interval comes when the run ends" if _unfinished(n.dataset) else ", without an interval"
    end = f"over {_forecasts(n)}{later}."
    if n.series.target == "volatility":
        return f"QLIKE gain {plain_number(n.own.value)} over a constant variance, {end}"
    against = "repeating the last price" if n.series.target == "level" else "zero"
    return f"R² {signed_percent(n.own.value)} against {against}, {end}"


def _beside_the_future(n: Reading) -> str:
    """What a score that is no judgement has to add where part of the future is in sight."""
    return "" if n.leaking or not n.foresees else f" Beware: {JOINED_BY_DATE}, so part of the future is in sight."


def _of_future(n: Reading) -> str:
    score = result_in_words(n.series.target, n.own)
    ahead = f"{JOINED_BY_DATE}, so it says nothing of a forecast made in time"
    return f"{score}, with part of the future in sight: {ahead} ({_forecasts(n)})."


def _of_shuffled(n: Reading) -> str:
    dealt, score = "The targets were dealt out at random", result_in_words(n.series.target, n.own)
    if n.own.better:
        return f"{dealt}, yet {score}: such skill can only come from a mistake in how the data are used."
    return f"{dealt}, and no skill is left, as it must be: {score}, over {_forecasts(n)}."


def _of_move(n: Reading, target: str) -> str:
    better, worse, neither = BETTER_WORSE_NEITHER[target]
    beware = (
        f" Beware: {columns_in_words(n.columns_ahead)} told moves before they came."
        if n.forewarned and n.own.better
        else ""
    )
    if n.own.better and n.series.target == "volatility" and n.steady:
        better = "Better than a constant variance by its level alone"
    score = judged(n.own, (better, worse, neither), result_in_words(n.series.target, n.own))
    if target == "return":
        return f"{score}, over {_forecasts(n)}.{beware}"
    beside = f"; GARCH reaches {plain_number(n.garch.value)}" if isfinite(n.garch.value) else ""
    return f"{score} over a constant variance in {_forecasts(n)}{beside}.{beware}"


def _of_level(n: Reading) -> str:
    fine = f"R² {near_one(n.r2_against_mean)} against the mean"
    honest = f"{ends_in_words(n.series.target, n.own)} against repeating the last price"
    what_it_learns = "something" if n.own.better else "nothing"
    return f"{fine}, and {honest}: {what_it_learns} was learned about tomorrow ({_forecasts(n)})."


def _of_leak(n: Reading) -> str:
    cause = "Look for a leak: is a value known later than it is dated?"
    if n.foresees:
        cause = f"The leak: {JOINED_BY_DATE}."
    elif n.forewarned:
        cause = f"Look for the leak in {columns_in_words(n.columns_ahead)}: is a value known later than it is dated?"
    if n.series.target == "volatility":
        simple = model_name(n.best_simple, n.series.network, n.series.target)
        beside = f"{simple}, the best simple forecast, {plain_number(n.results[n.best_simple].value)}"
        return f"{result_in_words('volatility', n.own)}; {beside}: no honest forecast of sizes does that. {cause}"
    against = " against repeating the last price" if n.series.target == "level" else ""
    model, result = n.leaking_model, n.results[n.leaking_model]
    whose = "" if model == "network" else f" by {model_name(model, n.series.network, n.series.target)}"
    beyond = f"R² {signed_percent(result.value)}{whose}{against}"
    return f"{beyond}: no honest forecast of {n.rhythm}{n.series.moves.plural} does that. {cause}"


def _forecasts(n: Reading) -> str:
    return forecasts_counted(len(n.scored), simulated=n.simulated)


def score_rows(ds: Run) -> list[dict[str, str]]:
    """The network and every baseline with their scores in words, one row for each, ready for a table.

    Numbers that only the end of a run brings are '–' until then. Empty while nothing has been forecast.
    """
    n = Reading.of(ds)
    models = {**n.results, n.series.reference: Result(0.0)} if n.results else {}
    return [
        {"Model": model_name(model, n.series.network, n.series.target), **_scores(n, model, result)}
        for model, result in models.items()
    ]


def _scores(n: Reading, model: str, result: Result) -> dict[str, str]:
    simplest, target = model == n.series.reference, n.series.target
    in_words = plain_number if target == "volatility" else signed_percent
    value = "0" if simplest else in_words(result.value)
    interval = f"{in_words(result.low)} to {in_words(result.high)}" if result.sure and not simplest else "–"

    def of(metric: str, form: str) -> str:
        number = recorded_score(n.dataset, model, metric)
        return format(number, form).replace("-", "−").replace("%", " %") if isfinite(number) else "–"

    def errors(metric: str) -> str:
        number = recorded_score(n.dataset, model, metric)
        return n.series.moves.error(number) if isfinite(number) else "–"

    test = p_in_table(recorded_score(n.dataset, model, "dm_p"))
    if target == "volatility":
        return {
            "QLIKE gain": value,
            "95 % interval": interval,
            "QLIKE": of("qlike", ".2f"),
            "DM p": test,
            "CRPS": errors("crps"),
            "Inside 50 %": of("coverage_50", ".0%"),
            "Inside 90 %": of("coverage_90", ".0%"),
        }
    against = "R² against no change" if target == "level" else "R² against zero"
    row = {
        against: value,
        "95 % interval": interval,
        "DM p": test,
        "Sign right": of("hit_rate", ".1%"),
        "RMSE": errors("rmse"),
    }
    return {**row, "R² against the mean": of("r2_mean", ".4f")} if target == "level" else row
