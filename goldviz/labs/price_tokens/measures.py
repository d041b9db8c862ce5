"""What a run of *Price tokens* measured, at its last look, ready for its rules and its verdict."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.diagnostics.findings import Floats, Verdicts, diverged
from goldviz.diagnostics.forecasts.result import Result
from goldviz.diagnostics.forecasts.significance import diebold_mariano
from goldviz.diagnostics.measure import Measure, combined, measure

NETWORK = "network"
FREQUENCY = "frequency"
CLIMBED = 0.02
"""Nats by which a validation loss may end above its lowest."""


def _of_run(name: str, words: str) -> Any:
    """A property with the one number of a variable, or the mean of its numbers."""
    return property(lambda reading: reading.single(name), doc=words)


@dataclass(frozen=True)
class Reading:
    """Scores and measures of one run; NaN where nothing was recorded."""

    dataset: Run

    changed = _of_run("changed_by_future", "The share of tokens that later days change.")
    same_label = _of_run(
        "same_label", "The share of past days that a new fit calls as the one before, mean over refits."
    )
    same_meaning = _of_run("same_meaning", "The same with labels matched.")
    perplexity = _of_run("code_perplexity", "The perplexity of the tokens' use, mean over fits.")
    rand = _of_run("rand_index", "Adjusted Rand index of tokens and planted regimes.")

    def single(self, name: str) -> float:
        """A variable's one number, or the mean of its numbers."""
        there = name in self.dataset and self.dataset[name].size > 0
        return float(self.dataset[name].mean()) if there else np.nan

    @property
    def models(self) -> list[str]:
        """The network and every baseline, once they have their scores."""
        return [str(model) for model in self.dataset["model"].values] if "score" in self.dataset else []

    def result(self, model: str, metric: str = "gain") -> Result:
        """A model's score with its interval; without one where the run goes on."""
        if "score" not in self.dataset or model not in self.dataset["model"].values:
            return Result(np.nan)
        value, low, high = (self._entry(name, model, metric) for name in ("score", "score_low", "score_high"))
        return Result(value, low, high, self._entry("score", model, "dm_p") if metric == "gain" else np.nan)

    def _entry(self, name: str, model: str, metric: str) -> float:
        return float(self.dataset[name].sel(model=model, metric=metric)) if name in self.dataset else np.nan

    @cached_property
    def own(self) -> Result:
        """Nats a day that the network gains over token frequency."""
        score = self.result(NETWORK)
        return score if np.isfinite(score.value) else Result(self._so_far)

    @property
    def _so_far(self) -> float:
        """The gain at the last look, without an interval; NaN where both are infinite."""
        if any(name not in self.dataset or not self.dataset[name].size for name in ("nats", "baseline_nats")):
            return np.nan
        with np.errstate(invalid="ignore"):
            own = self.dataset["nats"].isel(look=-1).mean("seed").values.mean()
            return float(self.dataset["baseline_nats"].sel(baseline=FREQUENCY).values.mean() - own)

    @property
    def size(self) -> Result:
        """The part of the gain that is of the size of moves."""
        return self.result(NETWORK, "size_gain")

    @property
    def sign(self) -> Result:
        """The part of the gain that is of their sign."""
        return self.result(NETWORK, "sign_gain")

    @property
    def knows_size(self) -> bool:
        """Whether the network is better, and by the size of moves."""
        return self.own.better and self.size.better

    @property
    def garch(self) -> Result:
        """Nats a day that GARCH gains over token frequency."""
        return self.result("garch")

    @cached_property
    def p_of_garch(self) -> float:
        """Diebold and Mariano's p-value where GARCH is better than the network; else NaN."""
        if not self.own.sure or "nats" not in self.dataset or "baseline_nats" not in self.dataset:
            return np.nan
        own = self.dataset["nats"].isel(look=-1).mean("seed").values.astype(np.float64)
        garch = self.dataset["baseline_nats"].sel(baseline="garch").values.astype(np.float64)
        if not (np.isfinite(own).all() and np.isfinite(garch).all()):
            return np.nan
        test = diebold_mariano(own, garch)
        return test.p_value if test.statistic < 0 else np.nan

    @property
    def forecasts(self) -> int:
        """How many days were forecast."""
        return int(self.dataset.sizes.get("time", 0))

    @property
    def moves(self) -> Floats:
        """What came after each forecast."""
        return self.dataset["came"].values if "came" in self.dataset else np.array([])

    @property
    def simulated(self) -> bool:
        """Whether the market was made up."""
        return bool(int(self.dataset.attrs.get("simulated", 0)))

    @property
    def foresees(self) -> bool:
        """Whether any token knows the future."""
        return bool(self.changed > 0)

    @property
    def switched(self) -> float:
        """How much of the agreement between fits is lost by names alone."""
        return float(self.same_meaning - self.same_label)

    @property
    def used(self) -> float:
        """Tokens in use, as the perplexity of their use, over all that there are."""
        count = self.dataset.sizes.get("token_name", 0)
        return self.single("code_perplexity") / count if count else np.nan

    @property
    def climbed(self) -> float:
        """How far the validation loss ends above its lowest, in nats, median over fits."""
        if "validation_loss" not in self.dataset or not self.dataset["validation_loss"].size:
            return np.nan
        losses = self.dataset["validation_loss"].transpose("epoch", ...).values.astype(np.float64)
        with np.errstate(invalid="ignore"):
            return float(np.median(losses[-1] - losses.min(axis=0)))

    @property
    def best_epoch(self) -> int:
        """The epoch of the lowest validation loss, median over fits."""
        losses = self.dataset["validation_loss"].transpose("epoch", ...).values.reshape(self.dataset.sizes["epoch"], -1)
        return int(self.dataset["epoch"].values[int(np.median(losses.argmin(axis=0)))])

    @property
    def diverged(self) -> Verdicts:
        """Which fits ended in no number."""
        there = "loss" in self.dataset and self.dataset["loss"].size
        losses: Floats = self.dataset["loss"].values if there else np.zeros(1)
        return diverged(losses) if there else np.zeros(1, bool)


