"""The sequences of the laboratory *ODE-RNN*: courses whose truth is known at every time, or windows of a market."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
import torch
from jaxtyping import Float
from torch import Generator, Tensor

from goldviz.data.markets.alignment import aligned
from goldviz.data.markets.kept_markets import load_market
from goldviz.data.markets.market import MarketError
from goldviz.labs.ode_rnn.series import Gaps, IrregularBatch, irregular_times, observed, partially_observed
from goldviz.labs.ode_rnn.settings import SHORTEST_GAP

if TYPE_CHECKING:
    from goldviz.labs.ode_rnn.settings import ODERNNLaboratory

TEST_SHARE = 0.2
"""Of the market's observations: the last ones, which no training sequence reaches."""
DAYS_IN_TIME_UNIT = 7.0
"""The market's times are in weeks: a night is 0.14, a weekend 0.43."""
FARTHEST = 10.0
"""Standard deviations; a return farther out is read as this far out."""

Course = Callable[[Float[Tensor, "time batch"]], Float[Tensor, "time batch channels"]]


@dataclass(frozen=True)
class ProbeSequence:
    """One sequence (batch 1), and its noiseless course, None where nobody knows it."""

    seen: IrregularBatch
    course: Course | None


class SequenceSource(Protocol):
    """Where a run's sequences come from. Gaps lie between 0.02 and ``longest_gap``; only a last one may be longer."""

    @property
    def channels(self) -> tuple[str, ...]:
        """Their names."""

    @property
    def time_unit(self) -> str:
        """What a time of 1 is."""

    def training(self, batch: int, generator: Generator) -> IrregularBatch:
        """Sequences to learn from."""

    def unseen(self, batch: int, generator: Generator, *, long_gap: bool) -> IrregularBatch:
        """Sequences to test on; with ``long_gap`` the last gap is one to two times the longest."""

    def probe(self, generator: Generator) -> ProbeSequence:
        """A sequence to look at closely."""


def sequence_source(settings: ODERNNLaboratory) -> SequenceSource:
    """The source that the settings name; raises :class:`MarketError` where a market cannot be
    used."""
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
    turned = start @ (A.t() - m * torch.eye(2, dtype=A.dtype)) / v

    def course(times: Float[Tensor, "time batch"]) -> Float[Tensor, "time batch 2"]:
        t = times[..., None]
        return torch.exp(m * t) * (torch.cos(v * t) * start + torch.sin(v * t) * turned)

    return course


COURSES: dict[str, Callable[[int, Generator], Course]] = {
    "oscillator": oscillator_course,
    "sines": sine_course,
    "linear": linear_course,
}


class MarketSequences:
    """Windows of consecutive observations of a market's target, with what became known of all channels at them.

    Values are standardised by the moments of the training part, which ends before the last fifth of the observations;
    test windows lie in that fifth. Times are in weeks from a window's first row. No window that is trained on has a
    gap above the settings' longest; a long last gap is made by leaving observations out. What became known of a
    covariate on a day without the target's price belongs to no row.
    """

    time_unit = "weeks"

    def __init__(self, settings: ODERNNLaboratory) -> None:
        market = load_market(settings.data, settings.market_seed)
        panel = aligned(market)
        rows = np.flatnonzero(np.isfinite(panel.price))[1:]
        self.channels = panel.channels
        self.length = settings.observations
        self.hidden_share = settings.hidden_share
        self.longest_gap = settings.longest_gap
        self.times = torch.as_tensor(panel.dates[rows].as_unit("s").asi8 / (86_400 * DAYS_IN_TIME_UNIT))
        self.split = int(len(rows) * (1 - TEST_SHARE))
        self.values = torch.as_tensor(_standardised(panel.values[rows], self.split), dtype=torch.get_default_dtype())
        usual = self._windows(self.length)
        self.trained_on = usual[usual[:, -1] < self.split]
        self.tested_on = usual[usual[:, 0] >= self.split]
        long = self._long_windows()
        self.tested_on_long = long[long[:, 0] >= self.split]
        windows = {"training": self.trained_on, "tests": self.tested_on, "tests of long gaps": self.tested_on_long}
        for purpose, found in windows.items():
            if len(found) == 0:
                raise MarketError(
                    f"{market.target.words} has no {self.length} observations in a row for {purpose} with gaps of at "
                    f"most {self.longest_gap:g} weeks. Take fewer observations, a longer longest gap or more data."
                )

    def training(self, batch: int, generator: Generator) -> IrregularBatch:
        """Windows of the first four fifths."""
        return self._drawn(self.trained_on, batch, generator)

    def unseen(self, batch: int, generator: Generator, *, long_gap: bool) -> IrregularBatch:
        """Windows of the last fifth."""
        return self._drawn(self.tested_on_long if long_gap else self.tested_on, batch, generator)

    def probe(self, generator: Generator) -> ProbeSequence:
        """A window of the last fifth."""
        return ProbeSequence(self._drawn(self.tested_on, 1, generator), None)

    def _windows(self, length: int) -> Tensor:
        """Rows (windows, length) of all windows without too long a gap."""
        first = torch.arange(max(0, len(self.times) - length + 1))
        rows = first[:, None] + torch.arange(length)
        return rows[(self.times[rows].diff(dim=1) <= self.longest_gap * (1 + 1e-9)).all(1)]

    def _long_windows(self) -> Tensor:
        """Windows whose last row is the first one that is further away than the longest gap, and less than twice."""
        start = self._windows(self.length - 1)
        last = start[:, -1]
        later = torch.searchsorted(self.times, self.times[last] + self.longest_gap * (1 + 1e-9), right=True)
        there = later < len(self.times)
        start, last, later = start[there], last[there], later[there]
        near = self.times[later] - self.times[last] <= 2 * self.longest_gap
        return torch.cat([start, later[:, None]], 1)[near]

    def _drawn(self, windows: Tensor, batch: int, generator: Generator) -> IrregularBatch:
        rows = windows[torch.randint(len(windows), (batch,), generator=generator)].t()
        values = self.values[rows]
        mask = torch.isfinite(values)
        whole = IrregularBatch(self.times[rows] - self.times[rows[:1]], values, mask, values)
        return partially_observed(whole, 1 - self.hidden_share, generator)


def _standardised(values: Float[np.ndarray, "rows channels"], learnt: int) -> Float[np.ndarray, "rows channels"]:
    """By mean and standard deviation of the first ``learnt`` rows; a channel that does not vary there is missing."""
    seen = np.isfinite(values)
    first = np.where(seen[:learnt], values[:learnt], 0.0)
    count = np.maximum(seen[:learnt].sum(0), 1)
    mean = first.sum(0) / count
    spread = np.sqrt((np.where(seen[:learnt], values[:learnt] - mean, 0.0) ** 2).sum(0) / count)
    usable = spread > 1e-12 * np.abs(mean)
    standardised = np.where(usable, (values - mean) / np.where(usable, spread, 1.0), np.nan)
    return np.asarray(np.clip(standardised, -FARTHEST, FARTHEST))
