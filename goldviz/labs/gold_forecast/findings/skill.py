"""Rules on what the forecasts are worth: skill, none, less than none, and too much of it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING

from goldviz.diagnostics.findings import (
    Case,
    Check,
    DividedBy,
    Line,
    Mend,
    RaisedTo,
    Rule,
    Times,
    below,
    percent,
    where,
)
from goldviz.diagnostics.findings.rule import nothing
from goldviz.diagnostics.findings.words import counted
from goldviz.diagnostics.forecasts.columns_ahead import COLUMN_AHEAD, LINE, columns_in_numbers, columns_in_words
from goldviz.diagnostics.forecasts.result import SIGNIFICANT
from goldviz.diagnostics.forecasts.words import near_one, p_value, plain_number, signed_percent
from goldviz.labs.gold_forecast.measures import LEAK, SIZE_LEAD, SIZE_LEAK, SLOW_LEAK, Reading
from goldviz.labs.gold_forecast.scoring.results import ends_in_words, result_in_words
from goldviz.labs.gold_forecast.words import model_name

if TYPE_CHECKING:
    from goldviz.labs.gold_forecast.settings import GoldForecast

ABOVE_ZERO = f"the whole interval above 0, and Diebold-Mariano p below {SIGNIFICANT}"
BELOW_ZERO = f"the whole interval below 0, and Diebold-Mariano p below {SIGNIFICANT}"
JUDGED_ELSEWHERE = ("known_leak", "leak_suspected", "shuffled_skill", "shuffled_check_passed")

TO_VARIANCE = Check("Forecast the variance.", {"target": "volatility", "head": "student"})
TO_TRUTH = Mend("Forecast what really came.", {"shuffle_targets": False})
STUDENT = ("Take Student's t, which single large moves disturb less.", {"head": "student"})
LOOK_BACK = ("Let it look back over sixty rows.", {"window": RaisedTo(60)})
LONGER = ("Train three times as long.", {"epochs": Times(3)})
SLOWER = ("Take a tenth of the learning rate.", {"learning_rate": DividedBy(10)})
FASTER = ("Take three times the learning rate.", {"learning_rate": Times(3)})
FEWER_UNITS = ("Take a quarter of the hidden units.", {"hidden": DividedBy(4)})
MORE_DROPOUT = ("Drop half of the hidden values while training.", {"dropout": RaisedTo(0.5)})


def score(n: Reading) -> str:
    """The network's score with its interval."""
    return result_in_words(n.series.target, n.own)


def certainty(case: Case) -> str:
    """How sure a score is: its interval, and how many seeds alone are on its side of zero."""
    own, same_sign = case.reading.own, case.reading.same_sign
    interval = "95 % interval from a block bootstrap" if own.sure else "no interval yet"
    if own.disputed:
        interval = f"{interval}, and the test disagrees with it"
    if not same_sign.size:
        return f"{interval}; one seed: run several to be sure"
    return f"{interval}; {counted(same_sign, 'seeds')} alone have this sign"


def _where_to_look(case: Case) -> str:
    if case.reading.forewarned:
        return (
            f"{columns_in_words(case.reading.columns_ahead)} told moves before they came. Is it "
            "computed from the target, revised later, or known later than its date says? Set its release time, or "
            "leave it out."
        )
    if case.settings.inputs == "own":
        return "It sees the target's own past alone, so look at the prices."
    if case.settings.target == "volatility":
        return "Look at columns that span days: one centred, or a month's on all its days, holds days still to come."
    return "Every covariate waits for its release here, so look at the data."


def _leak_line(settings: GoldForecast) -> Line:
    if settings.target == "volatility":
        lead = f"by more than {SIZE_LEAD}"
        return where("leaking", f"{{at}} times the best simple forecast's, and {lead} above it", at=SIZE_LEAK)
    slow = f"{percent(SLOW_LEAK)} on slower; honest daily ones stay below 1 %"
    return where("leaking", f"{{at:percent}} on daily data, {slow}", at=LEAK)


def _too_good(n: Reading) -> str:
    if n.series.target == "volatility":
        simple = model_name(n.best_simple, n.series.network, n.series.target)
        return f"{score(n)}; {simple}, the best simple one, {plain_number(n.results[n.best_simple].value)}"
    model = n.leaking_model
    whose = "" if model == "network" else f" by {model_name(model, n.series.network, n.series.target)}"
    return f"R² {signed_percent(n.results[model].value)}{whose}"


def _how_sure_of_leak(case: Case) -> str:
    if case.reading.leaking_model == "network":
        return certainty(case)
    return "a simple forecast, so no network had to learn it"


def _why_worse(case: Case) -> str:
    if case.reading.steady:
        return "The forecasts hardly move, so their level is off."
    return "The forecasts move, and not with what comes."


def _beside_garch(n: Reading) -> str:
    return f"{score(n)}; GARCH {plain_number(n.garch.value)}" if isfinite(n.garch.value) else score(n)


def _why_no_skill(case: Case) -> str:
    if case.reading.planted > 0:
        return "This market answers to its statements by a little, and this forecast does not show it."
    return "On daily moves a network usually does not beat zero."


judged = partial(Rule, number=score, confidence=certainty)
settled = partial(judged, silenced_by=JUDGED_ELSEWHERE)

