"""The headroom of a learning rate as a number and in words: how many times larger it could be.

Of gradient descent on a quadratic it is 2 / (rate * sharpness along the gradient), so that at 1 training is at the edge
of stability (critical sharpness, arXiv 2601.16979). It is measured by :mod:`goldviz.diagnostics.critical_rate`.
"""

from __future__ import annotations

import math

SMALLEST, LARGEST, EDGE = 1 / 8, 16.0, 1.25
"""Times larger that a rate is probed at least and at most; within the last factor of 1 it is at the edge."""


def of_headroom(factor: float) -> str:
    """The gauge in words.

    >>> of_headroom(3.04), of_headroom(1.1)
    ('Your rate could be 3 times larger before the loss of this batch rises.', 'Your rate is at the edge.')
    """
    if math.isnan(factor):
        return "No part of the last step lowers the loss of its batch."
    if factor >= LARGEST:
        return f"Your rate could be more than {LARGEST:.0f} times larger before the loss of this batch rises."
    if factor >= EDGE:
        return f"Your rate could be {factor:.2g} times larger before the loss of this batch rises."
    if factor >= 1 / EDGE:
        return "Your rate is at the edge."
    return f"Your rate is {1 / factor:.2g} times too large: the last step raised the loss of its batch."
