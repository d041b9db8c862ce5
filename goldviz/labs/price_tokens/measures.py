"""What a run of *Price tokens* measured, at its last look, ready for its rules and its verdict, and beside its twin.

A twin is the recorded run that differs in its honesty alone, so that one sees what looking ahead gains.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from goldviz.arrays.labelled import Run
from goldviz.arrays.light import LightDataset
from goldviz.declare.settings import SettingsError
from goldviz.diagnostics.findings import Floats, Verdicts, diverged
from goldviz.diagnostics.forecasts.result import Result
from goldviz.diagnostics.forecasts.significance import diebold_mariano
from goldviz.diagnostics.measure import RunReading, measure
from goldviz.labs.price_tokens.settings import PriceTokens
from goldviz.runs.examples import example, has_example

NETWORK = "network"
FREQUENCY = "frequency"
CLIMBED = 0.02
"""Nats by which a validation loss may end above its lowest."""
HONEST = {"fitted_on": "past", "read": "filter"}
"""The settings of tokens that know the past alone."""
ALIKE = {**HONEST, "device": "cpu", "time_limit": 600.0}
"""Set so, twins are equal."""


def _of_run(name: str) -> Callable[[Reading], float]:
    """The one number of a variable, or the mean of its numbers."""
    return lambda reading: reading.single(name)


class Reading(RunReading):
    """Scores and measures of one run; NaN where nothing was recorded."""

    changed = measure(_of_run("changed_by_future"))
    """The share of tokens that later days change."""
    same_label = measure(_of_run("same_label"))
    """The share of past days that a new fit calls as the one before, mean over refits."""
    same_meaning = measure(_of_run("same_meaning"))
    """The share of past days that a new fit calls as the one before, with labels matched."""
    perplexity = measure(_of_run("code_perplexity"))
    """The perplexity of the tokens' use, mean over fits."""
    rand = measure(_of_run("rand_index"))
    """The adjusted Rand index of tokens and planted regimes."""
    size_gain = measure(lambda n: n.size.value, "nat")
    """Nats a day gained over token frequency by the size of the next return."""
    sign_gain = measure(lambda n: n.sign.value, "nat")
    """Nats a day gained over token frequency by the sign of the next return."""
    nats = measure(lambda n: n.result(NETWORK, "nats").value, "nat")
    """Nats a day that the network pays for the return itself."""
    switched = measure(lambda n: n.same_meaning - n.same_label)
    """How much of the agreement between fits is lost by names alone."""
    used = measure(lambda n: n.perplexity / (n.dataset.sizes.get("token_name") or np.nan))
    """Tokens in use, as the perplexity of their use, over all that there are."""

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

    @measure
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

    forecasts = measure(lambda n: int(n.dataset.sizes.get("time", 0)))
    """How many days were forecast."""

    @property
    def moves(self) -> Floats:
        """What came after each forecast."""
        return self.dataset["came"].values if "came" in self.dataset else np.array([])

    @property
    def simulated(self) -> bool:
        """Whether the market was made up."""
        return bool(int(self.dataset.attrs.get("simulated", 0)))

    foresees = measure(lambda n: bool(n.changed > 0))
    """Whether any token knows the future."""

    @measure
    def climbed(self) -> float:
        """How far the validation loss ends above its lowest, in nats, median over fits."""
        if "validation_loss" not in self.dataset or not self.dataset["validation_loss"].size:
            return np.nan
        losses = self.dataset["validation_loss"].transpose("epoch", ...).values.astype(np.float64)
        with np.errstate(invalid="ignore"):
            return float(np.median(losses[-1] - losses.min(axis=0)))

    @measure
    def best_epoch(self) -> int:
        """The epoch of the lowest validation loss, median over fits."""
        losses = self.dataset["validation_loss"].transpose("epoch", ...).values.reshape(self.dataset.sizes["epoch"], -1)
        return int(self.dataset["epoch"].values[int(np.median(losses.argmin(axis=0)))])

    @measure
    def diverged(self) -> Verdicts:
        """Which fits ended in no number."""
        there = "loss" in self.dataset and self.dataset["loss"].size
        losses: Floats = self.dataset["loss"].values if there else np.zeros(1)
        return diverged(losses) if there else np.zeros(1, bool)


@measure
def stay_error(run: Run) -> float:
    """How far the mean stay of the fitted chain is from that of the planted one."""
    fit, truth = (np.diag(run[name].values).mean() for name in ("fitted_transition", "planted_transition"))
    return float(abs(fit - truth))


def _bits(run: Run, order: str) -> Floats:
    return np.asarray(run["bits"].sel(order=order).values)


saved_by_merges = measure(lambda run: _bits(run, "as it came")[0] - _bits(run, "as it came")[-1], "bit")
"""Bits a day that merges save on later days."""
saved_by_order = measure(lambda run: _bits(run, "shuffled")[-1] - _bits(run, "as it came")[-1], "bit")
"""Bits a day that merges save in the days' order, more than with the days shuffled."""
better_than_before = measure(lambda coarse, fine: Reading.nats(coarse) - Reading.nats(fine), "nat")
"""Nats a day of the return that finer bins save."""
gained_by_looking_ahead = measure(lambda honest, ahead: Reading.nats(honest) - Reading.nats(ahead), "nat")
"""Nats a day of the return that tokens save which look ahead."""


class Pair(NamedTuple):
    """Two runs of the same days: one whose tokens know the past alone, and one whose tokens look ahead."""

    honest: Run
    ahead: Run


def honest(settings: PriceTokens) -> bool:
    """Whether tokens are made of the past alone."""
    return all(getattr(settings, name) == value for name, value in HONEST.items())


def pair_of(run: Run) -> Pair | None:
    """A run and its recorded twin; None where no such run ships, or the run's settings are not understood."""
    try:
        settings = PriceTokens.checked_json(str(run.attrs.get("settings", "")))
    except SettingsError:
        return None
    for preset in PriceTokens.presets:
        other = PriceTokens.preset(preset.slug)
        same = other.changed(**ALIKE) == settings.changed(**ALIKE)
        if same and honest(other) != honest(settings) and has_example(PriceTokens, preset.slug):
            twin = LightDataset.of(example(PriceTokens, preset.slug))
            pair = Pair(run, twin) if honest(settings) else Pair(twin, run)
            return pair if np.array_equal(run["time"].values, twin["time"].values) else None
    return None
