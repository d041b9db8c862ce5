"""What a run of the forecast laboratory measured, at its last look, ready for its rules and its verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldviz.diagnostics.findings import Floats, Verdicts, diverged, median, ratio
from goldviz.diagnostics.forecasts.columns_ahead import recorded_columns
from goldviz.diagnostics.forecasts.lookahead import NextMoveLink
from goldviz.diagnostics.forecasts.moves import LONG_STILL, longest_still
from goldviz.diagnostics.forecasts.result import Result
from goldviz.diagnostics.forecasts.significance import diebold_mariano
from goldviz.diagnostics.measure import RunReading, measure
from goldviz.labs.gold_forecast.scoring.distributions import qlike_losses
from goldviz.labs.gold_forecast.scoring.intervals import Coverage, coverages, recorded_at_end
from goldviz.labs.gold_forecast.scoring.results import recorded_score, results, seed_scores
from goldviz.labs.gold_forecast.scoring.series import Series, joined_by_date, settings_of
from goldviz.labs.gold_forecast.settings import AGE

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run

LEAK = 0.05
"""R2 above which a forecast of daily returns is not believed: honest ones stay below 1 %."""

SLOW_LEAK = 0.2
"""The same for slower data, where fewer moves let more be explained by chance."""

SIZE_LEAK = 2
"""Gain in QLIKE, as a multiple of the best simple forecast's, above which a forecast of sizes is not believed.

With honest columns, VIX and ranges among them, linear forecasts of sizes reached 1.56 times in 144 markets, where they
were above the best simple one by more than :data:`SIZE_LEAD`.
"""

SIZE_LEAD = 0.05
"""Lead in QLIKE from which that counts: where sizes hardly last, a small gain is a large multiple."""

DAILY = 5
"""Median days from one observation to the next up to which data count as daily."""

EARLY = 2
"""A best epoch up to this one, of five or more, came before the network learned anything that lasts."""

RISEN = 0.1
"""Rise of the validation loss, as a share of the training loss's fall after the same epoch."""

STEADY = {"return": 0.01, "volatility": 0.02}
"""Spread, as a share of the returns' or of its mean, below which a forecast hardly moves."""

EPISODE = 0.01
FADED = 0.01
NOTHING = np.array([np.nan])


class Episode(NamedTuple):
    """Days on end that brought most of the gain: their share of it, and the score without them.

    Days on end, because gains have heavy tails: the best hundredth of single days brings more than the whole of any
    small but honest skill.
    """

    share: float
    days: NDArray[Any]
    score_without: float


