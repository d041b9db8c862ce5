"""Intervals and tests from days' losses, by their definitions."""

import math
from typing import NamedTuple

import numpy as np
from arch.bootstrap import optimal_block_length
from scipy import stats

REPLICATIONS = 1000


class Score(NamedTuple):
    """A score against the simplest forecast, the ends of its interval, and the p of a test that it is not zero."""

    value: float
    low: float
    high: float
    p: float

    @property
    def better(self):
        """Whether interval and test both speak for it."""
        return self.low > 0 and self.p < 0.05

    @property
    def worse(self):
        return self.high < 0 and self.p < 0.05

    @property
    def disputed(self):
        """Whether one of the two speaks for a difference, and the other does not."""
        return (self.low > 0 or self.high < 0) != (self.p < 0.05)


def p_of_difference(losses, others):
    """Diebold and Mariano's p one day ahead, which is that of the t-test of no mean difference.

    With the correction of Harvey, Leybourne and Newbold (1997) at h = 1 the statistics are the same.
    """
    return float(stats.ttest_1samp(others - losses, 0).pvalue)


def wilson(held, counted):
    """The shares p whose 95 % band p ± z √(p (1 − p) / n) ends at the share that was held (Wilson 1927)."""
    rate, weight = held / counted, stats.norm.ppf(0.975) ** 2 / counted
    return tuple(sorted(np.roots([1 + weight, -2 * rate - weight, rate**2])))


def interval(losses, statistic, recorded):
    """The middle 95 % of a statistic of mean losses (day, loss), by blocks of days (Politis and Romano 1992).

    A block is as long as the loss that asks for the longest one (Politis and White 2004), and no shorter than the
    third root of the days. Losses that are not recorded day by day may have asked for a longer one, by a few days: so
    the length is the first from there on that gives the ``recorded`` ends, but for the rounding of recorded prices.
    """
    days = len(losses)
    asked = optimal_block_length(losses)["circular"].to_numpy()
    least = math.ceil(max(days ** (1 / 3), *asked[np.isfinite(asked)]))
    for block in range(least, least + 5):
        ends = np.quantile(statistic(_resampled(losses, block).T), [0.025, 0.975])
        if np.allclose(ends, recorded, rtol=1e-4, atol=2e-6):
            return tuple(map(float, ends))
    raise AssertionError(f"Blocks of {least} days and a few more give other ends than {recorded}, the last {ends}.")


def _resampled(losses, block):
    """The mean losses of every replication: whole blocks of days that are drawn, the first day after the last."""
    days = len(losses)
    drawing = np.random.default_rng(np.random.default_rng(0).integers(2**63))
    starts = drawing.integers(days, size=(REPLICATIONS, math.ceil(days / block)))
    drawn = (starts[:, :, None] + np.arange(block)).reshape(REPLICATIONS, -1)[:, :days] % days
    return losses[drawn].mean(axis=1)
