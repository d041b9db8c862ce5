"""What a run of the forecast laboratory measured, at its last look, ready for its rules and its verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldviz.diagnostics.findings import Floats, Verdicts, diverged, median, ratio
from goldviz.diagnostics.forecasts.columns_ahead import recorded_columns
from goldviz.diagnostics.forecasts.lookahead import NextMoveLink
from goldviz.diagnostics.forecasts.result import Result
from goldviz.diagnostics.forecasts.significance import diebold_mariano
from goldviz.diagnostics.forecasts.standing_still import LONG, longest_still
from goldviz.diagnostics.measure import Measure, combined
from goldviz.labs.gold_forecast.scoring.distributions import qlike_losses
from goldviz.labs.gold_forecast.scoring.intervals import Coverage, coverages, recorded_at_end
from goldviz.labs.gold_forecast.scoring.results import final_results, recorded_score, results, seed_scores
from goldviz.labs.gold_forecast.scoring.series import Series, joined_by_date, settings_of

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


@dataclass(frozen=True)
class Reading:
    """Each model's result at the last look, its score in the final block, and measures of what else was recorded.

    Measures of the network's score are single numbers, those of training have one value for each fit, the signal's
    reach one for each seed; NaN where nothing was recorded.
    """

    dataset: Run
    series: Series
    results: Mapping[str, Result]
    final: Mapping[str, float]

    @classmethod
    def of(cls, ds: Run) -> Reading:
        """Read it off a run's dataset; variables may be missing or empty."""
        series = Series.of(ds)
        return cls(ds, series, results(ds, series), final_results(series))

    @property
    def own(self) -> Result:
        """The network's result; NaN before the first look."""
        return self.results.get("network", Result(np.nan))

    @property
    def garch(self) -> Result:
        """The result of GARCH; NaN where it is not among the models."""
        return self.results.get("garch", Result(np.nan))

    @property
    def opened(self) -> bool:
        """Whether the final block has been opened, and there is an interval of what came before it."""
        return self.own.sure and "network" in self.final

    @property
    def final_score(self) -> float:
        """The network's score in the final block; NaN while it is closed."""
        return self.final.get("network", np.nan)

    @property
    def simulated(self) -> bool:
        """Whether the market was made up."""
        return bool(int(self.dataset.attrs.get("simulated", 0)))

    @cached_property
    def scored(self) -> NDArray[np.intp]:
        """Which forecasts of the network lie before the final block and are finite."""
        return np.flatnonzero(np.isfinite(self.series.gains("network")) & ~self.series.final)

    @property
    def moves(self) -> Floats:
        """What the target moved by after each forecast before the final block."""
        series = self.series
        change = series.came - series.price if series.target == "level" else series.came
        return np.asarray(change[~series.final])

    @cached_property
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

    @property
    def misses_a_channel(self) -> bool:
        """Whether some refit's training did not see a channel that other rows have."""
        return bool(self.unobserved)

    @cached_property
    def columns_ahead(self) -> tuple[NextMoveLink, ...]:
        """The covariates that told what came where the last refit learned; none where an answer was planted."""
        return () if self.planted else recorded_columns(self.dataset)

    @property
    def forewarned(self) -> bool:
        """Whether some covariate tells more of what comes than an honest one can."""
        return bool(self.columns_ahead)

    @property
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

    @cached_property
    def knows_sizes(self) -> bool:
        """Whether a network says the size of moves several times as well as the best simple forecast.

        Beside days on end without a move no multiple counts: QLIKE rewards whatever narrows there.
        """
        if not self.best_simple or longest_still(self.moves) >= LONG:
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

    @property
    def leaking(self) -> bool:
        """Whether some forecast is too good to be honest."""
        return bool(self.leaking_model)

    @property
    def foresees(self) -> bool:
        """Whether covariates were joined by calendar date, so that part of the future is in sight."""
        return joined_by_date(self.dataset)

    @property
    def r2_against_mean(self) -> float:
        """R2 of the network against the mean of the very values that came, as recorded or from the forecasts."""
        at_end = recorded_score(self.dataset, "network", "r2_mean")
        if np.isfinite(at_end):
            return at_end
        errors = self.series.came - self.series.forecast("network")
        usable = ~self.series.final & np.isfinite(errors)
        spread = float(np.var(self.series.came[usable])) if usable.any() else 0.0
        return 1 - float(np.mean(np.square(errors[usable]))) / spread if spread > 0 else np.nan

    @cached_property
    def p_of_garch(self) -> float:
        """Diebold and Mariano's p-value where GARCH(1,1) forecasts the variance better than the network; else NaN."""
        series = self.series
        if not self.own.sure or "garch" not in series.baselines:
            return np.nan
        own, garch = (qlike_losses(series.came, series.forecast(name))[~series.final] for name in ("network", "garch"))
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

    @cached_property
    def refits(self) -> Floats:
        """The score of each refit's forecasts alone, of what is finite."""
        series, gains = self.series, self.series.gains("network")
        blocks = np.unique(series.block[~series.final])
        scores = np.array([series.score(gains, (series.block == block) & ~series.final) for block in blocks])
        return np.asarray(scores[np.isfinite(scores)])

    @property
    def skilled(self) -> Verdicts:
        """Which refits are above zero."""
        return np.asarray(self.refits > 0)

    @property
    def skilled_refits(self) -> float:
        """The share of refits above zero; NaN where there are fewer than three."""
        return float(np.mean(self.skilled)) if len(self.refits) > 2 else np.nan

    @property
    def unskilled_refits(self) -> float:
        """The share of all others; NaN likewise."""
        return 1 - self.skilled_refits

    @property
    def same_sign(self) -> Verdicts:
        """Which seeds alone have a score of the same sign as all together; none where there is one seed."""
        return np.asarray(np.sign(seed_scores(self.series)) == np.sign(self.own.value))

    @property
    def forecasts_in_final(self) -> int:
        """How many forecasts lie in the final block."""
        return int(self.series.final.sum())

    @property
    def refits_made(self) -> int:
        """How many refits made the forecasts."""
        return int(self.series.block.max()) + 1

    @cached_property
    def spread(self) -> float:
        """How much the forecasts move within a refit, as a share of the answers' spread or of the forecasts' mean."""
        if not self.own.sure:
            return np.nan
        series, forecast = self.series, self.series.forecast("network")
        before = ~series.final & np.isfinite(series.block)
        if not before.any():
            return np.nan
        blocks = [forecast[(series.block == block) & before] for block in np.unique(series.block[before])]
        deviation = float(np.sqrt(np.mean(np.concatenate([np.square(part - part.mean()) for part in blocks]))))
        usual = float(np.std(series.came[before]) if series.target == "return" else np.mean(forecast[before]))
        return deviation / usual if usual > 0 else np.nan

    @property
    def steady(self) -> bool:
        """Whether the forecast hardly moves within a refit."""
        return bool(self.spread < STEADY.get(self.series.target, 0.0))

    @property
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

    @cached_property
    def reach(self) -> Floats:
        """How many rows back dL/dh is last above a hundredth of its largest, for each seed of the last refit."""
        if "state_gradient_norm" not in self.dataset or not self.dataset["state_gradient_norm"].size:
            return NOTHING
        norms = self.dataset["state_gradient_norm"].isel(look=-1).transpose("lag", "seed").values.astype(np.float64)
        return reach_of(norms, self.dataset["lag"].values)

    @property
    def rows_heard(self) -> int:
        """The same in whole rows, median of the seeds."""
        return int(median(self.reach))

    @property
    def window_heard(self) -> int:
        """The shortest window that holds those rows, with the forecast's own."""
        return max(2, self.rows_heard + 1)

    @property
    def rows_shown(self) -> int:
        """How many rows back the window goes."""
        return int(self.dataset["lag"].values[-1])

    @property
    def reach_share(self) -> Floats:
        """The same as a share of the window."""
        return ratio(self.reach, float(self.dataset["lag"][-1]) if "lag" in self.dataset else np.nan)


def _score(name: str, words: str, metric: str, end: str = "") -> Measure:
    """The network's recorded score by ``metric``, or the ``end`` (_low, _high) of its interval."""
    return Measure(name, words, "", lambda run: recorded_score(run, "network", metric, end))


R2 = _score("r2", "The network's R2 out of sample against a forecast of zero.", "r2")
R2_LOW = _score("r2_low", "The lower end of the 95 % interval of the network's R2 against zero.", "r2", "_low")
R2_HIGH = _score("r2_high", "The upper end of the 95 % interval of the network's R2 against zero.", "r2", "_high")
R2_MEAN = _score("r2_mean", "The network's R2 against the mean of the very values that came.", "r2_mean")


@combined()
def r2_gained_by_reading(read: Run, at_random: Run) -> float:
    """The network's R2 with documents in their places less that with the same ones dealt out at random."""
    return R2(read) - R2(at_random)
