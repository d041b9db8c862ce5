"""Nonlinearities: what they are called, their derivatives and the gain that keeps a signal's size through them.

A new one is an entry of the table: settings, words and networks read it. Torch is loaded when one is made, because
settings read the table too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class Activation:
    """phi, its derivative phi', the largest value of phi', and He's gain: the spread of weights that suits phi.

    Both functions act on every entry of a tensor. ``formula`` and ``slope`` are the same two as text, which the browser
    computes and prints: an expression of ``z`` in Python's words, with ``exp``, ``log``, ``sqrt``, ``abs``, ``max``,
    ``min``, ``tanh``, ``sigmoid``, and the normal distribution's ``cdf`` and ``density``.
    """

    function: Callable[[Tensor], Tensor]
    derivative: Callable[[Tensor], Tensor]
    steepest: float
    gain: float
    formula: str
    slope: str


@dataclass(frozen=True)
class ActivationFamily:
    """What an activation is called, and how it is made of LeakyReLU's slope, which the others do without.

    One ``saturates`` whose slope goes to 0 at both ends.
    """

    words: str
    make: Callable[[float], Activation]
    saturates: bool = False

    def __call__(self, slope: float) -> Activation:
        """The activation with this slope."""
        return self.make(slope)


def _step(z: Tensor) -> Tensor:
    """1 where z > 0, else 0; comparing in place is several times faster than making booleans or torch.where."""
    return z.detach().clone().gt_(0)


def leaky_relu_gain(slope: float) -> float:
    """He's gain for LeakyReLU, sqrt(2 / (1 + slope^2)), which keeps a signal's size on its way on and its error's on
    the way back (He et al. 2015, section 2.2). A slope of 0 is ReLU.

    >>> [round(leaky_relu_gain(slope), 2) for slope in (0, 0.3, 0.9, 1)]
    [1.41, 1.35, 1.05, 1.0]
    """
    return math.sqrt(2 / (1 + slope**2))


def _leaky_relu(slope: float) -> Activation:
    from torch.nn.functional import leaky_relu

    return Activation(
        lambda z: leaky_relu(z, slope),
        lambda z: _step(z).mul_(1 - slope).add_(slope),
        1.0,
        leaky_relu_gain(slope),
        f"z if z > 0 else {slope} * z",
        f"1 if z > 0 else {slope}",
    )


def _gelu(_slope: float) -> Activation:
    from torch.nn.functional import gelu

    return Activation(gelu, _gelu_derivative, 1.129, math.sqrt(2), "z * cdf(z)", "cdf(z) + z * density(z)")


def _gelu_derivative(z: Tensor) -> Tensor:
    density = (-z.square() / 2).exp() / math.sqrt(2 * math.pi)
    return (1 + (z / math.sqrt(2)).erf()) / 2 + z * density


IDENTITY = Activation(lambda z: z, lambda z: z.new_ones(z.shape), 1.0, 1.0, "z", "1")
RELU = Activation(lambda z: z.relu(), _step, 1.0, math.sqrt(2), "max(0, z)", "1 if z > 0 else 0")
TANH = Activation(lambda z: z.tanh(), lambda z: 1 - z.tanh().square(), 1.0, 5 / 3, "tanh(z)", "1 - tanh(z) ** 2")
SIGMOID = Activation(
    lambda z: z.sigmoid(), lambda z: z.sigmoid() * (-z).sigmoid(), 0.25, 1.0, "sigmoid(z)", "sigmoid(z) * sigmoid(-z)"
)

ACTIVATIONS = {
    "leaky_relu": ActivationFamily("LeakyReLU", _leaky_relu),
    "relu": ActivationFamily("ReLU", lambda _slope: RELU),
    "tanh": ActivationFamily("tanh", lambda _slope: TANH, saturates=True),
    "sigmoid": ActivationFamily("Sigmoid", lambda _slope: SIGMOID, saturates=True),
    "gelu": ActivationFamily("GELU", _gelu),
}
