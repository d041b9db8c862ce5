"""Rules on what a score rests on: one episode, few refits, few forecasts, the final block, a simulated market."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from goldviz.diagnostics.findings import Finding, Floats, percent, remedy
from goldviz.labs.gold_forecast.readings import leaking, scored_forecasts
from goldviz.labs.gold_forecast.scoring.results import Evidence, result_in_words, value_in_words
from goldviz.labs.gold_forecast.scoring.series import Series
from goldviz.labs.gold_forecast.words import forecasts_counted

if TYPE_CHECKING:
    import xarray as xr

    from goldviz.labs.gold_forecast.settings import GoldForecast

WIDEST = {"return": 0.02, "level": 0.02, "volatility": 0.1}
"""Half width of a score's interval from which there are too few forecasts to tell."""

FEWEST = 250
"""Forecasts, a year of days, below which there are too few to tell, however narrow the interval."""

EPISODE_SHARE = 0.01
MOST_FROM_ONE_EPISODE = 0.5


def one_episode(settings: GoldForecast, ds: xr.Dataset, evidence: Evidence) -> Finding | None:
    """Most of the gain was made in a hundredth of the time, on end.

    Days on end, because gains have heavy tails: the best hundredth of single days brings more than the whole of any
    small but honest skill.
    """
    own, series = evidence.own, evidence.series
    if not own.better or leaking(ds, series, own):
        return None
    gains = series.gains("network")
    kept = np.flatnonzero(np.isfinite(gains) & ~series.final)
    length = max(5, round(EPISODE_SHARE * len(kept)))
    if len(kept) < 4 * length:
        return None
    sums = np.convolve(gains[kept], np.ones(length), "valid")
    start, total = int(sums.argmax()), float(gains[kept].sum())
    share = float(sums.max()) / total if total > 0 else 0.0
    if share <= MOST_FROM_ONE_EPISODE:
        return None
    rest = _without(series, gains, kept, start, length)
    first, last = series.dates[kept[start]], series.dates[kept[start + length - 1]]
    return Finding(
        kind="one_episode",
        title="One episode makes most of the skill",
        severity="warning",
        number=f"{percent(share)} of the gain within {length} of {forecasts_counted(len(kept))}, {first} to {last}",
        threshold="half of the gain within 1 % of the time",
        confidence=f"without these days the score is {value_in_words(series.target, rest)}",
        explanation="A score is a sum: one good guess in a storm outweighs years of nothing. Look at the curve over "
        "time: steps are luck more often than slopes are.",
        **remedy(settings, ("Forecast twice as many years.", {"test_years": min(60.0, 2 * settings.test_years)})),
    )


def refits_disagree(settings: GoldForecast, ds: xr.Dataset, evidence: Evidence) -> Finding | None:
    """The whole looks skilled, most of its parts do not."""
    own, series = evidence.own, evidence.series
    if not own.better or leaking(ds, series, own):
        return None
    gains = series.gains("network")
    blocks = np.unique(series.block[~series.final])
    scores = np.array([series.score(gains, (series.block == block) & ~series.final) for block in blocks])
    scores = scores[np.isfinite(scores)]
    above = int((scores > 0).sum())
    if len(scores) < 3 or above > len(scores) / 2:
        return None
    return Finding(
        kind="refits_disagree",
        title="Most refits have no skill",
        severity="warning",
        number=f"above 0 in {above} of {len(scores)} refits",
        threshold="more than half of them",
        confidence=f"the refits' median is {value_in_words(series.target, float(np.median(scores)))}",
        explanation="Each refit is a try of its own at another time. Skill that is there should show in most of them.",
        **remedy(settings, ("Fit it with more seeds.", {"seeds": tuple(range(5))})),
    )


def few_forecasts(settings: GoldForecast, evidence: Evidence) -> Finding | None:
    """The interval holds zero, and is so wide that it would hold skill of an honest size, too."""
    own, series = evidence.own, evidence.series
    if not own.sure or own.better or own.worse:
        return None
    count = scored_forecasts(series)
    if (own.high - own.low) / 2 <= WIDEST[series.target] and count >= FEWEST:
        return None
    widest = "0.1" if series.target == "volatility" else "2 %"
    return Finding(
        kind="few_forecasts",
        title="There are too few forecasts to tell",
        severity="warning",
        number=f"{result_in_words(series.target, own)} from {forecasts_counted(count)}",
        threshold=f"{FEWEST} forecasts, and an interval of ± {widest}",
        confidence="the interval's width is what is measured here",
        explanation="Honest skill is small. To see it through the noise of single days takes a thousand forecasts and "
        "more.",
        **remedy(settings, ("Forecast twice as many years.", {"test_years": min(60.0, 2 * settings.test_years)})),
    )


def final_block(settings: GoldForecast, ds: xr.Dataset, evidence: Evidence) -> Finding | None:
    """The final block: what it says once it is open, and that it still waits where there is skill to confirm."""
    own, series = evidence.own, evidence.series
    if not own.sure or leaking(ds, series, own):
        return None
    if "network" in evidence.final:
        value, count = evidence.final["network"], forecasts_counted(int(series.final.sum()))
        gone, before = own.better and value <= 0, value_in_words(series.target, own.value)
        return Finding(
            kind="final_block_opened",
            title="The skill did not last into the final block" if gone else "The final block has been opened",
            severity="warning" if gone else "good",
            number=f"{value_in_words(series.target, value)} over {count}; before: {before}",
            threshold="above 0" if own.better else "no decision may hang on it any more",
            confidence="few forecasts, so only a rough check",
            explanation="It was untouched once, and is not any more: whatever you change from now on is chosen with "
            "knowledge of it.",
        )
    if not (own.better and settings.final_days and not settings.open_final):
        return None
    return Finding(
        kind="final_block_closed",
        title="The final block is still closed",
        severity="good",
        number=f"{settings.final_days} days kept untouched",
        threshold="opened once, when everything is decided",
        confidence="nothing has been fitted or chosen on it",
        explanation="It is your only fair test of what you chose by looking at this page.",
        **remedy(settings, ("Open it, once everything else is decided.", {"open_final": True})),
    )


def simulated(settings: GoldForecast, ds: xr.Dataset) -> Finding | None:
    """The market was made up, so what is found holds for it alone."""
    if not int(ds.attrs.get("simulated", 0)) or not ds.sizes.get("look"):
        return None
    return Finding(
        kind="simulated_market",
        title="All this holds for a simulated market",
        severity="warning",
        number=f"seed {settings.market_seed} of the simulation",
        threshold="prices that were paid",
        confidence="certain: the numbers were drawn",
        explanation="The simulation is built with lasting volatility and without a forecastable mean, so finding just "
        "that is a check of the method, not news about gold. Load real prices to learn about those.",
    )


def _without(series: Series, gains: Floats, kept: NDArray[np.intp], start: int, length: int) -> float:
    chosen = np.zeros(len(gains), bool)
    chosen[np.delete(kept, slice(start, start + length))] = True
    return series.score(gains, chosen)
