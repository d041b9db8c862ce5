"""How long a walk-forward takes, and what a second process is worth.

A GRU with 32 hidden units reads windows of 20 rows of the simulated market: 12 years of daily rows to learn from at the
last refit, 10 refits, 20 epochs each. Once in this process alone and once shared by two. The goal is less than 90 s in
two processes on two cores. Wall-clock times: run it on a machine that does nothing else.
"""

from __future__ import annotations

import time

import numpy as np
import xarray as xr

from goldviz.labs.gold_forecast.problem import forecast_problem
from goldviz.labs.gold_forecast.settings import GoldForecast
from goldviz.labs.gold_forecast.train import train
from goldviz.runs.recorder import Recorder
from goldviz.runs.store.memory import Memory, NobodyAsks

SETTINGS = GoldForecast(scheme="rolling", train_years=12, test_years=6, refits=10, epochs=20, window=20, hidden=32)
GOAL_SECONDS = 90


def timed(processes: int) -> tuple[float, np.ndarray]:
    memory = Memory()
    record = Recorder(SETTINGS, memory, NobodyAsks(), processes=processes)
    started = time.perf_counter()
    train(SETTINGS, record)
    return time.perf_counter() - started, np.stack(memory.records.values["loss"])


def main() -> None:
    problem = forecast_problem(SETTINGS)
    sizes = [len(fold.train) for fold in problem.folds]
    print(f"{len(sizes)} refits on {min(sizes)} to {max(sizes)} windows, {len(problem.tested)} forecasts")
    timed(1)  # imports and caches
    (alone, loss), (shared, same) = timed(1), timed(2)
    xr.testing.assert_equal(xr.DataArray(loss), xr.DataArray(same))
    print(f"one process   {alone:6.1f} s")
    print(f"two processes {shared:6.1f} s (goal: {GOAL_SECONDS} s), {alone / shared:.2f} times as fast")
    print(f"estimated     {SETTINGS.estimated_seconds():6.1f} s on one thread")


if __name__ == "__main__":
    main()
