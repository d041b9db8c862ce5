"""How long runs take beside what was said before the first of them: processor time, of each laboratory's defaults and
of three settings drawn at random, other ones than those that the costs were fitted to. Names on the command line choose
laboratories. A run has so few steps that it should take four seconds at most; what a first run loads is left out.
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

from goldviz.api import carried_out
from goldviz.declare.registry import experiments
from goldviz.declare.settings import Experiment, measured_costs
from goldviz.training.probe import probe

sys.path.append(str(Path(__file__).parents[1] / "docs"))
from make_costs import LOOKS, drawn, short

MOST_SECONDS = 4.0


def shortened(settings: Experiment) -> Experiment:
    """The same with one seed and fewer steps, where it would take too long."""
    one = settings.changed(seeds=(0,))
    share = min(1.0, MOST_SECONDS / one.estimated_seconds())
    fewer = {name: max(1, int(count * share)) for name, count in one.counts().items() if name not in LOOKS and count}
    return one.changed(**fewer)


def ratio(settings: Experiment) -> tuple[float, float]:
    """Estimated over taken, and what was taken."""
    costs = measured_costs(type(settings))
    assert costs is not None
    slower = probe() / costs.probe
    began = time.process_time()
    carried_out(settings, progress=False, keep=False)
    took = time.process_time() - began
    return slower * settings.estimated_seconds() / took, took


def main(names: list[str]) -> None:
    """Print a line for each laboratory, and how many estimates are within a factor of two."""
    every = []
    for name, declared in experiments().items():
        if names and name not in names:
            continue
        draw = random.Random(f"{name}, others")
        carried_out(short(declared()), progress=False, keep=False)
        own = [ratio(shortened(one)) for one in (declared(), *(drawn(draw, declared) for _ in range(3)))]
        every += own
        print(f"{name:<30}", *(f"{found:5.2f} of {took:4.1f} s" for found, took in own), flush=True)
    near = sum(0.5 <= found <= 2 for found, _ in every)
    print(f"{near} of {len(every)} within a factor of two, {near / len(every):.0%}")


if __name__ == "__main__":
    main(sys.argv[1:])
