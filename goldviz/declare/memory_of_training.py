"""How much memory training takes, for what laboratories say of their runs."""

from __future__ import annotations

AT_LEAST = 100e6
A_WEIGHT = 28.0
"""Bytes of a weight in training, all in float32: itself, its gradient, two moments, and the three of them once more as
they are kept."""
A_VALUE = 5.0
"""Bytes of a value that is kept for the way back, with what is at hand of its gradient."""
UNLEARNED = 0.5
"""Share of a step's values that a pass without a way back has at once."""


def bytes_of_training(weights: float, learners: int, values: float) -> float:
    """About how much so many learners take that have so many ``weights`` each and learn in turn.

    ``values`` is how many numbers one of them keeps of its largest step, or of the largest look at it.
    """
    return AT_LEAST + A_WEIGHT * weights * learners + A_VALUE * values
