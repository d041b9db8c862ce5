"""What files that visitors bring leave in the server's memory: thirty tables of 12 MB, each by a visitor of its own.

Each visitor opens *Gold market*, brings a file, waits until it was read, and goes. The server's resident memory is read
before the first of them, after the last, and once their sessions are over. With ``--no-file`` the same visitors bring
nothing, which tells what the visits alone leave.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from serving.chromium import chromium, fresh_page
from serving.server import APP, Server, running

MEGABYTES = 12
COLUMNS, ROWS = 100, 12_500
SESSION_SECONDS = 150
"""By then a visitor's session is shut down, and its memory collected."""


def table(path: Path, seed: int) -> None:
    """A table of about 12 MB in which no two visitors have the same numbers."""
    days = pd.date_range("1980-01-01", periods=ROWS).strftime("%Y-%m-%d")
    prices = 1900 + np.cumsum(np.random.default_rng(seed).standard_normal((ROWS, COLUMNS)), axis=0)
    header = f"Date,{','.join(f'Close {place}' for place in range(COLUMNS))}"
    rows = [f"{day},{','.join(f'{price:.4f}' for price in row)}" for day, row in zip(days, prices, strict=True)]
    path.write_text("\n".join([header, *rows, ""]), encoding="utf-8")


def main() -> None:
    """Bring so many files and print what is left of them."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--files", type=int, default=30)
    asked.add_argument("--no-file", action="store_true")
    given = asked.parse_args()
    count, without = given.files, given.no_file
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["GOLDVIZ_DATA"] = str(folder / "data")
        with running(APP, folder) as server, chromium() as browser:
            _visit(browser, server, None if without else folder / "first.csv", seed=0)
            before = server.megabytes()
            print(f"{'visits':>8} {'server MB':>10} {'more':>8}")
            print(f"{0:>8} {before:>10.0f}", flush=True)
            for number in range(1, count + 1):
                _visit(browser, server, None if without else folder / f"{number}.csv", seed=number)
                if number % 10 == 0 or number == count:
                    held = server.megabytes()
                    print(f"{number:>8} {held:>10.0f} {held - before:>8.0f}", flush=True)
            time.sleep(SESSION_SECONDS)
            held = server.megabytes()
            print(f"{'gone':>8} {held:>10.0f} {held - before:>8.0f}")


def _visit(browser: object, server: Server, path: Path | None, seed: int) -> None:
    with fresh_page(browser) as page:
        page.goto(f"{server.address}/gold-market")
        page.get_by_role("button", name="Change data").click()
        page.get_by_role("tab", name="A file").click()
        if path is None:
            page.locator("input[type=file]").wait_for(state="attached")
            return
        table(path, seed)
        page.locator("input[type=file]").set_input_files(str(path))
        page.get_by_role("button", name="Use these data").wait_for(timeout=120_000)
    path.unlink()


if __name__ == "__main__":
    main()
