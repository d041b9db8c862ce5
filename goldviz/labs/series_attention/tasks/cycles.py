"""Series that repeat a pattern of their own after a fixed number of rows, with a little noise.

Repeating the row one period ago is wrong by its own noise and by that of the row to come: 2 sigma squared. No forecast
is wrong by less than sigma squared.
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from goldviz.labs.series_attention.tasks.windows import SeriesProblem, SeriesProblemError, SeriesWindows, evenly_spaced

NOISE = 0.2
CALENDAR = ("sine of the calendar", "cosine of the calendar")


def cycles(series: int, rows: int, period: int, generator: Generator, *, calendar: bool = False) -> SeriesWindows:
    """So many series of patterns with independent N(0, 1) entries; ``calendar`` tells where in the period a row is."""
    pattern = torch.randn(series, period, generator=generator)
    noise = torch.randn(series, rows, generator=generator)
    values = pattern[:, torch.arange(rows) % period] + NOISE * noise
    return evenly_spaced(values, calendar_of(rows, period) if calendar else None)


def calendar_of(rows: int, period: int) -> Float[Tensor, "row 2"]:
    """Sine and cosine of the place in the period, as calendars tell a day of the week."""
    angle = 2 * math.pi * torch.arange(rows) / period
    return torch.stack([angle.sin(), angle.cos()], 1)


def cycle_problem(
    series: int,
    tests: int,
    context: int,
    horizon: int,
    period: int,
    train: Generator,
    test: Generator,
    *,
    calendar: bool = False,
    longest: int = 0,
) -> SeriesProblem:
    """Series to learn from and to test on; ``longest`` rows of other test series, where it is more than are learned.

    Raises :class:`SeriesProblemError` for a period longer than the context.
    """
    if period > context:
        raise SeriesProblemError(f"The period is {period} rows; allowed are at most the {context} rows of the context.")
    rows = context + horizon
    train_windows, test_windows = (
        cycles(count, rows, period, generator, calendar=calendar)
        for count, generator in ((series, train), (tests, test))
    )
    longer = cycles(tests, longest, period, test, calendar=calendar) if longest > rows else None
    names = CALENDAR if calendar else ()
    return SeriesProblem(train_windows, test_windows, context, period, 0.0, 1.0, NOISE**2, names, longer)
