"""Which checkpoints of a run stay: few and evenly spread, so that a run's room has a bound."""

from __future__ import annotations

import os
from collections.abc import Mapping

OLD_SHARE = 10
"""Where all runs together keep too much, the oldest keep a tenth of the room of a run before they keep nothing."""


class CheckpointsError(ValueError):
    """The room for checkpoints is not a number; the message is a sentence for a person."""


def room(name: str, default: int) -> int:
    """Room for checkpoints in bytes, as the variable ``name`` of the environment has it in megabytes."""
    text = os.environ.get(name, str(default)).strip()
    if not text.isdigit():
        raise CheckpointsError(f"{name} is {text!r}; allowed is a whole number of megabytes.")
    return int(text) * 10**6


def room_of_run() -> int:
    """``GOLDVIZ_KEPT_STATES_OF_RUN_MB`` in bytes: how much room the checkpoints of one run may take; default 20 MB."""
    return room("GOLDVIZ_KEPT_STATES_OF_RUN_MB", 20)


def surplus(sizes: Mapping[int, int], total: int, budget: int) -> list[int]:
    """Steps of a run of ``total`` steps whose checkpoints go, where all of them are larger than ``budget`` bytes.

    The latest stays always, for the run goes on from it. Of the others, each part of the run keeps its first one, and
    there are as many parts as checkpoints fit. ``sizes`` has the bytes of each step's.

    >>> surplus({step: 100 for step in range(21)}, 20, 400)
    [0, 1, 2, 3, 4, 6, 7, 8, 9, 11, 12, 13, 14, 16, 17, 18, 19]
    """
    if sum(sizes.values()) <= budget:
        return []
    fit = max(1, budget // max(sizes.values()))
    steps = sorted(sizes)
    ends = [total * part / fit for part in range(1, fit + 1)]
    stays = {steps[-1]} | {step for end in ends if (step := next((one for one in steps if one >= end), None))}
    return [step for step in steps if step not in stays]
