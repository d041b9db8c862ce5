"""The networks of a run: the machine, and an LSTM and a GRU with about as many parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from jaxtyping import Float
from torch import Generator, Tensor, nn

from goldviz.labs.neural_turing_machine.machine import Machine, MachineShape, uniform
from goldviz.labs.neural_turing_machine.tasks import EXTRA
from goldviz.models.recurrent.fused import FusedRecurrence
from goldviz.training.grid import parameter_count
from goldviz.training.seeds import READ_OUT_WEIGHTS, WEIGHTS, stream

if TYPE_CHECKING:
    from goldviz.labs.neural_turing_machine.settings import NeuralTuringMachine

GATES = {"lstm": 4, "gru": 3}
"""Blocks of weights of a recurrent layer."""
LAYERS = ("controller", "heads", "answer")
"""The layers of a machine; a recurrent layer stands in the place of the controller."""


class Rival(nn.Module):
    """PyTorch's LSTM or GRU, and a linear layer that answers."""

    def __init__(
        self, cell: str, inputs: int, hidden: int, outputs: int, layer: Generator, read_out: Generator
    ) -> None:
        super().__init__()
        self.cell = cell
        self.recurrent = FusedRecurrence(cell, inputs, hidden)
        self.answer = nn.Linear(hidden, outputs)
        uniform(self.recurrent, hidden, layer)
        uniform(self.answer.parameters(), hidden, read_out)

    def forward(self, inputs: Float[Tensor, "time batch input"]) -> Float[Tensor, "time batch output"]:
        """Logits of every time step, from a state of zeros."""
        states, _ = self.recurrent.read(inputs)
        logits: Tensor = self.answer(states)
        return logits


Network: TypeAlias = Machine | Rival


def lanes(networks: str) -> tuple[str, ...]:
    """The networks that the setting ``networks`` means."""
    return ("ntm", "lstm", "gru") if networks == "all" else (networks,)


def hidden_of_equal_size(cell: str, inputs: int, outputs: int, parameters: int) -> int:
    """The hidden units with which a rival's number of parameters comes nearest to this one.

    >>> hidden_of_equal_size("gru", 7, 4, 4256)
    33
    """

    def size(hidden: int) -> int:
        return GATES[cell] * hidden * (inputs + hidden + 2) + outputs * (hidden + 1)

    return min(range(1, 1 + round(parameters**0.5)), key=lambda hidden: abs(size(hidden) - parameters))


def network_of(settings: NeuralTuringMachine, lane: str, seed: int) -> Network:
    """A network at its start; a setting that switches a part off leaves the other weights as they were."""
    inputs, outputs = settings.bits + len(EXTRA), settings.bits
    shape = MachineShape(
        inputs,
        outputs,
        settings.hidden,
        settings.slots,
        settings.width,
        settings.controller == "lstm",
        settings.content,
        settings.shift,
        settings.memory == "random",
    )
    machine = Machine(shape, stream(seed, WEIGHTS), stream(seed, WEIGHTS + 1), stream(seed, READ_OUT_WEIGHTS))
    if lane == "ntm":
        return machine
    hidden = hidden_of_equal_size(lane, inputs, outputs, parameter_count(machine))
    return Rival(lane, inputs, hidden, outputs, stream(seed, WEIGHTS), stream(seed, READ_OUT_WEIGHTS))


def layers_of(network: Network) -> tuple[Sequence[str], list[list[Tensor]]]:
    """The layers that a network has, and the matrices of each."""
    answer: list[Tensor] = [network.answer.weight]
    if isinstance(network, Machine):
        return LAYERS, [[network.told], [network.heads.weight], answer]
    return LAYERS[::2], [[weight for weight in network.recurrent if weight.ndim > 1], answer]
