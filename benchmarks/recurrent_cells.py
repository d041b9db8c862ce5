"""What a cell costs, as ``CellCost`` has it: microseconds of a time step of training and of a look, on one thread.

Training is forward, backward and nothing else, a look is what *Memory through time* measures, at several sizes;
the costs are the least squares with no negative one. Times are the processor's, the least of some repeats, so a busy
machine makes all of them larger: compare with the RNN's in the same run.

    python benchmarks/recurrent_cells.py min_gru rnn
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable

import numpy as np
import torch
from scipy.optimize import nnls

from goldviz.labs.recurrent_gradients.instruments import look
from goldviz.labs.recurrent_gradients.reader import at_start
from goldviz.labs.recurrent_gradients.settings import RecurrentGradients
from goldviz.labs.recurrent_gradients.tasks import evaluation
from goldviz.models.recurrent.cells import CELLS
from goldviz.training.seeds import TEST_DATA, stream

LENGTH, REPEATS = 20, 5
SIZES = ((16, 16), (16, 256), (64, 64), (128, 16), (128, 128))
"""Hidden units and sequences."""


def least(act: Callable[[], object]) -> float:
    """Processor seconds of the fastest of some calls."""
    act()
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        act()
        times.append(time.process_time() - start)
    return min(times)


def costs(cell: str) -> tuple[np.ndarray, np.ndarray]:
    """Of a step, of a hidden value, of a weight and sequence; and of a look, as such and of a weight."""
    rows, training, looks, looking = [], [], [], []
    for hidden, batch in SIZES:
        settings = RecurrentGradients(networks=cell, hidden=hidden, batch=batch, length=LENGTH)
        network = at_start(settings, cell, 0, 2, 1)
        inputs = torch.randn(LENGTH, batch, 2, generator=stream(0, TEST_DATA))

        def step(network=network, inputs=inputs) -> None:
            network.read(network(inputs).states[-1]).square().mean().backward()

        rows.append([1, batch * hidden, batch * hidden**2])
        training.append(least(step) / LENGTH * 1e6)
        if batch == SIZES[0][1]:
            unseen = evaluation(settings, stream(0, TEST_DATA))
            looks.append([1, hidden**2])
            looking.append(least(lambda network=network, unseen=unseen: look(network, unseen)) / LENGTH * 1e6)
    return nnls(np.array(rows, float), np.array(training))[0], nnls(np.array(looks, float), np.array(looking))[0]


def main(cells: Iterable[str]) -> None:
    torch.set_num_threads(1)
    for cell in cells:
        of_step, of_look = costs(cell)
        numbers = ", ".join(f"{number:.2g}" for number in (*of_step, *of_look))
        print(f"{cell}: measured {numbers}; the table has {', '.join(f'{part:.2g}' for part in CELLS[cell].cost)}")


if __name__ == "__main__":
    main(sys.argv[1:] or CELLS)
