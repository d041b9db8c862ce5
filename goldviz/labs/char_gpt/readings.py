"""A GPT's run as plain arrays, one value for each seed, ready for the rules that conclude from them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from goldviz.diagnostics.findings import Floats, Recorded, Verdicts
from goldviz.diagnostics.findings.measures import diverged, rising, share, typical_updates

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True)
class Reading:
    """What was recorded of the network, for each seed; NaN where nothing was.

    ``train`` and ``dev`` are of the last close look, ``lowest`` is the lowest dev loss of all. ``pairs`` and
    ``letters`` are dev losses of guessing by counted pairs and by single tokens. ``ahead`` is how far the loss at the
    block's last place, which has no later token to look at, is above that of the others. ``evenness`` is the entropy of
    attention over that of an even one, mean over the blocks. ``bits`` are bits a byte, ``gzip`` those of gzip.
    """

    name: str
    train: Floats
    dev: Floats
    lowest: Floats
    letters: Floats
    pairs: Floats
    ahead: Floats
    evenness: Floats
    bits: Floats
    gzip: Floats
    update: Floats
    diverged: Verdicts
    rising: Verdicts

    @classmethod
    def of(cls, ds: xr.Dataset, network: str) -> Reading:
        """Read the network off a run's dataset; variables may be missing or empty."""
        recorded = Recorded(ds, network)
        dev = recorded.last("dev_loss", "close_look")
        return cls(
            name="GPT",
            train=recorded.last("train_loss", "close_look"),
            dev=dev,
            lowest=recorded.measure("dev_loss", "close_look", by=lambda losses: losses.min(axis=0)),
            letters=_once(ds, "unigram_loss", dev),
            pairs=_once(ds, "bigram_loss", dev),
            ahead=recorded.last("position_loss", "close_look", "position", by=_ahead),
            evenness=recorded.last("attention_entropy", "close_look", "block_number", by=lambda one: one.mean(axis=0)),
            bits=dev * _once(ds, "tokens_per_byte", dev) / math.log(2),
            gzip=_once(ds, "gzip_bits", dev),
            update=recorded.measure("update_to_data", "look", "layer", by=typical_updates),
            diverged=recorded.verdict("loss", "step", by=diverged),
            rising=recorded.verdict("loss", "step", by=rising),
        )

    @property
    def gap(self) -> Floats:
        """How far the dev loss is above that on training text, in nats."""
        with np.errstate(invalid="ignore"):
            return self.dev - self.train

    @property
    def lost(self) -> Floats:
        """How far the dev loss has climbed again from its lowest, in nats."""
        with np.errstate(invalid="ignore"):
            return self.dev - self.lowest

    @property
    def over_pairs(self) -> Floats:
        """How far the dev loss is below that of counted pairs, in nats."""
        with np.errstate(invalid="ignore"):
            return self.pairs - self.dev

    @property
    def excess_bits(self) -> Floats:
        """How many more bits a byte costs than by gzip."""
        return self.bits - self.gzip

    @property
    def worth(self) -> Floats:
        """The dev loss as a share of that of single tokens."""
        return share(self.dev, self.letters)


def _once(ds: xr.Dataset, name: str, like: Floats) -> Floats:
    """A number of the text, for each seed."""
    value = float(ds[name]) if name in ds and ds[name].size else math.nan
    return np.full(like.shape, value)


def _ahead(losses: Floats) -> Floats:
    """The last place's loss less the median of the second half, (position, seed)."""
    with np.errstate(invalid="ignore"):
        return np.asarray(losses[-1] - np.median(losses[len(losses) // 2 :], axis=0))
