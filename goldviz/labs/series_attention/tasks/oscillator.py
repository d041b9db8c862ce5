"""A damped oscillator seen at irregular times: x'' + 2 zeta w x' + w^2 x = 0 with w = 2 pi and zeta = 0.03.

Its position at every time is known, so the error of a forecast that knew the start is the noise alone. The time of a
row is known beforehand; the gap before it is a covariate.
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from goldviz.labs.series_attention.tasks.windows import SeriesProblem, SeriesWindows

FREQUENCY, DAMPING = 2 * math.pi, 0.03
SHORTEST, LONGEST = 0.02, 0.4
"""Seconds between rows, log-uniform."""
NOISE = 0.05
PERIOD_ROWS = 8
"""Rows that a period of one second has, nearly."""


def position(start: Float[Tensor, "series 2"], times: Float[Tensor, "series row"]) -> Float[Tensor, "series row"]:
    """x(t) for x(0) and x'(0)/w, by the closed form of the damped oscillator."""
    slow = FREQUENCY * math.sqrt(1 - DAMPING**2)
    first, speed = start[:, :1], FREQUENCY * start[:, 1:]
    swing = first * (slow * times).cos() + (speed + DAMPING * FREQUENCY * first) / slow * (slow * times).sin()
    return (-DAMPING * FREQUENCY * times).exp() * swing


def oscillators(series: int, rows: int, generator: Generator) -> SeriesWindows:
    """So many oscillators from standard normal starts, each at times of its own, with noise."""
    span = math.log(LONGEST / SHORTEST)
    gaps = SHORTEST * (span * torch.rand(series, rows, generator=generator)).exp()
    times = gaps.cumsum(1) - gaps[:, :1]
    clean = position(torch.randn(series, 2, generator=generator), times)
    noise = NOISE * torch.randn(series, rows, generator=generator)
    return SeriesWindows(clean + noise, gaps[..., None], times)


def oscillator_problem(
    series: int, tests: int, context: int, horizon: int, train: Generator, test: Generator
) -> SeriesProblem:
    """Series to learn from and to test on, from generators of their own."""
    learned, unseen = (
        oscillators(count, context + horizon, generator) for count, generator in ((series, train), (tests, test))
    )
    return SeriesProblem(
        learned, unseen, context, min(PERIOD_ROWS, context), 0.0, 1.0, NOISE**2, ("gap before the row",), time_unit="s"
    )
