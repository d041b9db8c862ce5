"""One network of a continuous-depth run as plain arrays, one value for each seed, ready for the rules on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.findings import Floats, Verdicts, diverged

if TYPE_CHECKING:
    import xarray as xr

CONSISTENT = 0.1
"""Share of the larger loss by which the exact flow may change it."""
NEGLIGIBLE = 0.02
"""Where both losses are below this, the answers are right either way and the share says nothing."""
ALL_RIGHT = 0.995
SMALL_ERROR = 0.05
"""Mean square error of x -> -x that counts as learned; 1/3 is what the best answers that keep the order leave."""
FIRST_STEPS = 5
"""Steps whose mean is what an adaptive solver paid at the start."""

DEPTH_LABELS = {"ode": "neural ODE", "residual": "residual network"}


@dataclass(frozen=True)
class DepthReading:
    """What was recorded of one network, for each seed; NaN where nothing was.

    ``loss``, ``refined`` (the loss with the field followed exactly), ``saturation`` and ``stiffness`` are those of the
    last look. ``accuracy`` is the mean over the last quarter of the looks, because a flow that squeezes points through
    a neck has all of them right at one step and not at the next; ``gradient_difference`` is the median over the same
    looks. ``paid_first`` and ``paid_last`` are the mean evaluations forward over the first five steps and over the last
    quarter.
    """

    name: str
    loss: Floats
    refined: Floats
    accuracy: Floats
    saturation: Floats
    stiffness: Floats
    gradient_difference: Floats
    paid_first: Floats
    paid_last: Floats
    diverged: Verdicts

    @classmethod
    def of(cls, ds: xr.Dataset, network: str) -> DepthReading:
        """Read one network off a run's dataset; variables may be missing or empty."""
        seeds = max(ds.sizes.get("seed", 1), 1)
        nothing = np.full(seeds, np.nan)

        def values(name: str, dim: str) -> Floats | None:
            if name not in ds or ds[name].size == 0:
                return None
            array = ds[name].sel(network=network) if "network" in ds[name].dims else ds[name]
            return np.asarray(array.transpose(dim, "seed").values, dtype=np.float64)

        def last(name: str) -> Floats:
            found = values(name, "look")
            return found[-1] if found is not None else nothing

        right = values("test_accuracy", "look")
        apart = values("gradient_difference", "look") if network == "ode" else None
        paid, losses = values("evaluations_forward", "step"), values("loss", "step")
        return cls(
            name=network,
            loss=last("test_loss"),
            refined=last("refined_test_loss"),
            accuracy=_last_quarter(right).mean(axis=0) if right is not None else nothing,
            saturation=last("field_saturation"),
            stiffness=last("field_stiffness"),
            gradient_difference=np.median(_last_quarter(apart), axis=0) if apart is not None else nothing,
            paid_first=paid[:FIRST_STEPS].mean(axis=0) if paid is not None else nothing,
            paid_last=_last_quarter(paid).mean(axis=0) if paid is not None else nothing,
            diverged=diverged(losses) if losses is not None else np.zeros(seeds, dtype=bool),
        )

    @property
    def label(self) -> str:
        """The network's name inside a sentence."""
        return DEPTH_LABELS.get(self.name, self.name)

    @property
    def learned(self) -> Verdicts:
        """Whether nearly all points are right, or the regression's error is small."""
        small = np.isnan(self.accuracy) & (self.loss < SMALL_ERROR)
        return np.asarray((self.accuracy >= ALL_RIGHT) | small)

    @property
    def inconsistent(self) -> Verdicts:
        """Whether following the field exactly changes the loss by more than a tenth of the larger one."""
        larger = np.maximum(self.loss, self.refined)
        changed = np.abs(self.refined - self.loss) > CONSISTENT * larger
        return np.asarray(changed & (larger > NEGLIGIBLE))

    @property
    def growth(self) -> Floats:
        """How many times more often the field is asked in the end than at the start."""
        return np.asarray(self.paid_last / np.where(self.paid_first > 0, self.paid_first, np.nan))


def _last_quarter(values: Floats) -> Floats:
    return values[-max(1, len(values) // 4) :]
