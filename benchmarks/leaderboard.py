"""How long least squares and the untrained rows of a leaderboard take.

Run by hand, on one core: OMP_NUM_THREADS=1 python benchmarks/leaderboard.py

Least squares is fitted to numbers of ETTh1's size (8,640 training rows, 7 channels, look-back 336). The untrained rows
are those of the laboratory's default series, fits, forecasts, scores and intervals together.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from goldviz.labs.leaderboard.problem import problem_of
from goldviz.labs.leaderboard.settings import Leaderboard
from goldviz.labs.leaderboard.table import table_of
from goldviz.labs.leaderboard.train import fitted
from goldviz.models.series.forecasters.at_once import linear_map
from goldviz.models.series.sliding_windows import SlidingWindows

ROWS, CHANNELS, LOOK_BACK = 8640, 7, 336
ROUNDS = 3


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """The fewest seconds of the clock and of the processor."""
    rounds = []
    for _ in range(ROUNDS):
        clock, processor = time.perf_counter(), time.process_time()
        work()
        rounds.append((time.perf_counter() - clock, time.process_time() - processor))
    clocks, processors = zip(*rounds, strict=True)
    return min(clocks), min(processors)


def untrained() -> None:
    """The rows of the default table that need no training."""
    settings = Leaderboard()
    problem = problem_of(settings)
    table_of(settings, problem, fitted(settings, problem)[0])


def main() -> None:
    """Print a table."""
    values = np.random.default_rng(0).standard_normal((ROWS, CHANNELS)).cumsum(axis=0)
    print("work | s | s of the processor")
    for horizon in (96, 192, 336, 720):
        windows = SlidingWindows(values, LOOK_BACK, horizon)
        rows = range(LOOK_BACK, ROWS - horizon + 1)
        clock, processor = timed(lambda windows=windows, rows=rows: linear_map(windows, rows, 1))
        print(f"least squares, horizon {horizon} | {clock:.2f} | {processor:.2f}")
    clock, processor = timed(untrained)
    print(f"untrained rows of the default table | {clock:.2f} | {processor:.2f}")


if __name__ == "__main__":
    main()