class Learning(NamedTuple):
    """For each fit with finite losses, its best epoch, the training loss's fall since then, and validation's rise."""

    epochs: Floats
    best: Floats = NOTHING
    fall: Floats = NOTHING
    rise: Floats = NOTHING

    @classmethod
    def of(cls, ds: Run) -> Learning:
        """Read it off a run's dataset; NaN without such a fit."""
        if any(name not in ds or not ds[name].size for name in ("loss", "validation_loss")):
            return cls(NOTHING)
        by_fit = [ds[name].transpose("epoch", "fold", "seed").values for name in ("loss", "validation_loss")]
        losses = np.array(by_fit, np.float64).reshape(2, ds.sizes["epoch"], -1)
        losses = losses[:, :, np.isfinite(losses).all(axis=(0, 1))]
        if not losses.size:
            return cls(NOTHING)
        rows = losses[1].argmin(axis=0)
        change = losses[:, -1] - losses[:, rows, np.arange(len(rows))]
        epochs = ds["epoch"].values.astype(np.float64)
        return cls(epochs, epochs[rows], -change[0], change[1])

    @property
    def early(self) -> int:
        """The epoch up to which a best one is an early one."""
        return max(EARLY, len(self.epochs) // 10)

    @property
    def over_fitting(self) -> Verdicts:
        """Whether validation rises while training falls, from the first of five or more epochs on."""
        rises = (self.best <= self.early) & (self.fall > 0) & (self.rise > RISEN * self.fall)
        return np.asarray(rises & (len(self.epochs) >= 5))

    @property
    def unfinished(self) -> Verdicts:
        """Whether the last of several epochs was the best one."""
        return np.asarray((self.best == self.epochs[-1]) & (len(self.epochs) > 1))


def reach_of(norms: Floats, lags: NDArray[Any]) -> Floats:
    """The last of the ``lags`` at which norms (lag, seed) are a hundredth of their largest; NaN for a seed without any.

    >>> reach_of(np.array([[1.0, 0.0], [0.02, 0.0], [0.001, 0.0]]), np.arange(3)).tolist()
    [1.0, nan]
    """
    largest = np.where(np.isfinite(norms), norms, -np.inf).max(axis=0)
    last_lags = np.where(norms >= FADED * largest, lags[:, None], -1.0).max(axis=0)
    return np.where((largest > 0) & np.isfinite(largest), last_lags, np.nan)


def _score(metric: str, end: str = "") -> Callable[[Reading], float]:
    """The network's recorded score by ``metric``, or the ``end`` (_low, _high) of its interval."""
    return lambda n: recorded_score(n.dataset, "network", metric, end)


class Reading(RunReading):
    """Each model's result at the last look, and measures of what else was recorded.

    Measures of the network's score are single numbers, those of training have one value for each fit, the signal's
    reach one for each seed; NaN where nothing was recorded.
    """

    r2 = measure(_score("r2"))
    """The network's R2 out of sample against a forecast of zero."""
    r2_low = measure(_score("r2", "_low"))
    """The lower end of the 95 % interval of the network's R2 against zero."""
    r2_high = measure(_score("r2", "_high"))
    """The upper end of the 95 % interval of the network's R2 against zero."""
    r2_mean = measure(_score("r2_mean"))
    """The network's R2 against the mean of the very values that came."""

    @cached_property
    def series(self) -> Series:
        """Forecasts and what came."""
        return Series.of(self.dataset)

    @cached_property
    def results(self) -> Mapping[str, Result]:
        """Each model's result."""
        return results(self.dataset, self.series)

    @property
    def own(self) -> Result:
        """The network's result; NaN before the first look."""
        return self.results.get("network", Result(np.nan))

    @property
    def garch(self) -> Result:
        """The result of GARCH; NaN where it is not among the models."""
        return self.results.get("garch", Result(np.nan))

    simulated = measure(lambda n: bool(int(n.dataset.attrs.get("simulated", 0))))
    """Whether the market was made up."""

    @cached_property
    def scored(self) -> NDArray[np.intp]:
        """Which forecasts of the network are finite, and have an answer."""
        return np.flatnonzero(np.isfinite(self.series.gains("network")))

    @property
    def moves(self) -> Floats:
        """What the target moved by after each forecast."""
        series = self.series
        change = series.came - series.price if series.target == "level" else series.came
        return np.asarray(change[np.isfinite(change)])

    @measure
    def planted(self) -> float:
        """The share of the returns' variance that a planted answer to documents makes; 0 without one."""
        size = float(settings_of(self.dataset).get("tone_response", 0))
        return size**2 / (1 + size**2)

    @property
    def unobserved(self) -> dict[str, int]:
        """For each channel that some refit's training did not see: in how many refits."""
        if "observed" not in self.dataset or not self.dataset["observed"].size:
            return {}
        shares = self.dataset["observed"].transpose("channel", "fold").values
        counts = dict(zip(map(str, self.dataset["channel"].values), (shares == 0).sum(axis=1).tolist(), strict=True))
        return {name: count for name, count in counts.items() if count}

    misses_a_channel = measure(lambda n: bool(n.unobserved))
    """Whether some refit's training did not see a channel that other rows have."""

    @cached_property
    def columns_ahead(self) -> tuple[NextMoveLink, ...]:
        """The covariates that told what came where the last refit learned; none where an answer was planted."""
        return () if self.planted else recorded_columns(self.dataset)

    forewarned = measure(lambda n: bool(n.columns_ahead))
    """Whether some covariate tells more of what comes than an honest one can."""

    @measure
    def daily(self) -> bool:
        """Whether there is an observation every few days."""
        ahead = self.dataset["days_ahead"].values if "days_ahead" in self.dataset else np.array([1.0])
        return not ahead.size or bool(np.median(ahead) <= DAILY)

    @property
    def rhythm(self) -> str:
        """'daily ' before what is forecast, where it is daily."""
        return "daily " if self.daily else ""

    @property
    def best_simple(self) -> str:
        """The simple forecast of sizes with the highest score; empty where there is none, as for other targets."""
        simple = {name: one.value for name, one in self.results.items() if name != "network" and isfinite(one.value)}
        return max(simple, key=lambda name: simple[name], default="") if self.series.target == "volatility" else ""

    @measure
    def knows_sizes(self) -> bool:
        """Whether a network says the size of moves several times as well as the best simple forecast.

        Beside days on end without a move no multiple counts: QLIKE rewards whatever narrows there.
        """
        if not self.best_simple or longest_still(self.moves) >= LONG_STILL:
            return False
        best, own = max(self.results[self.best_simple].value, 0.0), self.own
        return bool(own.value > SIZE_LEAK * best and own.value - best > SIZE_LEAD and (not own.sure or own.better))

    @cached_property
    def leaking_model(self) -> str:
        """The model whose forecast is the best of those too good to be honest; empty where there is none.

        Of means R2 above 5 % on daily data and 20 % on slower, by neither chance nor plan, of the network or a simple
        forecast; of sizes as :attr:`knows_sizes` has it.
        """
        if self.series.target == "volatility":
            return "network" if self.knows_sizes else ""
        least = (LEAK if self.daily else SLOW_LEAK) + self.planted
        too_good = {
            name: result.value
            for name, result in self.results.items()
            if result.value > least and (not result.sure or result.better)
        }
        return max(too_good, key=lambda name: too_good[name], default="")

    leaking = measure(lambda n: bool(n.leaking_model))
    """Whether some forecast is too good to be honest."""
    foresees = measure(lambda n: joined_by_date(n.dataset))
    """Whether covariates were joined by calendar date, so that part of the future is in sight."""

    @measure
    def r2_against_mean(self) -> float:
        """R2 of the network against the mean of the very values that came, as recorded or from the forecasts."""
        at_end = recorded_score(self.dataset, "network", "r2_mean")
        if np.isfinite(at_end):
            return at_end
        errors = self.series.came - self.series.forecast("network")
        usable = np.isfinite(errors)
        spread = float(np.var(self.series.came[usable])) if usable.any() else 0.0
        return 1 - float(np.mean(np.square(errors[usable]))) / spread if spread > 0 else np.nan

    @measure
    def p_of_garch(self) -> float:
        """Diebold and Mariano's p-value where GARCH(1,1) forecasts the variance better than the network; else NaN."""
        series = self.series
        if not self.own.sure or "garch" not in series.baselines:
            return np.nan
        came = np.isfinite(series.came)
        own, garch = (qlike_losses(series.came, series.forecast(name))[came] for name in ("network", "garch"))
        test = diebold_mariano(own, garch)
        return test.p_value if test.statistic < 0 else np.nan

    @cached_property
    def episode(self) -> Episode:
        """The hundredth of the time, on end, in which most was gained; NaN where there are too few forecasts."""
        rows, gains = self.scored, self.series.gains("network")
        length = max(5, round(EPISODE * len(rows)))
        if len(rows) < 4 * length:
            return Episode(np.nan, np.array([]), np.nan)
        sums = np.convolve(gains[rows], np.ones(length), "valid")
        start, total = int(sums.argmax()), float(gains[rows].sum())
        within = rows[start : start + length]
        others = np.isin(np.arange(len(gains)), np.setdiff1d(rows, within))
        share = float(sums.max()) / total if total > 0 else 0.0
        return Episode(share, self.series.dates[within], self.series.score(gains, others))

    @measure
    def refits(self) -> Floats:
        """The score of each refit's forecasts alone, of what is finite."""
        series, gains = self.series, self.series.gains("network")
        scores = np.array([series.score(gains, series.block == block) for block in np.unique(series.block)])
        return np.asarray(scores[np.isfinite(scores)])

    skilled = measure(lambda n: n.refits > 0)
    """Which refits are above zero."""
    skilled_refits = measure(lambda n: float(np.mean(n.skilled)) if len(n.refits) > 2 else np.nan)
    """The share of refits above zero; NaN where there are fewer than three."""
    unskilled_refits = measure(lambda n: 1 - n.skilled_refits)
    """The share of refits that are not; NaN where there are fewer than three."""
    same_sign = measure(lambda n: np.sign(seed_scores(n.series)) == np.sign(n.own.value))
    """Which seeds alone have a score of the same sign as all together; none where there is one seed."""
    refits_made = measure(lambda n: int(n.series.block.max()) + 1)
    """How many refits made the forecasts."""

    @measure
    def spread(self) -> float:
        """How much the forecasts move within a refit, as a share of the answers' spread or of the forecasts' mean."""
        if not self.own.sure:
            return np.nan
        series, forecast = self.series, self.series.forecast("network")
        usable = np.isfinite(series.came) & np.isfinite(series.block)
        if not usable.any():
            return np.nan
        blocks = [forecast[(series.block == block) & usable] for block in np.unique(series.block[usable])]
        deviation = float(np.sqrt(np.mean(np.concatenate([np.square(part - part.mean()) for part in blocks]))))
        usual = float(np.std(series.came[usable]) if series.target == "return" else np.mean(forecast[usable]))
        return deviation / usual if usual > 0 else np.nan

    steady = measure(lambda n: bool(n.spread < STEADY.get(n.series.target, 0.0)))
    """Whether the forecast hardly moves within a refit."""

    @measure
    def diverged(self) -> Verdicts:
        """Which fits ended in no number."""
        there = "loss" in self.dataset and self.dataset["loss"].size
        return diverged(self.dataset["loss"].values) if there else np.zeros(1, bool)

    @cached_property
    def learning(self) -> Learning:
        """How the fits' losses went."""
        return Learning.of(self.dataset)

    @cached_property
    def coverage(self) -> Coverage:
        """How far the 90 % intervals hold; nothing is counted where the run's end did not record them."""
        there = recorded_at_end(self.dataset, self.series, "quantile")
        intervals = coverages(self.dataset, self.series) if there else []
        return next((interval for interval in intervals if interval.nominal == 0.9), Coverage(0.9, 0, 0))

    @measure
    def reach(self) -> Floats:
        """How many rows back dL/dh is last above a hundredth of its largest, for each seed of the last refit."""
        if "state_gradient_norm" not in self.dataset or not self.dataset["state_gradient_norm"].size:
            return NOTHING
        norms = self.dataset["state_gradient_norm"].isel(look=-1).transpose("lag", "seed").values.astype(np.float64)
        return reach_of(norms, self.dataset["lag"].values)

    rows_heard = measure(lambda n: int(median(n.reach)))
    """How many whole rows back that is, median of the seeds."""
    window_heard = measure(lambda n: max(2, n.rows_heard + 1))
    """The shortest window that holds those rows, with the forecast's own."""
    rows_shown = measure(lambda n: int(n.dataset["lag"].values[-1]))
    """How many rows back the window goes."""
    reach_share = measure(lambda n: ratio(n.reach, float(n.dataset["lag"][-1]) if "lag" in n.dataset else np.nan))
    """How far back dL/dh is last above a hundredth of its largest, as a share of the window."""


r2_gained_by_reading = measure(lambda read, at_random: Reading.r2(read) - Reading.r2(at_random))
"""The network's R2 with documents in their places less that with the same ones dealt out at random."""


def observed_rows(ds: Run) -> list[dict[str, str]]:
    """A row for each channel and a column for each refit, ready for a table; empty where that was not recorded."""
    if "observed" not in ds or not ds["observed"].size:
        return []
    shares = ds["observed"].transpose("channel", "fold").values
    names = map(str, ds["channel"].values)
    return [
        {"Channel": name} | {f"Refit {number + 1}": share_in_words(share) for number, share in enumerate(row)}
        for name, row in zip(names, shares, strict=True)
        if not name.endswith(AGE)
    ]


def share_in_words(share: float) -> str:
    """A share of rows; a channel that was not there at all is said in a word.

    >>> share_in_words(0.0), share_in_words(0.031), share_in_words(0.0001)
    ('never', '3 %', 'below 1 %')
    """
    if share == 0:
        return "never"
    return "below 1 %" if share < 0.005 else f"{np.round(100 * share):.0f} %"
