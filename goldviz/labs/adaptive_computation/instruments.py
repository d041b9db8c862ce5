"""What a look at a network shows: how long it thinks about unseen inputs, and what its halting neuron is told."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, pad

from goldviz.labs.adaptive_computation.pondering import Ponderer, Pondering
from goldviz.labs.adaptive_computation.tasks import Puzzles, difficulties, followed

if TYPE_CHECKING:
    from goldviz.labs.adaptive_computation.settings import AdaptiveComputation

LAYERS = ("cell", "halting neuron", "read-out")
Measured = dict[str, Tensor]


@dataclass(frozen=True)
class Answered:
    """What a network makes of inputs, with the graph that gradients need."""

    puzzles: Puzzles
    pondering: Pondering

    @classmethod
    def by(cls, network: Ponderer, puzzles: Puzzles, settings: AdaptiveComputation) -> Answered:
        """Let the network answer."""
        return cls(puzzles, network(puzzles.inputs, settings.epsilon, settings.most))

    def loss(self) -> Float[Tensor, ""]:
        """The answers' cross-entropy, mean over bits and inputs, in nats."""
        return binary_cross_entropy_with_logits(self.pondering.answer, self.puzzles.targets)

    def right(self) -> Float[Tensor, " batch"]:
        """1 where every bit is right."""
        return ((self.pondering.answer > 0) == (self.puzzles.targets > 0.5)).all(1).float()


def layers_of(network: Ponderer) -> dict[str, list[Tensor]]:
    """The weights by layer: the cell's matrices, the halting neuron's weights, the read-out's."""
    matrices: list[Tensor] = [*network.cell.matrices().values()]
    return dict(zip(LAYERS, (matrices, [network.halting.weight], [network.read_out.weight]), strict=True))


def look(network: Ponderer, test: Puzzles, settings: AdaptiveComputation, price: float) -> Measured:
    """Answers, steps of thought and pushes on unseen inputs, of one seed's network."""
    answers = Answered.by(network, test, settings)
    steps, right = answers.pondering.budget.steps.detach(), answers.right()
    levels = [test.difficulty == level for level in difficulties(settings)]
    counts = torch.bincount(steps.long(), minlength=settings.most + 1)[1:]
    return {
        "test_loss": answers.loss().detach(),
        "accuracy": right.mean(),
        "ponder": steps.mean(),
        "correlation": correlation(steps, test.difficulty.float()),
        "ponder_by_difficulty": torch.stack([steps[level].mean() for level in levels]),
        "accuracy_by_difficulty": torch.stack([right[level].mean() for level in levels]),
        "step_share": counts / len(steps),
        **pushes(answers, price, settings.most),
    }


def correlation(x: Float[Tensor, " case"], y: Float[Tensor, " case"]) -> Float[Tensor, ""]:
    """Pearson's correlation; NaN where one of the two does not vary.

    >>> correlation(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([2.0, 4.0, 6.0]))
    tensor(1.)
    """
    x, y = x.double() - x.double().mean(), y.double() - y.double().mean()
    size = (x.square().sum() * y.square().sum()).sqrt()
    return ((x * y).sum() / size if size > 0 else size.new_tensor(math.nan)).float()


def pushes(answers: Answered, price: float, most: int) -> Measured:
    """``answer_push`` and ``price_push`` by step: minus the gradient of either part of the mean loss at z_n, summed
    over the inputs, z_n being what the halting neuron's sigmoid is taken of. Above 0 it is pushed to halt sooner."""
    h = answers.pondering.halting
    parts = {
        "answer_push": answers.loss(),
        "price_push": price * answers.pondering.budget.ponder_cost().mean(),
    }
    slope = (h * (1 - h)).detach()
    measurements = {}
    for name, part in parts.items():
        (gradient,) = torch.autograd.grad(part, h, retain_graph=True, materialize_grads=True)
        measurements[name] = pad(-(gradient * slope).sum(1), (0, most - len(h)))
    return measurements


@torch.no_grad()
def thoughts(network: Ponderer, test: Puzzles, settings: AdaptiveComputation) -> Measured:
    """Of the inputs that are followed, (puzzle, ponder_step) each: weights, remainder and budget left before each
    step, NaN where there are none; and whether each answer is right."""
    indices = followed(test, settings)
    few = Puzzles(test.inputs[:, indices], test.targets[indices], test.difficulty[indices])
    answers = Answered.by(network, few, settings)
    budget = answers.pondering.budget
    weights = pad(budget.weights.T, (0, settings.most - len(budget.weights)))
    numbers = torch.arange(1, settings.most + 1, device=weights.device)
    before, at = (compare(numbers, budget.steps[:, None]) for compare in (torch.lt, torch.eq))
    nothing = torch.full_like(weights, math.nan)
    return {
        "weight": torch.where(before, weights, nothing),
        "remainder": torch.where(at, weights, nothing),
        "budget": torch.where(before | at, 1 - (weights.cumsum(1) - weights), nothing),
        "puzzle_right": answers.right(),
    }
