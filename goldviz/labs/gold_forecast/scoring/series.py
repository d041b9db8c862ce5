"""A run's forecasts at one look as plain arrays, and what each of them gains over the simplest forecast.

The simplest forecast is zero for moves, the last price for levels and a constant variance for volatility. A gain
is that forecast's loss less the model's own: squared error for means, QLIKE for variances.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from goldviz.diagnostics.findings import Floats, Verdicts
from goldviz.diagnostics.forecasts.moves import Moves
from goldviz.diagnostics.forecasts.scores import squared_errors
from goldviz.labs.gold_forecast.scoring.distributions import qlike_losses

if TYPE_CHECKING:
    from goldviz.arrays.labelled import Run

REFERENCES = {"return": "zero", "level": "zero", "volatility": "constant"}
"""The baseline that gains are counted from, for each target."""

Dates = NDArray[np.datetime64]


def settings_of(ds: Run) -> dict[str, Any]:
    """The run's settings as plain values; empty, which stands for the defaults, where the dataset carries none."""
    text = ds.attrs.get("settings", "{}")
    values: dict[str, Any] = json.loads(text) if isinstance(text, str) else dict(text)
    return values


def target_of(ds: Run) -> str:
    """What a run forecasts: 'return', 'volatility' or 'level'."""
    return str(settings_of(ds).get("target", "return"))


def channels_of(ds: Run) -> list[str]:
    """The names of a run's channels."""
    return [str(name) for name in ds["channel"].values] if "channel" in ds.coords else []


def joined_by_date(ds: Run) -> bool:
    """Whether a run has covariates that were joined by calendar date, so that part of the future is in sight."""
    settings = settings_of(ds)
    covariates = settings.get("inputs", "all") == "all" and ds.sizes.get("channel", 2) > 1
    return bool(settings.get("alignment") == "date" and covariates)


