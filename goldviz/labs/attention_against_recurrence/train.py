"""What a run of *Attention against recurrence* does: document 001, section 4.1.

The networks of a seed share their read-out and see the same sequences in the same order. A look shows right answers by
distance, and what the loss tells each input.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from goldviz.labs.attention_against_recurrence.encoder import Encoder, initialise_encoder
from goldviz.labs.attention_against_recurrence.marked_symbols import (
    OF_EACH,
    Sequences,
    anywhere,
    groups,
    unseen_sequences,
)
from goldviz.labs.attention_against_recurrence.networks import (
    ENCODER,
    FEATURES,
    LENGTHS,
    SYMBOLS,
    cost,
)
from goldviz.labs.attention_against_recurrence.settings import trained_networks
from goldviz.models.recurrent.cells import recurrent_layer, usual_layer
from goldviz.models.recurrent.initialisation import RecurrentInitialisation, initialise
from goldviz.models.recurrent.weights import RecurrentWeights
from goldviz.training.course import Course, learner
from goldviz.training.devices import on_cpu
from goldviz.training.grid import table
from goldviz.training.seeds import DATA, READ_OUT_WEIGHTS, TEST_DATA, WEIGHTS, stream

if TYPE_CHECKING:
    from goldviz.labs.attention_against_recurrence.settings import AttentionAgainstRecurrence
    from goldviz.runs.recorder import Recorder


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


class SymbolReader(nn.Module):
    """A cell or an encoder that reads a sequence, and what reads the symbol asked for off its end."""

    def __init__(self, body: RecurrentWeights | Encoder, width: int) -> None:
        super().__init__()
        self.body = body
        self.read_out = nn.Linear(width, SYMBOLS)

    def forward(self, inputs: Float[Tensor, "time batch features"]) -> Float[Tensor, "batch symbols"]:
        """A score for each symbol."""
        end = self.body(inputs) if isinstance(self.body, Encoder) else self.body(inputs).states[-1]
        scores: Tensor = self.read_out(end)
        return scores


def reader(settings: AttentionAgainstRecurrence, name: str, seed: int) -> SymbolReader:
    """A network at its start."""

    def weights(index: int) -> torch.Generator:
        return stream(seed, WEIGHTS + index)

    body: RecurrentWeights | Encoder
    if name == ENCODER:
        with_positions = settings.positions == "sinusoidal"
        body = Encoder(FEATURES, settings.width, settings.layers, settings.heads, positions=with_positions)
        initialise_encoder(body, weights)
    else:
        body = recurrent_layer(usual_layer(name), FEATURES, settings.width)
        initialise(body, weights, RecurrentInitialisation(biases={"forget": settings.forget_bias}))
    network = SymbolReader(body, settings.width)
    spread = 1 / math.sqrt(settings.width)
    nn.init.normal_(network.read_out.weight, 0, spread, generator=stream(seed, READ_OUT_WEIGHTS))
    nn.init.zeros_(network.read_out.bias)
    return network


def train(settings: AttentionAgainstRecurrence, record: Recorder[AttentionAgainstRecurrence]) -> None:
    """Train the chosen networks for every seed, and record every variable that the experiment declares."""
    tests = [unseen_sequences(settings.distance, stream(seed, TEST_DATA)) for seed in settings.seeds]
    networks = trained_networks(settings.networks)
    costs = [[cost(name, length, settings.width, settings.layers) for length in LENGTHS] for name in networks]
    Course(
        networks=networks,
        begin=lambda name, seed, device: learner(reader(settings, name, seed).to(device), settings),
        batch=lambda now, order: anywhere(now.distance, now.batch, order),
        loss=lambda one, batch, now: (cross_entropy(one.network(batch.inputs), batch.targets), {}),
        streams={"sequences": [stream(seed, DATA) for seed in settings.seeds]},
        look=lambda grid: [table(grid.each(lambda one, own: look(on_cpu(one.network), own), tests))],
        once={
            "uniform_loss": math.log(SYMBOLS),
            "multiplications": [[float(one.multiplications) for one in row] for row in costs],
            "steps_in_a_row": [[float(one.steps) for one in row] for row in costs],
        },
        coordinates={
            "distance": groups(settings.distance),
            "lag": list(range(1, settings.distance + 1)),
            "series_length": list(LENGTHS),
        },
    ).run(settings, record)
