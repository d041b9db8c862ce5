"""One network of a depth run as plain arrays, one value for each seed, ready for the rules that conclude from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.findings import Floats, Recorded, Verdicts
from goldviz.diagnostics.findings.measures import diverged, largest, mean, ratio, rising, typical_updates

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
        recorded = Recorded(ds, network)
        hidden = Recorded(ds.sel(layer=slice(1, depth)) if "layer" in ds.coords else ds, network)
        return cls(
            name=network,
            first=hidden.measure("gradient_norm", "layer", "epoch", by=lambda norms: mean(norms[0])),
            last=hidden.measure("gradient_norm", "layer", "epoch", by=lambda norms: mean(norms[-1])),
            largest=recorded.measure("gradient_norm", "epoch", "layer", by=largest),
            diverged=recorded.verdict("loss", "epoch", by=diverged),
            rising=recorded.verdict("loss", "epoch", by=rising),
            update=recorded.measure("update_to_data", "epoch", "layer", by=typical_updates),
            saturation=recorded.last("saturation", "epoch", "hidden", by=mean),
            dead=recorded.last("dead_units", "epoch", "hidden", by=mean),
            test=recorded.measure("test_loss"),
            zero=recorded.measure("zero_loss"),
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
