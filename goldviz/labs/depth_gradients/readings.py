"""One network of a depth run as plain arrays, one value for each seed, ready for the rules that conclude from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.findings import Floats, Verdicts, diverged, mean, ratio, rising, typical_update

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True)
class Reading:
    """What was recorded of one network, for each seed; NaN where nothing was.

    ``first`` and ``last`` are the gradient norms of the first and last hidden layer, means over the epochs (the
    metric of document 001, Annex 5.3); ``largest`` is the largest norm of all; ``saturation`` and ``dead`` are
    means over the layers at the last epoch; ``update`` is the typical update-to-data ratio; ``test`` and ``zero``
    are the test losses of the network and of predicting zero.
    """

    name: str
    first: Floats
    last: Floats
    largest: Floats
    diverged: Verdicts
    rising: Verdicts
    update: Floats
    saturation: Floats
    dead: Floats
    test: Floats
    zero: Floats

    @classmethod
    def of(cls, ds: xr.Dataset, network: str, depth: int) -> Reading:
        """Read one network off a run's dataset; variables may be missing or empty."""
        nothing = np.full(max(ds.sizes.get("seed", 1), 1), np.nan)

        def values(name: str, *dims: str) -> Floats | None:
            if name not in ds or ds[name].size == 0:
                return None
            array = ds[name].sel(network=network) if "network" in ds[name].dims else ds[name]
            return np.asarray(array.transpose(*dims).values, dtype=np.float64)

        norms = values("gradient_norm", "epoch", "layer", "seed")
        hidden = _hidden_norms(norms, ds["layer"].values, depth) if norms is not None else None
        loss = values("loss", "epoch", "seed")
        updates = values("update_to_data", "epoch", "layer", "seed")
        shares = {name: values(name, "epoch", "hidden", "seed") for name in ("saturation", "dead_units")}
        saturation, dead = (mean(share[-1]) if share is not None else nothing for share in shares.values())
        test, zero = values("test_loss", "seed"), values("zero_loss", "seed")
        return cls(
            name=network,
            first=hidden[0] if hidden is not None else nothing,
            last=hidden[-1] if hidden is not None else nothing,
            largest=np.nan_to_num(norms, nan=0.0).max(axis=(0, 1)) if norms is not None else nothing,
            diverged=diverged(loss) if loss is not None else np.zeros(nothing.shape, dtype=bool),
            rising=rising(loss) if loss is not None else np.zeros(nothing.shape, dtype=bool),
            update=np.array([typical_update(seed) for seed in np.moveaxis(updates, -1, 0)])
            if updates is not None
            else nothing,
            saturation=saturation,
            dead=dead,
            test=test if test is not None else nothing,
            zero=zero if zero is not None else nothing,
        )

    @property
    def silent(self) -> Verdicts:
        """Which seeds' gradient is exactly zero at the first and at the last hidden layer, in every epoch."""
        return np.asarray((self.first == 0) & (self.last == 0))

    @property
    def shrinkage(self) -> Floats:
        """How many times smaller the gradient is at the first hidden layer than at the last.

        Infinite where only the first is zero; NaN where nothing can be said.
        """
        return ratio(self.last, self.first)

    @property
    def growth(self) -> Floats:
        """How many times larger the gradient is at the first hidden layer than at the last."""
        return ratio(self.first, self.last)

    @property
    def change(self) -> Floats:
        """The larger of the two: how far the gradient is from being kept."""
        return np.maximum(self.shrinkage, self.growth)

    @property
    def worth(self) -> Floats:
        """The test loss as a share of that of always answering zero."""
        return ratio(self.test, self.zero)


def _hidden_norms(norms: Floats, layers: Floats, depth: int) -> Floats | None:
    """Mean norms over the epochs of layers 1 to ``depth``, dimensions (layer, seed); None if there are none."""
    hidden = mean(norms[:, (layers >= 1) & (layers <= depth)])
    return hidden if len(hidden) else None
