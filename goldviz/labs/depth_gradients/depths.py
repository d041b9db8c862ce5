"""The depths that a run of *Gradient flow in depth* trains: settings and exported scripts both need them."""

from __future__ import annotations


def trained_depths(depth: int, shallower: int) -> list[int]:
    """The run's own depth and its halves, so many times, from the shallowest on.

    >>> trained_depths(20, shallower=6)
    [1, 2, 5, 10, 20]
    """
    return sorted({depth >> halvings for halvings in range(shallower + 1)} - {0})
