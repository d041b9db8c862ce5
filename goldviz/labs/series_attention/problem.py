"""The series of a run's task, of a seed's own streams; the market's are the same for every seed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import Generator

from goldviz.labs.series_attention.tasks.cycles import cycle_problem
from goldviz.labs.series_attention.tasks.market_returns import market_problem
from goldviz.labs.series_attention.tasks.oscillator import oscillator_problem
from goldviz.labs.series_attention.tasks.piecewise_sines import sines_problem
from goldviz.labs.series_attention.tasks.surroundings import surroundings_problem
from goldviz.labs.series_attention.tasks.windows import SeriesProblem

if TYPE_CHECKING:
    from goldviz.labs.series_attention.settings import SeriesAttention

TESTS = 64
"""Series that are tested on."""


def problem_of(settings: SeriesAttention, train: Generator, test: Generator) -> SeriesProblem:
    """Series to learn from and to test on.

    Raises :class:`goldviz.labs.series_attention.tasks.windows.SeriesProblemError` or
    :class:`goldviz.data.markets.market.MarketError` where there are none.
    """
    counts, sizes = (settings.series, TESTS), (settings.context, settings.horizon)
    match settings.task:
        case "sines":
            return sines_problem(*counts, *sizes, train, test)
        case "surroundings":
            return surroundings_problem(*counts, train, test)
        case "oscillator":
            return oscillator_problem(*counts, *sizes, train, test)
        case "market":
            return market_problem(
                settings.data,
                settings.market_seed,
                *sizes,
                calendar=settings.calendar,
                covariate=settings.covariate,
            )
        case "cycle":
            return cycle_problem(
                *counts, *sizes, settings.period, train, test, calendar=settings.calendar, longest=settings.longest
            )
