"""Rules on what the forecasts are worth: skill, none, less than none, and too much of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.findings import Finding, remedy
from goldviz.labs.gold_forecast.readings import leaking, r2_against_mean
from goldviz.labs.gold_forecast.scoring.distributions import qlike_losses
from goldviz.labs.gold_forecast.scoring.results import Evidence, Result, result_in_words, seed_scores
from goldviz.labs.gold_forecast.scoring.tests import diebold_mariano
from goldviz.labs.gold_forecast.words import near_one, p_value, plain_number, signed_percent

if TYPE_CHECKING:
    import xarray as xr

    from goldviz.labs.gold_forecast.settings import GoldForecast

SIGNIFICANT = 0.05


def leak_suspected(settings: GoldForecast, ds: xr.Dataset, evidence: Evidence) -> Finding | None:
    """R2 is higher than an honest forecast of daily data reaches."""
    if settings.shuffle_targets or not leaking(ds, evidence.series, evidence.own):
        return None
    by_date = settings.alignment == "date"
    cause = (
        "Joined by calendar date, covariates of the very day that is forecast are in sight: closes that come hours "
        "after your forecast is made, and figures that are published days later."
        if by_date
        else "Every covariate waits for its release here, so look at the data themselves: is a channel computed from "
        "the target, revised afterwards, or known later than its release time says?"
    )
    return Finding(
        kind="leak_suspected",
        title="This is too good: look for a leak",
        severity="bad",
        number=f"R² {signed_percent(evidence.own.value)}",
        threshold="5 % on daily data; honest forecasts stay below 1 %",
        confidence=certainty(evidence),
        explanation=cause,
        **remedy(
            settings,
            ("Let each covariate count from its release on.", {"alignment": "release"}),
            ("Show the target's own past alone: if the skill goes, a covariate leaks.", {"inputs": "own"}),
            ("Deal the targets out at random: skill that stays is a mistake.", {"shuffle_targets": True}),
        ),
    )


def shuffled(settings: GoldForecast, evidence: Evidence) -> Finding | None:
    """The check with targets dealt out at random: passed, or not."""
    own = evidence.own
    if not (settings.shuffle_targets and own.sure):
        return None
    failed = own.better
    return Finding(
        kind="shuffled_skill" if failed else "shuffled_check_passed",
        title="Skill on targets that were dealt out at random" if failed else "No skill is left on shuffled targets",
        severity="bad" if failed else "good",
        number=result_in_words(evidence.series.target, own),
        threshold="an interval above 0",
        confidence=certainty(evidence),
        explanation="Nothing can forecast these targets, so the skill comes from a mistake in how data are used."
        if failed
        else "Nothing can forecast these targets, and the network does not seem to: no forecast sees its own answer.",
        **remedy(settings, ("Forecast what really came.", {"shuffle_targets": False})),
    )


def worthless_level(settings: GoldForecast, ds: xr.Dataset, evidence: Evidence) -> Finding | None:
    """A level's fine score, which repeating the last price has, too."""
    own = evidence.own
    if settings.target != "level" or not own.sure or own.better:
        return None
    return Finding(
        kind="worthless_level_score",
        title="The level's fine score says nothing",
        severity="bad",
        number=f"R² {near_one(r2_against_mean(ds, evidence.series))} against the mean, "
        f"{signed_percent(own.value)} against the last price",
        threshold="above 0 against repeating the last price",
        confidence=certainty(evidence),
        explanation="Tomorrow's price is today's and a little more, so anything near the last price scores close to 1. "
        "Whether something is known of that little more shows in the score against the last price alone.",
        **remedy(settings, ("Forecast returns.", {"target": "return"})),
    )


def no_skill(settings: GoldForecast, evidence: Evidence) -> Finding | None:
    """The interval of the score holds zero."""
    own = evidence.own
    if settings.target == "level" or not own.sure or own.better or own.worse:
        return None
    if settings.target == "volatility":
        return Finding(
            kind="no_volatility_skill",
            title="No detectable skill in the size of moves",
            severity="warning",
            number=result_in_words(evidence.series.target, own),
            threshold="an interval above 0",
            confidence=certainty(evidence),
            explanation="Large moves follow large moves, and EWMA and GARCH make use of it. A network that has learned "
            "can, too; one that does no better than a constant has not yet.",
            **remedy(
                settings,
                ("Let it look back over sixty rows.", {"window": max(60, settings.window)}),
                ("Train three times as long.", {"epochs": min(500, 3 * settings.epochs)}),
            ),
        )
    return Finding(
        kind="no_skill",
        title="No detectable skill over saying zero",
        # Good, because it is what an honest evaluation of daily returns finds almost always. A warning would ask for
        # a mend, and who goes on mending until something turns up has found chance.
        severity="good",
        number=result_in_words(evidence.series.target, own),
        threshold="an interval above 0",
        confidence=certainty(evidence),
        explanation="What a network may know of tomorrow's return is in today's price already. That is the usual and "
        "honest answer; the size of the next move is another matter.",
        **remedy(settings, ("Forecast the variance.", {"target": "volatility", "head": "student"})),
    )


