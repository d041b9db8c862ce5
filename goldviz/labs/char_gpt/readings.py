"""A GPT's run as plain arrays, one value for each seed, ready for the rules that conclude from them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from goldviz.diagnostics.findings import Floats
from goldviz.diagnostics.findings.language_model import Guesses
from goldviz.diagnostics.findings.recorded import at_last, measured


def _ahead(losses: Floats) -> Floats:
    """The last place's loss less the median of the second half, (position, seed)."""
    with np.errstate(invalid="ignore"):
        return np.asarray(losses[-1] - np.median(losses[len(losses) // 2 :], axis=0))


@dataclass(frozen=True)
class Reading(Guesses):
    """What was recorded of the network, for each seed; NaN where nothing was.

    ``ahead`` is how far the loss at the block's last place, which has no later token to look at, is above that of the
    others. ``evenness`` is the entropy of attention over that of an even one, mean over the blocks. ``gzip`` are bits a
    byte by gzip, on the same text.
    """

    labels: ClassVar[Mapping[str, str]] = {"gpt": "GPT"}
    ahead: Floats = at_last("position_loss", "close_look", "position", by=_ahead)
    evenness: Floats = at_last("attention_entropy", "close_look", "block_number", by=lambda one: one.mean(axis=0))
    tokens_per_byte: Floats = measured("tokens_per_byte")
    gzip: Floats = measured("gzip_dev_bits")

    @property
    def bits(self) -> Floats:
        """Bits a byte."""
        return self.dev * self.tokens_per_byte / math.log(2)

    @property
    def excess_bits(self) -> Floats:
        """How many more bits a byte costs than by gzip."""
        return self.bits - self.gzip
