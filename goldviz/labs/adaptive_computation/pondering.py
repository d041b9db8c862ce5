"""Adaptive computation time in Graves' form: a cell thinks about one input until its halting neuron's budget is spent.

Graves 2016, section 2; document 004, 3.3.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import linear

from goldviz.models.recurrent.weights import RecurrentWeights


class Budget(NamedTuple):
    """What the budget makes of the halting neuron's outputs: p_n, N and R of each input."""

    weights: Float[Tensor, "step batch"]
    steps: Float[Tensor, " batch"]
    remainder: Float[Tensor, " batch"]

    def ponder_cost(self) -> Float[Tensor, " batch"]:
        """N + R. N is a count, so R alone has a gradient (Graves 2016, eq. 11-13)."""
        return self.steps + self.remainder


class Pondering(NamedTuple):
    """What was thought about a batch. ``halting`` is h_n, also after the last step of an input, where it counts
    nothing."""

    answer: Float[Tensor, "batch outputs"]
    halting: Float[Tensor, "step batch"]
    budget: Budget


class Ponderer(nn.Module):
    """A recurrent cell, a halting neuron that looks at its state, and what reads the answer off the mean state.

    ``cell`` has one input more than the problem: the flag, 1 at the first step and 0 later.
    """

    def __init__(self, cell: RecurrentWeights, outputs: int) -> None:
        super().__init__()
        self.cell = cell
        self.halting = nn.Linear(cell.hidden, 1)
        self.read_out = nn.Linear(cell.hidden, outputs)

    def forward(self, inputs: Float[Tensor, "time batch features"], epsilon: float, most: int) -> Pondering:
        """Think about each input of the batch for 1 to ``most`` steps.

        Step n reads ``inputs[n]``; what has one time step is read again at each. The answer is that of sum_n p_n s_n:
        weights sum to 1, so for a linear read-out it is sum_n p_n y_n (Graves 2016, eq. 8-9).
        """
        drives = linear(inputs, self.cell.W_x[:, :-1], self.cell.b)
        state = self.cell.start(inputs.new_zeros(1, inputs.shape[1], self.cell.inputs), None)
        halting_sum = inputs.new_zeros(inputs.shape[1])
        states, halting = [], []
        for step in range(most):
            drive = drives[min(step, len(drives) - 1)]
            state, _ = self.cell.step(drive + self.cell.W_x[:, -1] if step == 0 else drive, *state)
            h = torch.sigmoid(self.halting(state[0])).squeeze(1)
            states.append(state[0])
            halting.append(h)
            halting_sum = halting_sum + h.detach()
            if bool((halting_sum >= 1 - epsilon).all()):
                break
        h = torch.stack(halting)
        budget = spend(h, epsilon)
        mean = (budget.weights.unsqueeze(2) * torch.stack(states)).sum(0)
        return Pondering(self.read_out(mean), h, budget)


def spend(h: Float[Tensor, "step batch"], epsilon: float) -> Budget:
    """Give each step its weight: N is the first n at which h_1 + ... + h_n reaches 1 - ``epsilon``, or the last of all.

    Before N a step's weight is h_n; at N it is what is left, R = 1 - h_1 - ... - h_(N-1) (Graves 2016, eq. 5-7).

    >>> spend(torch.tensor([[0.25], [0.5], [0.5], [0.5]]), 0.01)[:3]
    (tensor([[0.2500],
            [0.5000],
            [0.2500],
            [0.0000]]), tensor([3.]), tensor([0.2500]))
    """
    total = h.cumsum(0)
    before = torch.cat([torch.zeros_like(h[:1]), total[:-1]])
    # Each step is tested with itself in the sum once; a sum that already held it would halt early.
    thinking = before < 1 - epsilon
    last = thinking & (total >= 1 - epsilon)
    last[-1] = thinking[-1]
    weights = torch.where(last, 1 - before, torch.where(thinking, h, torch.zeros_like(h)))
    return Budget(weights, thinking.sum(0).to(h.dtype), torch.where(last, weights, torch.zeros_like(h)).sum(0))
