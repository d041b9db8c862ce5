"""How long large files take to be understood, and what memory: ``python -m benchmarks.file_reading``.

A workbook of 2 MB has a header, 11,800 days and 25 columns; a CSV file of 50 MB has bars of 950,000 minutes. To compare
with another version, run it in that version's checkout: what it needs of the package is as old as the package.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
import pandas as pd

from goldviz.data.markets.files import LARGEST_FILE, look_into
from goldviz.data.tables import read_apart

DAYS, COLUMNS, MINUTES = 11_800, 25, 950_000


def workbook() -> bytes:
    """A workbook of about 2 MB."""
    drawn = np.random.default_rng(0)
    prices = 100 * np.exp(np.cumsum(drawn.normal(0, 0.01, (DAYS, COLUMNS)), axis=0)).round(5)
    frame = pd.DataFrame(prices, columns=[f"C{place}" for place in range(COLUMNS)])
    frame.insert(0, "Date", pd.bdate_range("2000-01-03", periods=DAYS))
    sink = io.BytesIO()
    frame.to_excel(sink, index=False)
    return sink.getvalue()


def delimited() -> bytes:
    """A CSV file of just under 50 MB."""
    drawn = np.random.default_rng(0)
    close = 1900 + np.cumsum(drawn.normal(0, 0.1, MINUTES))
    start = np.r_[1900, close[:-1]]
    columns = {
        "Date": pd.date_range("2020-01-01", periods=MINUTES, freq="min").strftime("%Y-%m-%d %H:%M:%S"),
        "Open": start.round(2),
        "High": (np.maximum(start, close) + 0.1).round(2),
        "Low": (np.minimum(start, close) - 0.1).round(2),
        "Close": close.round(2),
    }
    return pd.DataFrame(columns).to_csv(index=False).encode()[: LARGEST_FILE - 1].rsplit(b"\n", 1)[0]


FILES: dict[str, Callable[[], bytes]] = {"workbook": workbook, "delimited": delimited}


def main(name: str) -> None:
    """Read one file; print its size, seconds and memory: this process's growth, and what one that reads for it took.

    The seconds of a core are those of both.
    """
    content = FILES[name]()
    taken: list[int] = []
    look = read_apart._taken

    def looked_at(process: int) -> tuple[int, float]:
        memory, seconds = look(process)
        taken.append(memory)
        return memory, seconds

    read_apart._taken = looked_at
    look_into(b"Date,Close\n" + b"".join(b"2024-01-%02d,%d\n" % (day, day) for day in range(1, 32)), "warm.csv")
    before, began, worked = _largest(), time.perf_counter(), sum(os.times()[:4])
    seen = look_into(content, f"{name}.file")
    took, work = time.perf_counter() - began, sum(os.times()[:4]) - worked
    grown = max(0, _largest() - before)
    print(
        f"{name}: {len(content) / 1e6:.1f} MB, {seen.rows:,} rows, {took:.2f} s ({work:.2f} s of a core), "
        f"{grown / 1e6:.0f} MB more than before at most; {max(taken, default=0) / 1e6:.0f} MB in a process of its own"
    )


def _largest() -> int:
    """The most bytes that this process has had in memory."""
    with open("/proc/self/status", encoding="ascii") as file:
        [line] = [line for line in file if line.startswith("VmHWM")]
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(sys.argv[1])
    else:
        for name in FILES:
            # A process each: the most that one had in memory never shrinks.
            subprocess.run([sys.executable, "-m", "benchmarks.file_reading", name], check=True)
