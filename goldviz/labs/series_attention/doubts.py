"""What should be known of a visitor's own market before a run: what knows too much, and what is too short."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from goldviz.data.markets.warnings import market_warnings
from goldviz.diagnostics.forecasts.lookahead import lookahead_warning

if TYPE_CHECKING:
    from goldviz.labs.series_attention.settings import SeriesAttention

OF_THE_PROBLEM = ("data", "market_seed", "context", "horizon", "calendar", "covariate")
"""The settings that say what is learned from."""


def doubts(settings: SeriesAttention) -> tuple[str, ...]:
    """Inputs that tell the next move, each with what to do; nothing of simulated data.

    Raises :class:`goldviz.data.markets.market.MarketError` without a market, and
    :class:`goldviz.labs.series_attention.tasks.windows.SeriesProblemError` where nothing can be learned.
    """
    return market_warnings(settings, OF_THE_PROBLEM, problem_doubts, task="market")


@lru_cache(maxsize=32)
def problem_doubts(settings: SeriesAttention) -> list[str]:
    """The same of the problem that these settings make of their market."""
    from goldviz.labs.series_attention.tasks.market_returns import market_problem

    problem = market_problem(
        settings.data,
        settings.market_seed,
        settings.context,
        settings.horizon,
        calendar=settings.calendar,
        covariate=settings.covariate,
    )
    return [lookahead_warning(link) for link in problem.columns_ahead]
