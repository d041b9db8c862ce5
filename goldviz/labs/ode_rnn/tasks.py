"""The sequences of the laboratory *ODE-RNN*: courses whose truth is known at every time, or windows of a market.

Each sample is observed at times of its own. All is drawn from an explicit generator, on the CPU, time first.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import torch
from jaxtyping import Bool, Float
from torch import Generator, Tensor

from goldviz.labs.ode_rnn.market_windows import market_windows
from goldviz.labs.ode_rnn.settings import SHORTEST_GAP

if TYPE_CHECKING:
    from goldviz.labs.ode_rnn.settings import ODERNNLaboratory

Course = Callable[[Float[Tensor, "time batch"]], Float[Tensor, "time batch channels"]]


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


class Gaps(NamedTuple):
    """Gaps between observations, log-uniform between two lengths in seconds; equal ones give regular times."""

    shortest: float
    longest: float

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
    values = clean + noise * torch.randn(clean.shape, generator=generator, dtype=torch.float64)
    dtype = torch.get_default_dtype()
    return IrregularBatch(times, values.to(dtype), torch.ones_like(clean, dtype=torch.bool), clean.to(dtype))


def partially_observed(batch: IrregularBatch, probability: float, generator: Generator) -> IrregularBatch:
    """The same series with every value that was seen seen with this probability; the first row keeps its values.

    So a row may lose some channels or all of them, and no sample loses everything.
    """
    visible = torch.rand(batch.mask.shape, generator=generator) < probability
    visible[0] = True
    mask = batch.mask & visible
    return replace(batch, mask=mask, values=batch.values.masked_fill(~mask, math.nan))


@dataclass(frozen=True)
class ProbeSequence:
    """One sequence (batch 1), and its noiseless course, None where nobody knows it."""

    seen: IrregularBatch
    course: Course | None


def sequence_source(settings: ODERNNLaboratory) -> SequenceSource:
    """The source that the settings name; raises :class:`MarketError` where a market cannot be used."""
    return MarketSequences(settings) if settings.task == "market" else CourseSequences(settings)


class CourseSequences:
    """Sequences of a course that is drawn anew for each."""

    time_unit = "s"

    def __init__(self, settings: ODERNNLaboratory) -> None:
        self.settings = settings
        self.draw = COURSES[settings.task]
        self.channels = ("x", "y") if settings.task == "linear" else ("x",)
        self.gaps = Gaps(SHORTEST_GAP, settings.longest_gap)
        self.long_gaps = Gaps(settings.longest_gap, 2 * settings.longest_gap)

    def training(self, batch: int, generator: Generator) -> IrregularBatch:
        """New ones at every call."""
        return self._sequences(batch, generator, None).seen

    def unseen(self, batch: int, generator: Generator, *, long_gap: bool) -> IrregularBatch:
        """From a generator of their own."""
        return self._sequences(batch, generator, self.long_gaps if long_gap else None).seen

    def probe(self, generator: Generator) -> ProbeSequence:
        """A sequence with its course."""
        return self._sequences(1, generator, None)

    def _sequences(self, batch: int, generator: Generator, last_gap: Gaps | None) -> ProbeSequence:
        times = irregular_times(self.settings.observations, batch, generator, self.gaps, last_gap)
        course = self.draw(batch, generator)
        whole = observed(times, course(times), self.settings.noise, generator)
        return ProbeSequence(partially_observed(whole, 1 - self.settings.hidden_share, generator), course)


def oscillator_course(batch: int, generator: Generator) -> Course:
    """The position of x'' + 2 zeta w x' + w^2 x = 0 with w = 2 pi and zeta = 0.03; x(0), x'(0)/w standard normal."""
    w = 2 * math.pi
    both = turning_course(torch.tensor([[0.0, w], [-w, -2 * 0.03 * w]], dtype=torch.float64), batch, generator)
    return lambda times: both(times)[..., :1]


def sine_course(batch: int, generator: Generator) -> Course:
    """A sine of unknown phase and unknown frequency, uniform in 0.5 to 1.5 hertz."""
    frequency, phase = torch.rand(2, batch, generator=generator, dtype=torch.float64).unbind(0)
    return lambda times: torch.sin(2 * math.pi * ((0.5 + frequency) * times + phase))[..., None]


def linear_course(batch: int, generator: Generator) -> Course:
    """Two channels that turn once in two seconds and shrink by exp(-0.2 t); the start is standard normal."""
    A = torch.tensor([[-0.2, math.pi], [-math.pi, -0.2]], dtype=torch.float64)
    return turning_course(A, batch, generator)


def turning_course(A: Float[Tensor, "2 2"], batch: int, generator: Generator) -> Course:
    """dx/dt = A x from a standard normal start, for a matrix whose eigenvalues are a complex pair m +- i v:

    x(t) = exp(m t) (cos(v t) + sin(v t) (A - m) / v) x(0), several times faster than a matrix exponential for every t.
    """
    m = float(A.trace()) / 2
    v = math.sqrt(float(torch.linalg.det(A)) - m**2)
    start = torch.randn(batch, 2, generator=generator, dtype=torch.float64)
    quarter_turn = start @ (A.t() - m * torch.eye(2, dtype=A.dtype)) / v

    def course(times: Float[Tensor, "time batch"]) -> Float[Tensor, "time batch 2"]:
        t = times[..., None]
        return torch.exp(m * t) * (torch.cos(v * t) * start + torch.sin(v * t) * quarter_turn)

    return course


COURSES: dict[str, Callable[[int, Generator], Course]] = {
    "oscillator": oscillator_course,
    "sines": sine_course,
    "linear": linear_course,
}


class MarketSequences:
    """Windows of consecutive observations of a market's target, with what became known of all channels at them.

    Times are in weeks from a window's first row.
    """

    time_unit = "weeks"

    def __init__(self, settings: ODERNNLaboratory) -> None:
        windows = market_windows(settings)
        self.channels = windows.channels
        self.columns_ahead = windows.columns_ahead
        self.hidden_share = settings.hidden_share
        self.times = torch.as_tensor(windows.times)
        self.split = windows.split
        self.values = torch.as_tensor(windows.values, dtype=torch.get_default_dtype())
        self.trained_on = torch.as_tensor(windows.trained_on)
        self.tested_on = torch.as_tensor(windows.tested_on)
        self.tested_on_long = torch.as_tensor(windows.tested_on_long)

    def training(self, batch: int, generator: Generator) -> IrregularBatch:
        """Windows of the first four fifths."""
        return self._drawn(self.trained_on, batch, generator)

    def unseen(self, batch: int, generator: Generator, *, long_gap: bool) -> IrregularBatch:
        """Windows of the last fifth."""
        return self._drawn(self.tested_on_long if long_gap else self.tested_on, batch, generator)

    def probe(self, generator: Generator) -> ProbeSequence:
        """A window of the last fifth."""
        return ProbeSequence(self._drawn(self.tested_on, 1, generator), None)

    def _drawn(self, windows: Tensor, batch: int, generator: Generator) -> IrregularBatch:
        rows = windows[torch.randint(len(windows), (batch,), generator=generator)].t()
        values = self.values[rows]
        mask = torch.isfinite(values)
        whole = IrregularBatch(self.times[rows] - self.times[rows[:1]], values, mask, values)
        return partially_observed(whole, 1 - self.hidden_share, generator)


SequenceSource: TypeAlias = CourseSequences | MarketSequences
"""Where a run's sequences come from: some to learn from, unseen ones, and a probe to look at closely.

Gaps lie between 0.02 and the settings' longest; only a last one may be longer, up to twice as long.
"""
