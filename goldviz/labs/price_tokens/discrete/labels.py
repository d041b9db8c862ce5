"""Labels of two fits: which of the new ones means which of the old ones."""

from __future__ import annotations

import numpy as np
from jaxtyping import Int
from scipy.optimize import linear_sum_assignment


def shared_days(old: Int[np.ndarray, " day"], new: Int[np.ndarray, " day"], count: int) -> Int[np.ndarray, "old new"]:
    """On how many days each old token meets each new one."""
    days = np.zeros((count, count), np.int64)
    np.add.at(days, (old, new), 1)
    return days


def matched(old: Int[np.ndarray, " day"], new: Int[np.ndarray, " day"], count: int) -> list[int]:
    """For each old token the new one that stands for it, so that as many days as possible agree (Kuhn 1955).

    >>> matched(np.array([0, 0, 1, 2]), np.array([2, 2, 0, 1]), 3)
    [2, 0, 1]
    """
    _, partners = linear_sum_assignment(-shared_days(old, new, count))
    return [int(one) for one in partners]


def agreement(old: Int[np.ndarray, " day"], new: Int[np.ndarray, " day"]) -> float:
    """The share of days with the same label."""
    return float(np.mean(old == new))
