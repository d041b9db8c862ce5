"""One network of an ODE-RNN run as plain arrays, one value for each seed, ready for the rules on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.findings import Floats, Verdicts, diverged

if TYPE_CHECKING:
    import xarray as xr

LABELS = {"ode_rnn": "ODE-RNN", "gru": "GRU", "gru_gap": "GRU with gaps", "gru_decay": "GRU with decay"}


@dataclass(frozen=True)
class Reading:
    """What was recorded of one network, for each seed; NaN where nothing was.

    All is as of the last look, unless it says otherwise. ``error`` and ``long_gap_error`` are mean squared errors in
    range and after unseen longer gaps, ``zero`` and ``long_gap_zero`` those of predicting zero. ``gained`` is the part
    of the error that the last quarter of the looks took away. ``growth`` of evaluations compares the last tenth of the
    steps with the first. Of the ODE-RNN alone: ``refined`` is its error with steps four times as fine, ``saturation``
    a share, ``stiffness`` and ``early_stiffness`` spectral norms of df/dh at the last look and after a third of them (a
    fresh field is nearly still, so the first look says nothing).
    """

    name: str
    error: Floats
    long_gap_error: Floats
    zero: float
    long_gap_zero: float
    gained: Floats
    refined: Floats
    coverage: Floats
    saturation: Floats
    stiffness: Floats
    early_stiffness: Floats
    growth: Floats
    state_size: Floats
    gap_sensitivity: Floats
    diverged: Verdicts

    @classmethod
    def of(cls, ds: xr.Dataset, network: str) -> Reading:
        """Read one network off a run's dataset; variables may be missing or empty."""
        nothing = np.full(max(ds.sizes.get("seed", 1), 1), np.nan)
        ode, looks = network == "ode_rnn", ds.sizes.get("look", 0)

        def values(name: str, dim: str) -> Floats | None:
            if name not in ds or ds[name].size == 0:
                return None
            array = ds[name].sel(network=network) if "network" in ds[name].dims else ds[name]
            return np.asarray(array.transpose(dim, "seed").values, dtype=np.float64)

        def at(name: str, index: int = -1) -> Floats:
            found = values(name, "look")
            return found[index] if found is not None else nothing

        losses, errors = values("loss", "step"), values("error", "look")
        counts = values("evaluations", "step") if ode else None
        return cls(
            name=LABELS.get(network, network),
            error=at("error"),
            long_gap_error=at("long_gap_error"),
            zero=_of_zero(ds, "in range"),
            long_gap_zero=_of_zero(ds, "long gap"),
            gained=_gained(errors) if errors is not None else nothing,
            refined=at("refined_error") if ode else nothing,
            coverage=at("coverage"),
            saturation=at("field_saturation") if ode else nothing,
            stiffness=at("field_stiffness") if ode else nothing,
            early_stiffness=at("field_stiffness", looks // 3) if ode else nothing,
            growth=_growth(counts) if counts is not None else nothing,
            state_size=at("state_size"),
            gap_sensitivity=at("gap_sensitivity"),
            diverged=diverged(losses) if losses is not None else np.zeros(nothing.shape, dtype=bool),
        )

    @property
    def worth(self) -> Floats:
        """The error in range as a share of what predicting zero scores."""
        return share(self.error, self.zero)

    @property
    def long_gap_worth(self) -> Floats:
        """The same after unseen longer gaps."""
        return share(self.long_gap_error, self.long_gap_zero)

    @property
    def refined_ratio(self) -> Floats:
        """The error with refined steps over the error with the steps of training."""
        return share(self.refined, self.error)


def share(part: Floats, whole: Floats | float) -> Floats:
    """A ratio of errors; NaN where the second is not above zero.

    >>> share(np.array([1.0, 1.0]), np.array([4.0, 0.0]))
    array([0.25,  nan])
    """
    whole = np.broadcast_to(np.asarray(whole, dtype=np.float64), part.shape)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(part / np.where(whole > 0, whole, np.nan))


def _of_zero(ds: xr.Dataset, horizon: str) -> float:
    if "zero_error" not in ds or ds["zero_error"].size == 0:
        return float("nan")
    return float(ds["zero_error"].sel(horizon=horizon))


def _gained(errors: Floats) -> Floats:
    """The part of the error (look, seed) that the last quarter of the looks took away; NaN for fewer than four."""
    if len(errors) < 4:
        return np.full(errors.shape[1:], np.nan)
    return 1 - share(errors[-1], errors[-1 - len(errors) // 4])


def _growth(counts: Floats) -> Floats:
    """Mean evaluations in the last tenth of the steps over those in the first tenth, by seed."""
    tenth = max(1, len(counts) // 10)
    return share(counts[-tenth:].mean(axis=0), counts[:tenth].mean(axis=0))
