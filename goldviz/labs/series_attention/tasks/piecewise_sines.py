"""Li's series: three sines of random height, and a fourth as high as the higher of the first two.

Li et al. 2019, section 5.1: with A1, A2, A3 uniform in [0, 60] and A4 = max(A1, A2), a value is 72 plus
A1 sin(pi x / 6) up to x = 12, A2 sin(pi x / 6) up to 24, A3 sin(pi x / 6) up to t0, and then A4 sin(pi x / 12), plus
noise N(0, 1). To forecast the last part, a network has to find the first two and compare them.
"""

from __future__ import annotations

import math

import torch
from torch import Generator

from goldviz.labs.series_attention.tasks.windows import (
    SeriesProblem,
    SeriesProblemError,
    SeriesWindows,
    evenly_spaced,
    standardised,
)

MIDDLE, HIGHEST = 72.0, 60.0
FIRST_PARTS = 24
"""Rows of the first two sines together."""
LONG_PERIOD = 24


def piecewise_sines(series: int, context: int, horizon: int, generator: Generator) -> SeriesWindows:
    """So many series with the noise, as they come. Raises :class:`SeriesProblemError` for a context below 24 rows."""
    if context < FIRST_PARTS:
        raise SeriesProblemError(
            f"The context is {context} rows; allowed are at least {FIRST_PARTS}, the first two sines."
        )
    x = torch.arange(context + horizon)
    heights = HIGHEST * torch.rand(series, 3, generator=generator)
    last = heights[:, :2].amax(1, keepdim=True)
    lengths = torch.tensor([12, 12, context - FIRST_PARTS, horizon])
    height = torch.cat([heights, last], 1).repeat_interleave(lengths, dim=1)
    angle = math.pi * x / torch.where(x < context, 6, LONG_PERIOD // 2)
    noise = torch.randn(series, len(x), generator=generator)
    return evenly_spaced(MIDDLE + height * angle.sin() + noise)


def sines_problem(
    series: int, tests: int, context: int, horizon: int, train: Generator, test: Generator
) -> SeriesProblem:
    """Series to learn from and to test on, from generators of their own."""
    train_windows = piecewise_sines(series, context, horizon, train)
    scale = float(train_windows.values.std())
    test_windows = piecewise_sines(tests, context, horizon, test)
    return SeriesProblem(
        standardised(train_windows, MIDDLE, scale),
        standardised(test_windows, MIDDLE, scale),
        context,
        LONG_PERIOD,
        MIDDLE,
        scale,
        1 / scale**2,
    )
