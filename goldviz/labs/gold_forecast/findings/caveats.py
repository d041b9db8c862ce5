"""Rules on what a score rests on: one episode, few refits, few forecasts, a simulated market."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldviz.diagnostics.findings import (
    Case,
    Check,
    Line,
    Mend,
    Rule,
    above,
    at_most,
    below,
    median,
    percent,
    where,
)
from goldviz.diagnostics.findings.words import counted, quantity
from goldviz.diagnostics.forecasts.words import forecasts_counted
from goldviz.labs.gold_forecast.findings.skill import JUDGED_ELSEWHERE, score
from goldviz.labs.gold_forecast.measures import EPISODE, Reading
from goldviz.labs.gold_forecast.scoring.results import value_in_words

if TYPE_CHECKING:
    from goldviz.labs.gold_forecast.settings import GoldForecast

LEAST_YEARS, MOST_YEARS = 0.5, 60
"""What the settings allow of training and of test."""

FEW = 250
"""Forecasts below which nothing can be told, however narrow the interval: a year of days."""


def more_years(settings: GoldForecast) -> Mend:
    """As many years in all, for data have no more of them."""
    train, test = settings.train_years, settings.test_years
    years = min(train / 2, train - LEAST_YEARS, MOST_YEARS - test)
    changes = {"train_years": train - years, "test_years": test + years} if years > 0 else {}
    return Mend("Begin with half of the training years, and forecast the other half, too.", changes)


def _how_it_was_simulated(case: Case) -> str:
    mean = "a mean that answers to documents" if case.settings.tone_response else "without a forecastable mean"
    return f"It is built with lasting volatility and {mean}."


def _better(n: Reading, settings: GoldForecast) -> bool:
    return n.own.better


def _within(n: Reading) -> str:
    days = n.episode.days
    time = f"{len(days)} of {forecasts_counted(len(n.scored))}, {days[0]} to {days[-1]}"
    share = percent(n.episode.share) if n.episode.share < 1 else "more than all"
    return f"{share} of the gain within {time}"


def _too_few(settings: GoldForecast) -> Line:
    """A year of days, however narrow the interval, or one so wide that it would hold skill of an honest size, too."""
    few = below("scored.size", FEW, "{at} forecasts")
    wide = (
        above("own.half_width", 0.1, "an interval of ± {at}")
        if settings.target == "volatility"
        else above("own.half_width", 0.02, "an interval of ± {at:percent}")
    )
    return Line((few | wide).over, f"{few.words}, and {wide.words}")


def _few(case: Case) -> bool:
    return len(case.reading.scored) < FEW


def _why_untold(case: Case) -> str:
    if _few(case):
        return "To see skill of an honest size takes a thousand forecasts and more."
    return "Skill of an honest size would not show in an interval as wide as this."


SIMULATED = Rule(
    "simulated_market",
    "warning",
    "All this holds for a simulated market",
    line=where("simulated", "prices that were paid"),
    number="seed {settings.market_seed} of the simulation",
    confidence="certain: the numbers were drawn",
    explanation=_how_it_was_simulated,
    only=lambda n, settings: bool(n.dataset.sizes.get("look")),
    must_tell=True,
)

RULES = (
    Rule(
        "one_episode",
        "warning",
        "One episode makes most of the skill",
        line=above("episode.share", 0.5, f"{{at:part}} of the gain within {percent(EPISODE)} of the time"),
        number=_within,
        confidence=lambda case: (
            "without these days the score is "
            + value_in_words(case.reading.series.target, case.reading.episode.score_without)
        ),
        explanation="One good guess in a storm outweighs years of nothing.",
        advice=[more_years],
        only=_better,
        silenced_by=JUDGED_ELSEWHERE,
    ),
    Rule(
        "refits_disagree",
        "warning",
        lambda case: f"{quantity(case.reading.unskilled_refits).capitalize()} refits have no skill",
        line=at_most("skilled_refits", 0.5, "more than {at:part} of them"),
        number=lambda n: f"above 0 in {counted(n.skilled, 'refits')}",
        confidence=lambda case: (
            "the refits' median is " + value_in_words(case.reading.series.target, median(case.reading.refits))
        ),
        explanation="Skill that is there should show in most of them.",
        advice=[Check("Fit it with more seeds.", {"seeds": tuple(range(5))})],
        only=_better,
        silenced_by=JUDGED_ELSEWHERE,
    ),
    Rule(
        "few_forecasts",
        "warning",
        lambda case: "There are too few forecasts to tell" if _few(case) else "The interval is too wide to tell",
        line=_too_few,
        number=lambda n: f"{score(n)} from {forecasts_counted(len(n.scored))}",
        confidence="the interval's width is what is measured here",
        explanation=_why_untold,
        advice=[more_years],
        only=lambda n, settings: n.own.undecided,
        silenced_by=JUDGED_ELSEWHERE,
    ),
)
