"""What should be known of a visitor's own market before a run: whether it can be trained on, and what tells nothing."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import pandas as pd

from goldviz.data.markets.market import Channel
from goldviz.data.markets.text_channels import axes_know_the_future
from goldviz.data.markets.warnings import market_warnings
from goldviz.diagnostics.forecasts.lookahead import lookahead_warning
from goldviz.labs.gold_forecast.settings import GoldForecast

if TYPE_CHECKING:
    from goldviz.labs.gold_forecast.problem import ForecastProblem

OF_THE_PROBLEM = (
    "data",
    "market_seed",
    "target",
    "inputs",
    "alignment",
    "missing",
    "missing_share",
    "documents",
    "tone_response",
    "carry",
    "scheme",
    "train_years",
    "test_years",
    "refits",
    "embargo",
    "validation_share",
    "window",
)
"""The settings that a network's own have no part in."""
LONG_SILENCE = pd.Timedelta(days=180)


def doubts(settings: GoldForecast) -> tuple[str, ...]:
    """What a person should know before these settings are trained, each with what to do; nothing of simulated data.

    Raises :class:`goldviz.data.markets.market.MarketError` where they cannot be trained.
    """
    return market_warnings(settings, OF_THE_PROBLEM, problem_doubts)


@lru_cache(maxsize=32)
def problem_doubts(settings: GoldForecast) -> list[str]:
    """The same of what these settings make of their market; raises :class:`MarketError` where that is no problem."""
    from goldviz.labs.gold_forecast.problem import forecast_problem

    problem = forecast_problem(settings)
    ahead = map(lookahead_warning, problem.columns_ahead)
    return [*ahead, *axes(problem), *unheard(problem), *unlearned(problem, settings.window)]


def axes(problem: ForecastProblem) -> list[str]:
    """Forecasts from before the day up to which the axes of documents were fitted."""
    advice = "Lower test years, or fit them on earlier documents."
    return axes_know_the_future(problem.market, _first_forecast(problem), "forecasts", advice)


def unheard(problem: ForecastProblem) -> list[str]:
    """Channels that end before the forecasts do."""
    first, last = _first_forecast(problem), pd.Timestamp(problem.dates_of(problem.tested[-1:])[0])
    warnings = []
    for channel in problem.market.channels[1:]:
        ends = channel.observed.index[-1]
        if ends < first:
            warnings.append(
                f"{channel.words} ends on {ends:%Y-%m-%d}, before the first forecast on {first:%Y-%m-%d}. No forecast "
                "has news of it: bring later values, or leave it out."
            )
        elif last - ends > LONG_SILENCE:
            warnings.append(
                f"{channel.words} ends on {ends:%Y-%m-%d}, and forecasts go on until {last:%Y-%m-%d} without news of "
                "it. Bring later values."
            )
    return warnings


def unlearned(problem: ForecastProblem, window: int) -> list[str]:
    """Channels that some refits never see in their training windows."""
    blind = (problem.observed_shares(window) == 0).sum(axis=0)
    covariates = zip(problem.market.channels[1:], blind[1:], strict=False)
    return [_unlearned(channel, int(count), len(problem.folds)) for channel, count in covariates if count]


def _unlearned(channel: Channel, blind: int, refits: int) -> str:
    if blind == refits:
        return (
            f"No refit learns from {channel.words}: it has no news in any training window. Bring earlier values, or "
            "leave it out."
        )
    return (
        f"{channel.words} begins on {channel.observed.index[0]:%Y-%m-%d}, too late for {blind} of {refits} refits, "
        "which learn without it. Lower test years, so that all of them see it."
    )


def _first_forecast(problem: ForecastProblem) -> pd.Timestamp:
    return pd.Timestamp(problem.dates_of(problem.tested[:1])[0])
