"""What half precision gains where *Character GPT* trains on a GPU: milliseconds a step, and the loss at the end.

The default network and a large one; precisions take turns. A machine without a GPU has nothing to measure here.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from typing import get_args

import torch

from goldviz.labs.char_gpt.settings import CharGpt
from goldviz.labs.char_gpt.train import train
from goldviz.runs.recorder import Recorder
from goldviz.runs.store.memory import Memory, NobodyAsks
from goldviz.training.devices import device_name

STEPS, WARM, REPEATS = 150, 50, 3
LARGE = {"layers": 12, "heads": 8, "width": 512, "block": 512, "batch": 32, "learning_rate": 5e-4}
SIZES = {"default": {}, "12 blocks of 512 units, 512 tokens": LARGE}
PRECISIONS = get_args(CharGpt.model_fields["precision"].annotation)


class Timed(Recorder[CharGpt]):
    """A recorder that notes the seconds of the steps that come after the first ones."""

    seconds = 0.0

    def steps(self, n: int, state: Callable[[], bytes] | None = None) -> Iterator[int]:
        started = 0.0
        for step in super().steps(n, None):
            if step == WARM + 1:
                torch.cuda.synchronize()
                started = time.perf_counter()
            yield step
        torch.cuda.synchronize()
        self.seconds = time.perf_counter() - started


def trained(settings: CharGpt) -> tuple[float, float]:
    """Milliseconds of a step, and the mean loss of the last ten."""
    sink = Memory()
    recorder = Timed(settings, sink, NobodyAsks())
    train(settings, recorder)
    loss = sink.records.stacked()["loss"][1][-10:].mean()
    return 1e3 * recorder.seconds / (STEPS - WARM), float(loss)


def main() -> None:
    """Measure all sizes."""
    print(device_name(torch.device("cuda")))
    for size, changes in SIZES.items():
        ways = {
            one: CharGpt(device="cuda", precision=one, steps=STEPS, look_every=0, close_looks=0, **changes)
            for one in PRECISIONS
        }
        turns = [{one: trained(settings) for one, settings in ways.items()} for _ in range(REPEATS)]
        for one in PRECISIONS:
            ratio = statistics.median(turn[one][0] / turn["float32"][0] for turn in turns)
            ms, loss = (statistics.median(turn[one][place] for turn in turns) for place in (0, 1))
            print(f"{size}, {one}: {ms:.2f} ms a step, {ratio:.2f} of float32, loss {loss:.3f}")


if __name__ == "__main__":
    if torch.cuda.is_available():
        main()
    else:
        print("This machine has no CUDA GPU: nothing was measured.")
