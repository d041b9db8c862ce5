"""Series observed at irregular times, each sample at times of its own, whose true course is known at every time.

All is drawn from an explicit generator, on the CPU, time first. The unit of time is a second.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Float
from torch import Generator, Tensor


@dataclass(frozen=True)
class IrregularBatch:
    """Observations and the truth behind them.

    ``times`` ascend in every sample from 0. ``values`` are what was measured, with noise, NaN where ``mask`` is false;
    ``clean`` is the course without noise at the same times.
    """

    times: Float[Tensor, "time batch"]
    values: Float[Tensor, "time batch channels"]
    mask: Bool[Tensor, "time batch channels"]
    clean: Float[Tensor, "time batch channels"]


@dataclass(frozen=True)
class Gaps:
    """Gaps between observations, log-uniform between two lengths in seconds; equal ones give regular times."""

    shortest: float
    longest: float

    def __post_init__(self) -> None:
        if not (0 < self.shortest <= self.longest < math.inf):
            raise ValueError(
                f"Gaps go from {self.shortest:g} to {self.longest:g}; allowed are two positive lengths, the shorter "
                "one first."
            )

    def draw(self, count: int, batch: int, generator: Generator) -> Float[Tensor, "count batch"]:
        """That many gaps for every sample, in float64."""
        share = torch.rand(count, batch, generator=generator, dtype=torch.float64)
        return self.shortest * (self.longest / self.shortest) ** share


def irregular_times(
    length: int, batch: int, generator: Generator, gaps: Gaps, last_gap: Gaps | None = None
) -> Float[Tensor, "length batch"]:
    """Times from 0 with independent ``gaps``; the last one is drawn from ``last_gap`` if it is given.

    The draws for the other gaps do not depend on ``last_gap``.
    """
    for name, value, least in (("length", length, 2), ("batch", batch, 1)):
        if value < least:
            raise ValueError(f"The {name} is {value}; allowed is a whole number from {least}.")
    lengths = gaps.draw(length - 1, batch, generator)
    if last_gap is not None:
        lengths = torch.cat([lengths[:-1], last_gap.draw(1, batch, generator)])
    return torch.cat([torch.zeros(1, batch, dtype=torch.float64), lengths.cumsum(0)])


def observed(
    times: Float[Tensor, "time batch"], clean: Float[Tensor, "time batch channels"], noise: float, generator: Generator
) -> IrregularBatch:
    """Measure every value of a course with Gaussian noise of standard deviation ``noise``.

    Values are rounded to torch's default type; times stay in float64, so that short gaps late in a series are exact.
    """
    if not (math.isfinite(noise) and noise >= 0):
        raise ValueError(f"The noise is {noise}; allowed is a number from 0.")
    values = clean + noise * torch.randn(clean.shape, generator=generator, dtype=torch.float64)
    dtype = torch.get_default_dtype()
    return IrregularBatch(times, values.to(dtype), torch.ones_like(clean, dtype=torch.bool), clean.to(dtype))


def partially_observed(batch: IrregularBatch, probability: float, generator: Generator) -> IrregularBatch:
    """The same series with every value that was seen seen with this probability; the first row keeps its values.

    So a row may lose some channels or all of them, and no sample loses everything.
    """
    if not 0 <= probability <= 1:
        raise ValueError(f"The probability to see a value is {probability}; allowed is a number from 0 to 1.")
    visible = torch.rand(batch.mask.shape, generator=generator) < probability
    visible[0] = True
    mask = batch.mask & visible
    return replace(batch, mask=mask, values=batch.values.masked_fill(~mask, math.nan))