def worse(settings: GoldForecast, evidence: Evidence) -> Finding | None:
    """All of the interval lies below zero."""
    own = evidence.own
    if settings.target == "level" or not own.worse:
        return None
    return Finding(
        kind="worse_than_simplest",
        title="Worse than a constant variance" if settings.target == "volatility" else "Worse than saying zero",
        severity="warning",
        number=result_in_words(evidence.series.target, own),
        threshold="an interval below 0",
        confidence=certainty(evidence),
        explanation="The forecasts move, and not with what comes: the network follows noise that it took for a "
        "pattern. Whatever makes its forecasts calmer brings them nearer to the simplest one.",
        **remedy(
            settings,
            ("Drop half of the hidden values while training.", {"dropout": max(0.5, settings.dropout)}),
            ("Take a quarter of the hidden units.", {"hidden": max(2, settings.hidden // 4)}),
        ),
    )


def skill(settings: GoldForecast, ds: xr.Dataset, evidence: Evidence) -> Finding | None:
    """All of the interval lies above zero, and the score is believable."""
    own, series = evidence.own, evidence.series
    if not own.better or leaking(ds, series, own):
        return None
    if series.target == "volatility":
        garch = evidence.results.get("garch", Result(np.nan))
        beside = f"; GARCH {plain_number(garch.value)}" if np.isfinite(garch.value) else ""
        return Finding(
            kind="volatility_skill",
            title="The size of the next move can be forecast",
            severity="good",
            number=f"{result_in_words(series.target, own)}{beside}",
            threshold="an interval above 0",
            confidence=certainty(evidence),
            explanation="Calm and storm last, so the width of the forecast can follow them. It says how large the next "
            "move may be, not which way it goes.",
        )
    return Finding(
        kind="skill",
        title="Better than the simplest forecast",
        severity="good",
        number=result_in_words(series.target, own),
        threshold="an interval above 0",
        confidence=certainty(evidence),
        explanation="The interval holds for one network that was tried once. Of twenty useless ones, one looks like "
        "this: count your tries, and trust what the final block confirms.",
        **remedy(settings, ("Check the way of working on shuffled targets.", {"shuffle_targets": True})),
    )


def worse_than_garch(settings: GoldForecast, evidence: Evidence) -> Finding | None:
    """GARCH(1,1), with three parameters, forecasts the variance better."""
    series = evidence.series
    if settings.target != "volatility" or not evidence.own.sure or "garch" not in series.baselines:
        return None
    losses = {model: qlike_losses(series.came, series.forecast(model))[~series.final] for model in ("network", "garch")}
    test = diebold_mariano(losses["network"], losses["garch"])
    if not (test.statistic < 0 and test.p_value < SIGNIFICANT):
        return None
    garch = evidence.results["garch"]
    return Finding(
        kind="worse_than_garch",
        title="GARCH forecasts the variance better",
        severity="warning",
        number=f"QLIKE gain {plain_number(evidence.own.value, 3)} against GARCH's {plain_number(garch.value, 3)}",
        threshold="Diebold-Mariano p below 0.05",
        confidence=p_value(test.p_value),
        explanation="GARCH carries what it knows of the variance through the whole past with three parameters. A "
        "network has to find the same in its window.",
        **remedy(
            settings,
            ("Let it look back over sixty rows.", {"window": max(60, settings.window)}),
            ("Take Student's t, which single large moves disturb less.", {"head": "student"}),
            ("Train three times as long.", {"epochs": min(500, 3 * settings.epochs)}),
        ),
    )


def certainty(evidence: Evidence) -> str:
    """How sure a score is: its interval, and how many seeds alone are on its side of zero."""
    seeds = np.array(seed_scores(evidence.series))
    interval = "95 % interval from a block bootstrap" if evidence.own.sure else "no interval yet"
    if not seeds.size:
        return f"{interval}; one seed: run several to be sure"
    agreed = int((np.sign(seeds) == np.sign(evidence.own.value)).sum())
    return f"{interval}; {agreed} of {seeds.size} seeds alone have this sign"
