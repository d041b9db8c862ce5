"""A recurrent layer and what reads answers off its hidden states (document 001, eq. 5: y_t = W_hy h_t + b_y)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters
from torch.nn.utils.rnn import pad_sequence

from goldviz.models.recurrent.cells import recurrent_layer, usual_layer
from goldviz.models.recurrent.initialisation import RecurrentInitialisation, initialise
from goldviz.models.recurrent.weights import RecurrentTrace, RecurrentWeights
from goldviz.training.seeds import READ_OUT_WEIGHTS, WEIGHTS, stream

if TYPE_CHECKING:
    from goldviz.labs.recurrent_gradients.settings import RecurrentGradients


class SequenceReader(nn.Module):
    """A recurrent layer with a linear read-out of ``outputs`` numbers, its weights drawn N(0, 1/hidden)."""

    def __init__(self, layer: RecurrentWeights, outputs: int, generator: Generator) -> None:
        super().__init__()
        self.layer = layer
        weight = torch.randn(outputs, layer.hidden, generator=generator) / math.sqrt(layer.hidden)
        self.W_hy = nn.Parameter(weight)
        self.b_y = nn.Parameter(torch.zeros(outputs))

    def forward(self, inputs: Float[Tensor, "time batch inputs"]) -> RecurrentTrace:
        """Everything that the layer computes from h_0 = 0."""
        trace: RecurrentTrace = self.layer(inputs)
        return trace

    def read(self, hidden: Float[Tensor, "*any hidden"]) -> Float[Tensor, "*any outputs"]:
        """The answers at these hidden states."""
        return nn.functional.linear(hidden, self.W_hy, self.b_y)


def at_start(settings: RecurrentGradients, lane: str, seed: int, inputs: int, outputs: int) -> SequenceReader:
    """A network as it is before its first step; those of a seed share the candidate's matrix and the read-out."""
    variants = {"rnn": f"rnn_{settings.activation}", "gru": "gru" if settings.reset == "before" else "gru_reset_after"}
    layer = recurrent_layer(variants.get(lane) or usual_layer(lane), inputs, settings.hidden)
    start = RecurrentInitialisation(
        matrix=settings.initialisation, size=settings.gain, biases={"forget": settings.forget_bias}
    )
    initialise(layer, lambda index: stream(seed, WEIGHTS + index), start)
    return SequenceReader(layer, outputs, stream(seed, READ_OUT_WEIGHTS))


def side_by_side(networks: Sequence[SequenceReader]) -> Float[Tensor, "network weight"]:
    """All weights of each network in a row, zeros after the last one of those that have fewer."""
    rows = [parameters_to_vector(network.parameters()).detach() for network in networks]
    return pad_sequence(rows, batch_first=True)


def take_over(network: SequenceReader, weights: Float[Tensor, " weight"]) -> None:
    """Give the network one row of :func:`side_by_side`; raises ``ValueError`` where it is too short for it."""
    size = sum(parameter.numel() for parameter in network.parameters())
    if len(weights) < size:
        raise ValueError(f"There are {len(weights)} weights; the network has {size}.")
    vector_to_parameters(weights[:size], network.parameters())
