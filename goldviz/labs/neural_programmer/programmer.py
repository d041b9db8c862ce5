"""A controller that weighs operations and columns step after step (document 004, 3.4; Neelakantan et al. 2016).

The question's words, one vector each, side by side, make z = tanh(W x + b). A GRU reads the weights of the step before:
h_t = GRU([o_(t-1), c_(t-1)], h_(t-1)). Softmax of linear maps of [z, h_t] gives the weights of operations and columns.
It is told of its answers alone: by a loss for numbers, and one for printed cells.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Generator, Tensor, nn
from torch.nn.functional import binary_cross_entropy, huber_loss

from goldviz.labs.neural_programmer.execution import Answer
from goldviz.labs.neural_programmer.language import OPERATIONS

EMBEDDED = 16
"""Numbers that stand for a word in its place."""


class Program(NamedTuple):
    """The weights of operations and of columns at every step."""

    operations: Float[Tensor, "question iteration operation"]
    columns: Float[Tensor, "question iteration column"]


class Programmer(nn.Module):
    """Writes a program of weights for each question.

    ``words`` says how many words may stand in each place of a question.
    """

    def __init__(self, words: tuple[int, ...], columns: int, hidden: int, iterations: int) -> None:
        super().__init__()
        self.hidden, self.columns, self.iterations = hidden, columns, iterations
        self.words = nn.Embedding(sum(words), EMBEDDED)
        self.reader = nn.Linear(EMBEDDED * len(words), hidden)
        self.cell = nn.GRUCell(len(OPERATIONS) + columns, hidden)
        # One map for both: two small products cost a step more than one.
        self.choice = nn.Linear(2 * hidden, len(OPERATIONS) + columns)
        self.register_buffer("offsets", torch.tensor([sum(words[:place]) for place in range(len(words))]))

    def forward(self, words: Int[Tensor, "question place"]) -> Program:
        """The program of each question."""
        meaning = torch.tanh(self.reader(self.words(words + self.get_buffer("offsets")).flatten(1)))
        state = meaning.new_zeros(len(words), self.hidden)
        operations: list[Tensor] = []
        columns: list[Tensor] = []
        for place in range(self.iterations):
            if place:
                state = self.cell(torch.cat([operations[-1], columns[-1]], 1), state)
            scores = self.choice(torch.cat([meaning, state], 1))
            operations.append(scores[:, : len(OPERATIONS)].softmax(-1))
            columns.append(scores[:, len(OPERATIONS) :].softmax(-1))
        return Program(torch.stack(operations, 1), torch.stack(columns, 1))


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
