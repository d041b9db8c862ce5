"""A GPT's run as plain arrays, one value for each seed, ready for the rules that conclude from them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.findings import Floats, Recorded
from goldviz.diagnostics.findings.language_model import Guesses, guesses_of

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True)
class Reading(Guesses):
    """What was recorded of the network, for each seed; NaN where nothing was.

    ``ahead`` is how far the loss at the block's last place, which has no later token to look at, is above that of the
    others. ``evenness`` is the entropy of attention over that of an even one, mean over the blocks. ``bits`` are bits a
    byte, ``gzip`` those of gzip.
    """

    ahead: Floats
    evenness: Floats
    bits: Floats
    gzip: Floats

    @classmethod
    def of(cls, ds: xr.Dataset, network: str) -> Reading:
        """Read the network off a run's dataset; variables may be missing or empty."""
        recorded = Recorded(ds, network)
        guesses = guesses_of(recorded)
        return cls(
            name="GPT",
            **guesses,
            ahead=recorded.last("position_loss", "close_look", "position", by=_ahead),
            evenness=recorded.last("attention_entropy", "close_look", "block_number", by=lambda one: one.mean(axis=0)),
            bits=guesses["dev"] * recorded.measure("tokens_per_byte") / math.log(2),
            gzip=recorded.measure("gzip_bits"),
        )

    @property
    def excess_bits(self) -> Floats:
        """How many more bits a byte costs than by gzip."""
        return self.bits - self.gzip


def _ahead(losses: Floats) -> Floats:
    """The last place's loss less the median of the second half, (position, seed)."""
    with np.errstate(invalid="ignore"):
        return np.asarray(losses[-1] - np.median(losses[len(losses) // 2 :], axis=0))
