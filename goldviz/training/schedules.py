"""How the learning rate goes with the steps of a run."""

from __future__ import annotations

import math

LOWEST_RATE = 0.01
"""Share of its peak to which the learning rate falls: document 002's eta_min."""


def warm_up_share(step: int, steps: int, warm_up: float) -> float:
    """The learning rate of step 1 to ``steps`` as a share of its peak (document 002, "Warmup + cosine decay").

    It rises evenly over the share ``warm_up`` of the steps, and falls along half a cosine to ``LOWEST_RATE``.

    >>> [round(warm_up_share(step, 10, 0.2), 2) for step in (1, 2, 6, 10)]
    [0.5, 1.0, 0.51, 0.01]
    """
    rising = warm_up * steps
    if step <= rising:
        return step / rising
    falling = (1 + math.cos(math.pi * (step - rising) / (steps - rising))) / 2
    return LOWEST_RATE + (1 - LOWEST_RATE) * falling
