"""One network of a recurrent run as plain arrays, one value for each seed, ready for the rules on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.findings import Floats, Verdicts, diverged, rising, typical_update

if TYPE_CHECKING:
    import xarray as xr

FADED = -2.0
"""log10 of a hundredth: a signal below it counts as gone."""

LABELS = {"rnn": "RNN", "lstm": "LSTM", "gru": "GRU"}


@dataclass(frozen=True)
class Reading:
    """What was recorded of one network, for each seed; NaN where nothing was.

    ``faded_at`` is the first lag at which the Jacobian product's norm is below 1/100 at the last look (infinite if it
    never is), ``farthest`` its log10 at the largest lag, ``peak`` the largest log10 at any lag. ``forget`` is the mean
    opening of the LSTM's forget gate, ``stuck`` the share of saturated gate values (mean over the gates that are not
    a forget gate), ``flat`` the share of saturated hidden values, all at the last look. ``clipped`` is the share of
    clipped steps, ``update`` the typical update-to-data ratio, ``loss`` the test loss, or the mean of the last tenth
    of the steps while there is none (``tested`` tells which), and ``memoryless`` the best loss without memory.
    """

    name: str
    faded_at: Floats
    farthest: Floats
    peak: Floats
    longest_lag: int
    forget: Floats
    stuck: Floats
    flat: Floats
    clipped: Floats
    largest_norm: Floats
    update: Floats
    diverged: Verdicts
    rising: Verdicts
    loss: Floats
    tested: bool
    memoryless: Floats

    @classmethod
    def of(cls, ds: xr.Dataset, network: str) -> Reading:
        """Read one network off a run's dataset; variables may be missing or empty."""
        nothing = np.full(max(ds.sizes.get("seed", 1), 1), np.nan)

        def values(name: str, *dims: str) -> Floats | None:
            if name not in ds or ds[name].size == 0:
                return None
            array = ds[name].sel(network=network) if "network" in ds[name].dims else ds[name]
            return np.asarray(array.transpose(*dims).values, dtype=np.float64)

        def last(name: str, *dims: str) -> Floats | None:
            found = values(name, "look", *dims)
            return found[-1] if found is not None else None

        logarithms = last("log_jacobian_norm", "lag", "seed")
        forget = _of_gates(last("gate_opening", "gate", "time", "seed"), ds, {"forget"})
        stuck = _of_gates(last("gate_saturation", "gate", "seed"), ds, {"input", "output", "update", "reset"})
        flat = last("state_saturation", "seed")
        clipped, norms = values("clipped", "step", "seed"), values("gradient_norm", "step", "seed")
        updates, losses = values("update_to_data", "look", "seed"), values("loss", "step", "seed")
        test, memoryless = values("test_loss", "seed"), values("memoryless_loss", "seed")
        recent = losses[-max(1, len(losses) // 10) :].mean(axis=0) if losses is not None else nothing
        calm = np.zeros(nothing.shape, dtype=bool)
        return cls(
            name=LABELS.get(network, network),
            faded_at=_first_below(logarithms, ds["lag"].values) if logarithms is not None else nothing,
            farthest=logarithms[-1] if logarithms is not None else nothing,
            peak=np.where(np.isnan(logarithms), -np.inf, logarithms).max(axis=0) if logarithms is not None else nothing,
            longest_lag=int(ds["lag"].max()) if logarithms is not None else 0,
            forget=forget if forget is not None else nothing,
            stuck=stuck if stuck is not None else nothing,
            flat=flat if flat is not None else nothing,
            clipped=clipped.mean(axis=0) if clipped is not None else nothing,
            largest_norm=np.nan_to_num(norms, nan=0.0).max(axis=0) if norms is not None else nothing,
            update=np.array([typical_update(seed) for seed in updates.T]) if updates is not None else nothing,
            diverged=diverged(losses) if losses is not None else calm,
            rising=rising(losses) if losses is not None else calm,
            loss=test if test is not None else recent,
            tested=test is not None,
            memoryless=memoryless if memoryless is not None else nothing,
        )

    @property
    def worth(self) -> Floats:
        """The loss as a share of the best loss without memory."""
        return np.asarray(self.loss / np.where(self.memoryless > 0, self.memoryless, np.nan))

    @property
    def memory_half_life(self) -> Floats:
        """In how many steps the LSTM's cell path falls to a half, at its forget gate's mean opening (eq. 18)."""
        inside = (self.forget > 0) & (self.forget < 1)
        return np.asarray(np.log(0.5) / np.log(np.where(inside, self.forget, np.nan)))


def _first_below(logarithms: Floats, lags: Floats) -> Floats:
    """The first lag below a hundredth for each seed (second axis); infinite: none is; NaN: nothing was measured."""
    below = logarithms < FADED
    first = np.where(below.any(axis=0), lags[below.argmax(axis=0)].astype(np.float64), np.inf)
    return np.where(np.isnan(logarithms).all(axis=0), np.nan, first)


def _of_gates(shares: Floats | None, ds: xr.Dataset, names: set[str]) -> Floats | None:
    """The mean over some gates (and over time) of what is finite, for each seed; None if nothing is."""
    if shares is None:
        return None
    rows = [row for row, gate in enumerate(ds["gate"].values) if str(gate) in names]
    chosen = shares[rows].reshape(-1, shares.shape[-1])
    usable = np.isfinite(chosen)
    count = usable.sum(axis=0)
    return np.where(count > 0, np.where(usable, chosen, 0.0).sum(axis=0) / np.maximum(count, 1), np.nan)