RULES = (
    Rule(
        "known_leak",
        "bad",
        "The network sees the day that it forecasts",
        line=where("foresees", "covariates that wait for their release"),
        number=lambda n: f"{score(n)}, part of the future in sight" if isfinite(n.own.value) else "no score yet",
        confidence="certain: the alignment says so, whatever the score",
        explanation="Joined by calendar date, your forecast sees covariates of the very day it forecasts.",
        advice=[Mend("Let each covariate count from its release on.", {"alignment": "release"})],
        must_tell=True,
    ),
    judged(
        "leak_suspected",
        "bad",
        "This is too good: look for a leak",
        line=_leak_line,
        number=_too_good,
        confidence=_how_sure_of_leak,
        explanation=_where_to_look,
        advice=[
            Check("Show the target's own past alone: if the skill goes, a covariate leaks.", {"inputs": "own"}),
            Check("Deal the targets out at random: skill that stays is a mistake.", {"shuffle_targets": True}),
        ],
        only=lambda n, settings: not settings.shuffle_targets,
        silenced_by=("known_leak",),
    ),
    replace(
        COLUMN_AHEAD,
        line=where("forewarned", LINE),
        number=lambda n: columns_in_numbers(n.columns_ahead),
        run_says=nothing,
        confidence="correlation where the last refit learned, before any training",
        advice=[Check("Show the target's own past alone: skill that goes was this column's.", {"inputs": "own"})],
        silenced_by=("known_leak", "leak_suspected"),
    ),
    judged(
        "shuffled_skill",
        "bad",
        "Skill on targets that were dealt out at random",
        line=where("own.better", ABOVE_ZERO),
        explanation="Nothing can forecast these targets: look for a mistake in how data are used.",
        advice=[TO_TRUTH],
        only=lambda n, settings: settings.shuffle_targets,
    ),
    judged(
        "shuffled_check_passed",
        "good",
        "No skill is left on shuffled targets",
        line=where("own.unproved", ABOVE_ZERO),
        explanation="A covariate that is known too early would not show here.",
        advice=[TO_TRUTH],
        only=lambda n, settings: settings.shuffle_targets,
    ),
    settled(
        "worthless_level_score",
        "bad",
        "The level's fine score says nothing",
        line=where("own.unproved", "above 0 against repeating the last price"),
        number=lambda n: (
            f"R² {near_one(n.r2_against_mean)} against the mean, {ends_in_words('level', n.own)} against the last price"
        ),
        explanation="Anything near the last price scores close to 1.",
        advice=[Mend("Forecast the next move.", {"target": "return"})],
        only=lambda n, settings: settings.target == "level",
    ),
    settled(
        "no_volatility_skill",
        "warning",
        "No detectable skill in the size of moves",
        line=where("own.undecided", ABOVE_ZERO),
        advice=[LOOK_BACK, LONGER],
        only=lambda n, settings: settings.target == "volatility",
    ),
    # Good, because it is what an honest evaluation of daily moves finds almost always. A warning would ask for a
    # mend, and who goes on mending until something turns up has found chance.
    judged(
        "no_skill",
        "good",
        "No detectable skill over saying zero",
        line=where("own.undecided", ABOVE_ZERO),
        explanation=_why_no_skill,
        advice=[TO_VARIANCE],
        only=lambda n, settings: settings.target == "return",
        silenced_by=(*JUDGED_ELSEWHERE, "planted_missed", "dealt_out_passed"),
    ),
    settled(
        "worse_than_simplest",
        "warning",
        lambda case: f"Worse than {'a constant variance' if case.settings.target == 'volatility' else 'saying zero'}",
        line=where("own.worse", BELOW_ZERO),
        explanation=_why_worse,
        advice=lambda case: [] if case.reading.steady else [SLOWER, FEWER_UNITS, MORE_DROPOUT],
        only=lambda n, settings: settings.target != "level",
    ),
    judged(
        "volatility_skill",
        "good",
        "The size of the next move can be forecast",
        line=where("own.better", ABOVE_ZERO),
        number=_beside_garch,
        explanation="It says how large the next move may be, not which way it goes.",
        only=lambda n, settings: n.series.target == "volatility" and not n.steady,
        silenced_by=(*JUDGED_ELSEWHERE, "column_ahead"),
    ),
    settled(
        "better_constant",
        "warning",
        "Better than a constant variance by its level alone",
        line=where("own.better", ABOVE_ZERO),
        number=_beside_garch,
        explanation="The width hardly moves within a refit.",
        advice=[FASTER, LONGER],
        only=lambda n, settings: n.series.target == "volatility" and n.steady,
    ),
    judged(
        "skill",
        "good",
        "Better than the simplest forecast",
        line=where("own.better", ABOVE_ZERO),
        explanation="Of twenty useless ones, one looks like this: count your tries.",
        advice=[("Check the way of working on shuffled targets.", {"shuffle_targets": True})],
        only=lambda n, settings: n.series.target != "volatility",
        silenced_by=(*JUDGED_ELSEWHERE, "column_ahead", "planted_found", "dealt_out_skill"),
    ),
    Rule(
        "worse_than_garch",
        "warning",
        "GARCH forecasts the variance better",
        line=below("p_of_garch", 0.05, "Diebold-Mariano p below {at}"),
        number=lambda n: f"QLIKE gain {plain_number(n.own.value, 3)} against GARCH's {plain_number(n.garch.value, 3)}",
        confidence=lambda case: p_value(case.reading.p_of_garch),
        explanation="GARCH knows the whole past, a network its window.",
        advice=[LOOK_BACK, STUDENT, LONGER],
        only=lambda n, settings: settings.target == "volatility",
        silenced_by=JUDGED_ELSEWHERE,
    ),
)
