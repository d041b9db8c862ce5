"""How much larger the learning rate could be: along the update just taken, from where on the batch's loss rises.

Critical sharpness (arXiv 2601.16979): with w the weights before a step and d the step, the critical factor a is the
smallest with L(w + a d) > L(w). Of gradient descent on a quadratic it is 2 / (rate * sharpness along the gradient);
at a = 1 training is at the edge of stability. No gradient is taken, and at most nine forward passes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from goldviz.diagnostics.headroom import LARGEST, SMALLEST
from goldviz.diagnostics.random_streams import as_it_was

MOST_PASSES = 9


@torch.no_grad()
def critical_factor(
    loss: Callable[[], Any], model: nn.Module, parameters: Sequence[Tensor], before: Sequence[Tensor]
) -> float:
    """The critical factor of the step from ``before`` to the weights as they are; 16 for one that is larger.

    NaN where the loss does not fall even for an eighth of the step. Weights, buffers and random streams are afterwards
    what they were, bit for bit.
    """
    after = [one.detach().clone() for one in parameters]
    passes = 0

    def at(factor: float) -> float:
        nonlocal passes
        passes += 1
        for weight, start, end in zip(parameters, before, after, strict=True):
            weight.copy_(torch.lerp(start, end, factor))
        with as_it_was(model):
            loss_there = float(loss())
        return loss_there if math.isfinite(loss_there) else math.inf

    try:
        start = at(0.0)
        # (L(a) - L(0)) / a is a straight line on a quadratic, so that a secant meets its root at once.
        slope = lambda factor: (at(factor) - start) / factor  # noqa: E731
        low, high = 1.0, 1.0
        of_low = of_high = slope(1.0)
        while of_high <= 0:
            low, of_low = high, of_high
            if high == LARGEST:
                return LARGEST
            high *= 2
            of_high = slope(high)
        while of_low > 0:
            high, of_high = low, of_low
            if low == SMALLEST:
                return math.nan
            low /= 2
            of_low = slope(low)
        while passes < MOST_PASSES:
            middle = low - of_low * (high - low) / (of_high - of_low) if math.isfinite(of_high) else (low + high) / 2
            of_middle = slope(middle)
            if abs(of_middle) <= 1e-6 * abs(of_high - of_low):
                return middle
            if of_middle <= 0:
                low, of_low = middle, of_middle
            else:
                high, of_high = middle, of_middle
        return low if not math.isfinite(of_high) else low - of_low * (high - low) / (of_high - of_low)
    finally:
        for weight, end in zip(parameters, after, strict=True):
            weight.copy_(end)
