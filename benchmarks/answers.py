"""What an answer about a growing run costs the server's processor: reading the store, drawing new rows, packing them.

A recorded run is played into a database step by step, and after each step a page's figures ask for what is new, as a
browser's do. Nothing else happens in this process: no web server, no page's script, nobody who presses *Train*.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from serving.server import database
from serving.tape import Tape

from goldviz.labs.depth_gradients.page import PAGE
from goldviz.labs.depth_gradients.settings import DepthGradients
from goldviz.runs.store.run_store import Store
from goldviz.ui.serving import frames

FIGURES = sorted({PAGE.main, PAGE.beside, PAGE.below})
"""What *Gradient flow in depth* opens with."""


class Asker:
    """What a browser knows of one run, and the question that it puts."""

    def __init__(self, run_id: str) -> None:
        self.token = frames.boards.offer("visitor", frames.Offer("depth-gradients", (run_id,), "light"))
        self.has: dict[str, dict[str, Any]] = {run_id: {"wants": FIGURES}}

    def ask(self) -> int:
        """Ask once; returns the answer's bytes."""
        answer = frames.answer(self.token, json.dumps(self.has))
        if answer is None or answer.status != 200:
            raise RuntimeError(f"There should be something new, and the answer is {answer}.")
        length = int.from_bytes(answer.content[:4], "little")
        for lane in json.loads(answer.content[4 : 4 + length])["lanes"]:
            self.has[lane["id"]].update(edition=lane["version"], has=FIGURES, sense=lane["sense"])
        return len(answer.content)


def milliseconds(work: Callable[[], int]) -> tuple[float, int]:
    """Processor time of this process, and what the work returns."""
    began = time.process_time()
    size = work()
    return 1000 * (time.process_time() - began), size


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--epochs", type=int, default=80)
    tape = Tape.of(DepthGradients(epochs=parser.parse_args().epochs))
    with tempfile.TemporaryDirectory() as name:
        url = os.environ["GOLDVIZ_DATABASE_URL"] = database(Path(name))
        store = Store(url)
        run_id = store.create(tape.settings, name="grows")
        tape.begin(store, run_id)
        asker = Asker(run_id)
        first, whole = milliseconds(asker.ask)
        found = []
        for step in range(1, len(tape.steps)):
            tape.play(store, run_id, step, step + 1)
            found.append(milliseconds(asker.ask))
    times, sizes = zip(*found, strict=True)
    twentieths = statistics.quantiles(times, n=20)
    print(f"figures: {', '.join(FIGURES)}")
    print(f"the first answer, templates and all   {first:6.1f} ms   {whole / 1000:6.1f} kB")
    size = statistics.median(sizes) / 1000
    print(f"an answer with one new step, median   {statistics.median(times):6.1f} ms   {size:6.1f} kB")
    print(f"    one in twenty takes longer than   {twentieths[-1]:6.1f} ms")


if __name__ == "__main__":
    main()
