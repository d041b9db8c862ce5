"""What a look at a network shows: right answers by distance, and what the loss tells each input."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from goldviz.labs.attention_against_recurrence.marked_symbols import OF_EACH, Sequences

Measured = dict[str, Tensor]


def look(network: nn.Module, test: Sequences) -> Measured:
    """Answers to unseen sequences, which come group by group, and gradients at their inputs."""
    inputs = test.inputs.clone().requires_grad_()
    scores = network(inputs)
    losses = cross_entropy(scores, test.targets, reduction="none")
    # A sequence's own loss alone reaches its inputs, so the gradient of the sum is that of each.
    (gradient,) = torch.autograd.grad(losses.sum(), inputs)
    right = (scores.detach().argmax(1) == test.targets).float()
    return {
        "test_loss": losses.detach().mean(),
        "accuracy": right.mean(),
        "accuracy_by_distance": right.unflatten(0, (-1, OF_EACH)).mean(1),
        "input_gradient": by_distance(gradient),
    }


def by_distance(gradient: Float[Tensor, "time batch features"]) -> Float[Tensor, " lag"]:
    """The gradient's norm at each input before the question, the nearest first, as a multiple of the nearest's.

    Means over sequences; NaN where the nearest input is told nothing.

    >>> by_distance(torch.tensor([[[3.0, 4.0]], [[0.0, 10.0]], [[1.0, 0.0]]]))
    tensor([1.0000, 0.5000])
    """
    norms = torch.linalg.vector_norm(gradient.double(), dim=2).mean(1)[:-1].flip(0)
    multiples: Tensor = (norms / norms[0]).float()
    return multiples
