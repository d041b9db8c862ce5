"""What a programmer is told of its answers: a loss for numbers, one for printed cells, and noise on the gradient."""

from __future__ import annotations

import math
from collections.abc import Iterable

import torch
from jaxtyping import Bool, Float
from torch import Generator, Tensor, nn
from torch.nn.functional import binary_cross_entropy, huber_loss

from goldviz.labs.neural_programmer.execution import Answer

PRINT_WORD = 2
"""The first word of a question that prints."""
DECAY = 0.55
"""How fast the noise fades (Neelakantan et al. 2015)."""
SURE = 1e-6
"""Chances nearer to 0 or 1 count as this near: their logarithm stays finite."""
CLOSE = 1e-3
"""How near an answer has to be to count as right."""


def answer_loss(answer: Answer, right: Answer, prints: Bool[Tensor, " question"]) -> Float[Tensor, ""]:
    """The mean over questions: Huber's loss of a number, or the cross-entropy of printed cells, their mean.

    Neelakantan et al. 2016, eq. 13-15, with a threshold of 1.
    """
    of_number = huber_loss(answer.number, right.number, reduction="none")
    of_cells = binary_cross_entropy(answer.cells.clamp(SURE, 1 - SURE), right.cells, reduction="none").mean((1, 2))
    return torch.where(prints, of_cells, of_number).mean()


def distance(one: Answer, other: Answer, prints: Bool[Tensor, " question"]) -> Float[Tensor, " question"]:
    """How far apart two answers are: their numbers, or the cells that differ most."""
    of_cells = (one.cells - other.cells).abs().flatten(1).amax(1)
    return torch.where(prints, of_cells, (one.number - other.number).abs())


@torch.no_grad()
def add_noise(network: nn.Module, amount: float, step: int, generator: Generator) -> None:
    """Add a normal number to every entry of the gradient, of the variance amount / (1 + step)^0.55.

    Neelakantan et al. 2015, eq. 1; they take amounts of 0.01, 0.3 and 1.0.
    """
    spread = math.sqrt(amount / (1 + step) ** DECAY)
    for gradient in gradients(network.parameters()):
        gradient.add_(torch.randn(gradient.shape, generator=generator, device=gradient.device), alpha=spread)


def gradients(parameters: Iterable[nn.Parameter]) -> list[Tensor]:
    """The gradients that there are."""
    return [parameter.grad for parameter in parameters if parameter.grad is not None]
