"""How long does a sweep take beside a loop of lone runs? 60 cells of *Gradient flow in depth*.

They are 4 depths, 5 gains and 3 seeds. Both begin with nothing kept, by the clock; the sweep's time has the start of
its workers in it. The loop measures what the sweep measures. Printed are both times, their ratio, and whether all
numbers are the same.

    python benchmarks/sweeps.py
"""

from __future__ import annotations

import os
import tempfile
import time

import numpy as np

DEPTHS, GAINS, SEEDS = (5, 10, 20, 40), np.geomspace(0.5, 2, 5), range(3)
MEASURE = "plain.worth"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["GOLDVIZ_DATA"] = folder
        import goldviz

        goldviz.run("depth-gradients", depth=2, epochs=1, progress=False)
        began = time.perf_counter()
        swept = goldviz.sweep("depth-gradients", depth=DEPTHS, gain=GAINS, seeds=SEEDS)
        sweep_seconds = time.perf_counter() - began
        began = time.perf_counter()
        alone = [
            goldviz.measures(goldviz.run("depth-gradients", depth=depth, gain=gain, seeds=[seed], progress=False))[
                MEASURE
            ].values[0]
            for depth in DEPTHS
            for gain in GAINS
            for seed in SEEDS
        ]
        loop_seconds = time.perf_counter() - began
    same = np.array_equal(np.array(alone), swept[MEASURE].values.ravel(), equal_nan=True)
    print(f"sweep {sweep_seconds:.1f} s, loop {loop_seconds:.1f} s, ratio {sweep_seconds / loop_seconds:.2f}")
    print(f"{'the same numbers' if same else 'OTHER NUMBERS'} in {len(alone)} cells, {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