def _of(name: str, words: str, unit: str = "") -> Measure:
    """A number of the run's :class:`Reading`."""
    return Measure(name, words, unit, lambda run: getattr(Reading(run), name))


def _part_of_gain(metric: str, words: str) -> Measure:
    """A part of what the network gains, by the table that a run records at its end."""
    return Measure(metric, words, "nat", lambda run: Reading(run).result(NETWORK, metric).value)


RAND = _of("rand", "The adjusted Rand index of tokens and planted regimes.")
CHANGED = _of("changed", "The share of tokens that later days change.")
USED = _of("used", "Tokens in use, as the perplexity of their use, over all that there are.")
SIZE_GAIN = _part_of_gain("size_gain", "Nats a day gained over token frequency by the size of the next return.")
SIGN_GAIN = _part_of_gain("sign_gain", "Nats a day gained over token frequency by the sign of the next return.")
NATS = _part_of_gain("nats", "Nats a day that the network pays for the return itself.")


@measure()
def stay_error(run: Run) -> float:
    """How far the mean stay of the fitted chain is from that of the planted one."""
    fit, truth = (np.diag(run[name].values).mean() for name in ("fitted_transition", "planted_transition"))
    return float(abs(fit - truth))


@measure("bit")
def saved_by_merges(run: Run) -> float:
    """Bits a day that merges save on later days."""
    bits = run["bits"].sel(order="as it came").values
    return float(bits[0] - bits[-1])


@measure("bit")
def saved_by_order(run: Run) -> float:
    """Bits a day that merges save in the days' order, more than with the days shuffled."""
    return float(run["bits"].sel(order="shuffled").values[-1] - run["bits"].sel(order="as it came").values[-1])


@combined("nat")
def better_than_before(coarse: Run, fine: Run) -> float:
    """Nats a day of the return that finer bins save."""
    return NATS(coarse) - NATS(fine)


@combined("nat")
def gained_by_looking_ahead(honest: Run, ahead: Run) -> float:
    """Nats a day of the return that tokens save which look ahead."""
    return NATS(honest) - NATS(ahead)
