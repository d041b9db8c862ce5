"""How a layer's weights are drawn. A new way is an entry of the table: settings, words and networks read it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Generator, Tensor


@dataclass(frozen=True)
class Initialisation:
    """What it is called, and how it fills a weight matrix and its bias, which holds zeros.

    ``fill`` takes both, the gain that suits the nonlinearity (He et al. 2015) and a generator.
    """

    words: str
    fill: Callable[[Tensor, Tensor, float, Generator], object]

    def __call__(self, weight: Tensor, bias: Tensor, activation_gain: float, generator: Generator) -> None:
        """Fill both in place."""
        self.fill(weight, bias, activation_gain, generator)


def _default(weight: Tensor, bias: Tensor, activation_gain: float, generator: Generator) -> None:
    """nn.Linear's own distribution of both."""
    bound = 1 / math.sqrt(weight.shape[1])
    weight.uniform_(-bound, bound, generator=generator)
    bias.uniform_(-bound, bound, generator=generator)


def _kaiming(weight: Tensor, bias: Tensor, activation_gain: float, generator: Generator) -> None:
    weight.normal_(0, activation_gain / math.sqrt(weight.shape[1]), generator=generator)


def _xavier(weight: Tensor, bias: Tensor, activation_gain: float, generator: Generator) -> None:
    from torch.nn.init import xavier_uniform_

    xavier_uniform_(weight, generator=generator)


def _orthogonal(weight: Tensor, bias: Tensor, activation_gain: float, generator: Generator) -> None:
    from torch.nn.init import orthogonal_

    orthogonal_(weight, generator=generator)


INITIALISATIONS = {
    "default": Initialisation("PyTorch default", _default),
    "xavier": Initialisation("Xavier (Glorot)", _xavier),
    "kaiming": Initialisation("Kaiming (He)", _kaiming),
    "orthogonal": Initialisation("Orthogonal", _orthogonal),
    "zero": Initialisation("Zero", lambda weight, bias, activation_gain, generator: weight.zero_()),
}
