"""Series observed at irregular times, each sample at times of its own, whose true course is known at every time.

Every problem draws a batch from an explicit generator, on the CPU, time first. The unit of time is a second.
"""

from __future__ import annotations

import math
from collections.abc import Callable
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

    @property
    def targets(self) -> Float[Tensor, "later batch channels"]:
        """The clean value at the next time, for every row but the last: entry i is to be said at row i."""
        return self.clean[1:]


@dataclass(frozen=True)
class Gaps:
    """Gaps between observations, log-uniform between two lengths in seconds; equal ones give regular times."""

    shortest: float = 0.02
    longest: float = 0.6

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


TYPICAL_GAPS = Gaps()
UNSEEN_GAPS = Gaps(0.6, 1.2)
"""Longer than any of :data:`TYPICAL_GAPS`: for asking how a model goes on where it was never trained."""


def irregular_times(
    length: int, batch: int, generator: Generator, gaps: Gaps = TYPICAL_GAPS, last_gap: Gaps | None = None
) -> Float[Tensor, "length batch"]:
    """Times from 0 with independent ``gaps``; the last one is drawn from ``last_gap`` if it is given.

    The draws for the other gaps do not depend on ``last_gap``.
    """
    for name, value, least in (("length", length, 2), ("batch", batch, 1)):
        if value < least:
            raise ValueError(f"The {name} is {value}; allowed is a whole number from {least}.")
    drawn = gaps.draw(length - 1, batch, generator)
    if last_gap is not None:
        drawn = torch.cat([drawn[:-1], last_gap.draw(1, batch, generator)])
    return torch.cat([torch.zeros(1, batch, dtype=torch.float64), drawn.cumsum(0)])


def linear_system(
    A: Float[Tensor, "state state"], start: Float[Tensor, "batch state"], times: Float[Tensor, "time batch"]
) -> Float[Tensor, "time batch state"]:
    """The exact course of dx/dt = A x from ``start`` at time 0: x(t) = expm(A t) x(0), in float64.

    >>> A, start = torch.tensor([[0.0, 1.0], [-1.0, 0.0]]), torch.tensor([[1.0, 0.0]])
    >>> round(float(linear_system(A, start, torch.tensor([[3.0]]))[0, 0, 0]), 6) == round(math.cos(3.0), 6)
    True
    """
    flows = torch.matrix_exp(A.double() * times.double()[..., None, None])
    return (flows @ start.double()[None, ..., None]).squeeze(-1)


def rotation(
    length: int, batch: int, generator: Generator, gaps: Gaps = TYPICAL_GAPS, noise: float = 0.02
) -> IrregularBatch:
    """Two channels that turn once in two seconds and shrink by exp(-0.2 t): a linear system seen whole.

    dx/dt = A x with A = [[-0.2, pi], [-pi, -0.2]] and x(0) standard normal. Known answer: the next value is
    expm(A gap) times this one, exactly.
    """
    A = torch.tensor([[-0.2, math.pi], [-math.pi, -0.2]], dtype=torch.float64)
    times = irregular_times(length, batch, generator, gaps)
    start = torch.randn(batch, 2, generator=generator, dtype=torch.float64)
    return observed(times, linear_system(A, start, times), noise, generator)


def damped_oscillator(
    length: int,
    batch: int,
    generator: Generator,
    gaps: Gaps = TYPICAL_GAPS,
    *,
    last_gap: Gaps | None = None,
    frequency: float = 1.0,
    damping: float = 0.03,
    noise: float = 0.02,
) -> IrregularBatch:
    """The position of x'' + 2 zeta w x' + w^2 x = 0, w = 2 pi ``frequency``, zeta = ``damping``; one channel.

    x(0) and x'(0) / w are standard normal. The velocity is not observed: one look does not say where the series goes.

    Known answers: the variance of x(t) is close to exp(-2 zeta w t), which is what predicting 0 costs; with two exact
    looks, the next value is a linear function of them.
    """
    if not (math.isfinite(frequency) and frequency > 0):
        raise ValueError(f"The frequency is {frequency:g}; allowed is a number above 0.")
    if not (math.isfinite(damping) and damping >= 0):
        raise ValueError(f"The damping is {damping:g}; allowed is a number from 0.")
    w = 2 * math.pi * frequency
    # In the coordinates (x, x' / w) both have the same size.
    A = torch.tensor([[0.0, w], [-w, -2 * damping * w]], dtype=torch.float64)
    times = irregular_times(length, batch, generator, gaps, last_gap)
    start = torch.randn(batch, 2, generator=generator, dtype=torch.float64)
    return observed(times, linear_system(A, start, times)[..., :1], noise, generator)


def irregular_sines(
    length: int, batch: int, generator: Generator, gaps: Gaps = TYPICAL_GAPS, noise: float = 0.02
) -> IrregularBatch:
    """A sine of unknown phase and unknown frequency, uniform in 0.5 to 1.5 hertz; one channel.

    Known answer: predicting 0 has mean squared error 1/2.
    """
    times = irregular_times(length, batch, generator, gaps)
    frequency, phase = torch.rand(2, batch, generator=generator, dtype=torch.float64).unbind(0)
    clean = torch.sin(2 * math.pi * ((0.5 + frequency) * times + phase))
    return observed(times, clean[..., None], noise, generator)


IRREGULAR_PROBLEMS: dict[str, Callable[..., IrregularBatch]] = {
    "damped_oscillator": damped_oscillator,
    "irregular_sines": irregular_sines,
    "rotation": rotation,
}
"""Problem by name: each takes (length, batch, generator, gaps, noise=...)."""


def observed(
    times: Float[Tensor, "time batch"], clean: Float[Tensor, "time batch channels"], noise: float, generator: Generator
) -> IrregularBatch:
    """Measure every value of a course with Gaussian noise of standard deviation ``noise``.

    Values are rounded to torch's default type; times stay in float64, so that short gaps late in a series are exact.
    """
    if not (math.isfinite(noise) and noise >= 0):
        raise ValueError(f"The noise is {noise}; allowed is a number from 0.")
    values = clean + noise * torch.randn(clean.shape, generator=generator, dtype=torch.float64)
    kept = torch.get_default_dtype()
    return IrregularBatch(times, values.to(kept), torch.ones_like(clean, dtype=torch.bool), clean.to(kept))


def partially_observed(batch: IrregularBatch, probability: float, generator: Generator) -> IrregularBatch:
    """The same series with every value that was seen seen with this probability; the first row keeps its values.

    So a row may lose some channels or all of them, and no sample loses everything.
    """
    if not 0 <= probability <= 1:
        raise ValueError(f"The probability to see a value is {probability}; allowed is a number from 0 to 1.")
    kept = torch.rand(batch.mask.shape, generator=generator) < probability
    kept[0] = True
    mask = batch.mask & kept
    return replace(batch, mask=mask, values=batch.values.masked_fill(~mask, math.nan))