@dataclass(frozen=True)
class Series:
    """Forecasts in the order of their dates. Seeds are the last axis of ``mean`` and ``scale``, (n, seeds).

    Before the first look, ``look`` is None and there are no seeds. What is infinite counts as missing: NaN. So does
    what came in the final block of a run of the first version, which was never scored together with the rest.
    """

    target: str
    moves: Moves
    network: str
    look: int | None
    dates: Dates
    came: Floats
    price: Floats
    block: Floats
    mean: Floats
    scale: Floats
    baseline_means: Mapping[str, Floats]
    baseline_scales: Mapping[str, Floats]

    @classmethod
    def of(cls, ds: Run, epoch: int | None = None) -> Series:
        """The forecasts at the last look that is not after ``epoch`` (None: the last of all)."""
        settings, target, count = settings_of(ds), target_of(ds), ds.sizes.get("time", 0)
        dates = np.array([str(day)[:10] for day in (ds["time"].values if count else ())], "datetime64[D]")
        name = "scale" if target == "volatility" else "mean"
        look = _look(ds, name, epoch)
        final_from = np.datetime64(str(ds.attrs.get("final_from", ""))[:10])
        return cls(
            target=target,
            moves=Moves.of_run(ds, target),
            network=str(settings.get("network", "gru")),
            look=look,
            dates=dates,
            # Without a final block this is no date, before which everything counts.
            came=np.where(dates >= final_from, np.nan, _by_time(ds, "target", count)),
            price=_by_time(ds, "price", count),
            block=_by_time(ds, "block", count),
            mean=_by_seed(ds, "mean", look, count),
            scale=_by_seed(ds, "scale", look, count),
            baseline_means=_by_baseline(ds, "baseline_mean", "baseline"),
            baseline_scales=_by_baseline(ds, "baseline_scale", "volatility_baseline"),
        )

    @property
    def baselines(self) -> Mapping[str, Floats]:
        """What the network is measured against: scales where the target is the volatility, else means."""
        return self.baseline_scales if self.target == "volatility" else self.baseline_means

    @property
    def reference(self) -> str:
        """The name of the simplest forecast."""
        return REFERENCES[self.target]

    @property
    def seeds(self) -> int:
        """How many seeds have forecast; 0 before the first look."""
        return int(self.mean.shape[1])

    @cached_property
    def simplest(self) -> Floats:
        """The simplest forecast's values (n,)."""
        reference = self.baselines.get(self.reference)
        if reference is not None:
            return reference
        if self.target == "volatility":
            return np.full_like(self.came, np.nan)
        return self.price if self.target == "level" else np.zeros_like(self.came)

    @property
    def models(self) -> list[str]:
        """The models that can be judged, the network first; the simplest forecast is what they are judged by."""
        own = ["network"] if self.look is not None else []
        return [*own, *(name for name in self.baselines if name != self.reference)]

    def forecast(self, model: str) -> Floats:
        """A model's forecast (n,), mean or scale; the network's is the mean over its seeds, which is what is scored."""
        if model != "network":
            return self.baselines[model]
        by_seed = self.scale if self.target == "volatility" else self.mean
        return np.asarray(by_seed.mean(axis=1))

    def gains(self, model: str) -> Floats:
        """Loss of the simplest forecast less the loss of this model, for each forecast (n,)."""
        return self._gains(self.forecast(model))

    def gains_by_seed(self) -> Floats:
        """The same for each seed of the network alone, (n, seeds)."""
        by_seed = self.scale if self.target == "volatility" else self.mean
        columns = [self._gains(by_seed[:, seed]) for seed in range(by_seed.shape[1])]
        return np.stack(columns, axis=1) if columns else np.empty((len(self.came), 0))

    def _gains(self, forecast: Floats) -> Floats:
        if self.target == "volatility":
            return np.asarray(qlike_losses(self.came, self.simplest) - qlike_losses(self.came, forecast))
        with np.errstate(invalid="ignore", over="ignore"):
            return np.asarray(squared_errors(self.came, self.simplest) - squared_errors(self.came, forecast))

    def worth(self, mask: Verdicts) -> float:
        """What the gains of these forecasts are divided by, so that their sum is a score.

        The squared errors of the simplest forecast, so that the sum is R2 (Campbell and Thompson 2008); for
        volatility the number of forecasts, so that it is the mean gain in QLIKE.
        """
        if self.target == "volatility":
            return float(mask.sum()) or np.nan
        return float(squared_errors(self.came, self.simplest)[mask].sum()) or np.nan

    def score(self, gains: Floats, mask: Verdicts | None = None) -> float:
        """R2 against the simplest forecast, or the mean gain in QLIKE, of all or where the ``mask`` is.

        Forecasts that are not finite are left out.
        """
        scorable = np.isfinite(gains) if mask is None else mask & np.isfinite(gains)
        return float(gains[scorable].sum()) / self.worth(scorable) if scorable.any() else np.nan

    def cumulative(self, gains: Floats) -> Floats:
        """Gains added up over time, in such units that the last sum is the score.

        It is NaN where a forecast is not finite, and goes on from the same height after that.
        """
        usable = np.isfinite(gains)
        sums = np.cumsum(np.where(usable, gains, 0.0)) / self.worth(usable)
        return np.where(usable, sums, np.nan)


def finite_values(values: NDArray[Any]) -> Floats:
    """Values in double precision, NaN in place of infinities."""
    return np.where(np.isfinite(values), values, np.nan).astype(np.float64)


def _look(ds: Run, name: str, epoch: int | None) -> int | None:
    """The look in view; None where nothing was forecast yet."""
    if name not in ds or ds[name].size == 0:
        return None
    looks = ds["look"].values
    until_then = looks[looks <= epoch] if epoch is not None else looks
    return int(until_then[-1] if until_then.size else looks[0])


def _by_time(ds: Run, name: str, count: int) -> Floats:
    return finite_values(ds[name].values) if name in ds else np.full(count, np.nan)


def _by_baseline(ds: Run, name: str, dim: str) -> dict[str, Floats]:
    if name not in ds:
        return {}
    rows = finite_values(ds[name].transpose(dim, "time").values)
    return dict(zip((str(label) for label in ds[dim].values), rows, strict=True))


def _by_seed(ds: Run, name: str, look: int | None, count: int) -> Floats:
    if look is None or name not in ds:
        return np.empty((count, 0))
    return finite_values(ds[name].sel(look=look).transpose("time", "seed").values)
