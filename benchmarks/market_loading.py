"""How long it takes to keep, load and align 25 years of 8 daily channels, and to divide them for walk-forward.

Run by hand, on one core: OMP_NUM_THREADS=1 python benchmarks/market_loading.py

Times are the best of several repetitions. Loading reads the Parquet file and checks its digest; the goal for loading
and aligning together is 100 ms.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd

from goldviz.data.markets.alignment import aligned, next_values
from goldviz.data.markets.kept_markets import keep, kept, load_market
from goldviz.data.markets.market import Channel, Market
from goldviz.data.markets.symbols import SYMBOLS
from goldviz.data.markets.walk_forward import Fold, folds

REPETITIONS = 15
YEARS = 25
CHANNELS = 8
LISTED = 100
NOW = pd.Timestamp("2025-01-01", tz="UTC")


def drawn_market(seed: int) -> Market:
    """Random walks on weekdays, a fiftieth of which each channel lacks."""
    generator = np.random.default_rng(seed)
    days = pd.bdate_range(end="2024-12-31", periods=261 * YEARS)
    channels = []
    for name, known in list(SYMBOLS.items())[:CHANNELS]:
        walk = 100 * np.exp(0.01 * generator.standard_normal(len(days)).cumsum())
        series = pd.Series(walk, days)[generator.random(len(days)) > 0.02]
        channels.append(Channel(name, known.words, series, known.transformation, known.release, known.unit))
    return Market(tuple(channels), "file", "random walks", NOW)


def load_and_align(name: str) -> None:
    aligned(load_market(name))


def divide(market: Market) -> list[Fold]:
    panel = aligned(market)
    answers = next_values(panel, "return")
    return folds(
        panel.dates,
        answers.known,
        answers.rows,
        scheme="expanding",
        train_years=8,
        test_years=12,
        refits=12,
        embargo=5,
        validation_share=0.15,
    )


def milliseconds(function: Callable[[], object]) -> float:
    times = []
    for _ in range(REPETITIONS):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return 1000 * min(times)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["GOLDVIZ_DATA"] = folder
        market = drawn_market(0)
        name = keep(market)
        size = sum(entry.stat().st_size for entry in os.scandir(folder))
        rows = len(aligned(market).dates)
        print(f"{YEARS} years, {CHANNELS} channels, {rows} rows, {size / 1000:.0f} kB as a file")
        measured: dict[str, Callable[[], object]] = {
            "keep": partial(keep, market),
            "load": partial(load_market, name),
            "align": partial(aligned, market),
            "align by date": partial(aligned, market, by="date"),
            "load and align": partial(load_and_align, name),
            "align and divide into 13 folds": partial(divide, market),
        }
        for words, function in measured.items():
            print(f"{words:<34}{milliseconds(function):8.1f} ms")
        for seed in range(1, LISTED):
            keep(drawn_market(seed))
        print(f"{f'list {LISTED} kept markets':<34}{milliseconds(kept):8.1f} ms")


if __name__ == "__main__":
    main()
