"""Cards of *Forecast lab*, from daily forecasts and what came, against the simplest forecast."""

import numpy as np

from tests.truth.recorded_cards.card import Card
from tests.truth.recorded_cards.runs import joined, settings_of
from tests.truth.recorded_cards.significance import Score, interval, p_of_difference, wilson

NAMES = ("narrow", "wide")
SHARE = (0.95,)
"""That an interval holds, as its card's confidence says."""


def came(run):
    """What came, day by day."""
    return run.target.values.astype(np.float64)


def forecast(run, name="mean"):
    """The network's forecasts at the last look, of its one seed."""
    assert run.sizes["seed"] == 1
    return run[name].isel(look=-1, seed=0).values.astype(np.float64)


def zero(run):
    """The simplest forecast: 0 of moves, the last price of levels."""
    simplest = run.baseline_mean.sel(baseline="zero").values.astype(np.float64)
    level = settings_of(run).target == "level"
    np.testing.assert_array_equal(simplest, run.price.values if level else 0)
    return simplest


def squared(run, other):
    return (came(run) - other) ** 2


def r2(run):
    """The share of the simplest forecast's squared error that the network saves (Campbell and Thompson 2008)."""
    return 1 - float(squared(run, forecast(run)).sum() / squared(run, zero(run)).sum())


def ends_of_r2(run):
    """Its interval. The same replications serve errors of other scores, which may ask for longer blocks."""
    off, around = came(run) - forecast(run), came(run) - came(run).mean()
    losses = np.stack([off**2, abs(off), squared(run, zero(run)), around, around**2], axis=1)
    kept = run.sel(model=run.model.values[0], metric="r2")
    return interval(losses, lambda means: 1 - means[0] / means[2], (float(kept.score_low), float(kept.score_high)))


def tested(run):
    """R2, its interval, and Diebold and Mariano's p."""
    return Score(r2(run), *ends_of_r2(run), p_of_difference(squared(run, forecast(run)), squared(run, zero(run))))


def no_skill(run):
    score = tested(run)
    return Card(
        not score.better and not score.worse and settings_of(run).target == "return",
        number=score,
        threshold=(0, 0.05),
        confidence=SHARE,
    )


def shuffled_check_passed(run):
    score = tested(run)
    return Card(
        not score.better and settings_of(run).shuffle_targets,
        number=score,
        threshold=(0, 0.05),
        confidence=SHARE,
    )


def response(run):
    """The size of the planted answer, in standard deviations of the rest; none where the run was not told of it."""
    return getattr(settings_of(run), "tone_response", 0.0)


def planted_found(run):
    """The planted answer makes a known share of the variance, which the score may not pass by far."""
    score = tested(run)
    honest = score.low < response(run) ** 2 / (1 + response(run) ** 2)
    return Card(score.better and honest, number=score, threshold=(0, 0.05))


def known_leak(run):
    return Card(settings_of(run).alignment == "date" and run.sizes["channel"] > 1, number=tested(run))


def worthless_level_score(run):
    """R2 against the mean of the very prices that came, and against the last price."""
    around = squared(run, came(run).mean()).sum()
    score = tested(run)
    return Card(
        not score.better,
        number=(1 - float(squared(run, forecast(run)).sum() / around), *score[:3]),
        threshold=(0,),
        confidence=SHARE,
    )


def qlike(run, scale):
    """log s² + r² / s² of every day (Patton 2011)."""
    return np.log(scale**2) + came(run) ** 2 / scale**2


def volatility_skill(run):
    """The mean QLIKE of a constant variance less the network's, its interval, and the same gain of GARCH."""
    known = {str(name): run.baseline_scale.sel(volatility_baseline=name).values for name in ("constant", "garch")}
    constant, garch = (qlike(run, known[name].astype(np.float64)) for name in known)
    own = qlike(run, forecast(run, "scale"))
    kept = run.sel(volatility_model=run.volatility_model.values[0], volatility_metric="qlike_gain")
    recorded = (float(kept.volatility_score_low), float(kept.volatility_score_high))
    ends = interval(np.stack([own, constant], axis=1), lambda means: means[1] - means[0], recorded)
    score = Score(float((constant - own).mean()), *ends, p_of_difference(own, constant))
    return Card(
        score.better and not score.disputed,
        number=(*score[:3], float((constant - garch).mean())),
        threshold=(0, 0.05),
        confidence=SHARE,
    )


def under_trained(run):
    """In how many fits the last epoch had the lowest validation loss of all."""
    losses = run.validation_loss.transpose("epoch", "fold", "seed").values
    last = losses.argmin(0) == len(losses) - 1
    return Card(2 * last.sum() > last.size, number=(len(losses),), confidence=(int(last.sum()), last.size))


def badly_calibrated(run):
    """How many values the interval from the 5 % to the 95 % quantile held, ends included."""
    low, high = (run["quantile"].sel(level=level, method="nearest").values for level in (0.05, 0.95))
    np.testing.assert_allclose(run.level.sel(level=[0.05, 0.95], method="nearest"), [0.05, 0.95], atol=1e-6)
    held, days = int(((low <= run.target.values) & (run.target.values <= high)).sum()), run.sizes["time"]
    ends = wilson(held, days)
    return Card(
        not ends[0] <= 0.9 <= ends[1] and abs(held / days - 0.9) > 0.02,
        number=(0.9, held / days),
        threshold=(0.9, 2),
        confidence=(0.95, *ends),
        named=["narrow" if held / days < 0.9 else "wide"],
    )


def simulated_market(run):
    settings = settings_of(run)
    mean = "a mean that answers to documents" if response(run) else "without a forecastable mean"
    return Card(
        settings.data == "simulated" and bool(run.attrs["simulated"]),
        number=(settings.market_seed,),
        says=(mean,),
    )


def channel_unobserved(run):
    """In how many refits no training row had a channel."""
    never = (run.observed == 0).sum("fold")
    missed = never.where(never > 0, drop=True)
    return Card(
        missed.size > 0,
        number=joined((int(count), run.sizes["fold"]) for count in missed.values),
        threshold=(0,),
        says=tuple(f"{channel}: in" for channel in missed.channel.values),
    )


CARDS = {
    card.__name__: card
    for card in (
        no_skill,
        shuffled_check_passed,
        planted_found,
        known_leak,
        worthless_level_score,
        volatility_skill,
        under_trained,
        badly_calibrated,
        simulated_market,
        channel_unobserved,
    )
}
