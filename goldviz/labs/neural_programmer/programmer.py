"""A controller that weighs operations and columns step after step (document 004, 3.4; Neelakantan et al. 2016).

The question's words, one vector each, side by side, make z = tanh(W x + b). A GRU reads the weights of the step before:
h_t = GRU([o_(t-1), c_(t-1)], h_(t-1)). Softmax of linear maps of [z, h_t] gives the weights of operations and columns.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from goldviz.labs.neural_programmer.operations import OPERATIONS

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
