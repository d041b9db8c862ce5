"""The networks of a run: the neural Turing machine of Graves et al. 2014, and an LSTM and a GRU of about its size.

The machine has one head that reads and one that writes, and leaves a trace of both. How a head finds its place in
memory is section 3.3, eq. 5-9; document 004, section 3.1, names the two ways, by content and by location, and gives no
formula.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn import functional

from goldviz.labs.neural_turing_machine.tasks import EXTRA
from goldviz.models.recurrent.fused import FusedRecurrence
from goldviz.training.grid import parameter_count
from goldviz.training.seeds import READ_OUT_WEIGHTS, WEIGHTS, stream

if TYPE_CHECKING:
    from goldviz.labs.neural_turing_machine.settings import NeuralTuringMachine

SHIFTS = (1, 0, -1)
"""How many cells a weight may move, in the order of a head's shift."""
SMALLEST = 1e-30
"""A shifted weight counts as at least this much, so that its logarithm is finite."""
HEADS = ("read", "write")
READ, WRITE = range(len(HEADS))
NEARLY_EMPTY = 1e-6
"""What an empty memory is filled with: a cell of zeros has no direction to compare a key with."""
SPREAD = 0.5
"""The standard deviation of a memory that starts at random."""
GATES = {"lstm": 4, "gru": 3}
"""Blocks of weights of a recurrent layer."""
LAYERS = ("controller", "heads", "answer")
"""The layers of a machine; a recurrent layer stands in the place of the controller."""


class Controls(NamedTuple):
    """What the controller tells the heads, (batch, head, ...) each.

    ``key`` is what is looked for, ``strength`` beta > 0, ``gate`` g in [0, 1], ``shift`` three shares that sum to 1 in
    the order of :data:`SHIFTS`, and ``sharpness`` gamma >= 1.
    """

    key: Float[Tensor, "batch head column"]
    strength: Float[Tensor, "batch head 1"]
    gate: Float[Tensor, "batch head 1"]
    shift: Float[Tensor, "batch head 3"]
    sharpness: Float[Tensor, "batch head 1"]


class Address(NamedTuple):
    """The weights of each cell after each of the four stages; a head uses the last, ``sharp``."""

    content: Float[Tensor, "batch head slot"]
    gated: Float[Tensor, "batch head slot"]
    shifted: Float[Tensor, "batch head slot"]
    sharp: Float[Tensor, "batch head slot"]


def address(
    memory: Float[Tensor, "batch slot column"], controls: Controls, before: Float[Tensor, "batch head slot"]
) -> Address:
    """Where the heads go from the weights ``before``.

    By content softmax_i(beta cos(k, M_i)), the gate g w_content + (1 - g) w_before, the circular convolution
    sum_j w(j) s(i - j), and w(i)^gamma / sum_j w(j)^gamma (eq. 5-9). A cell of zeros is like nothing: its cosine is 0.

    >>> memory, before = torch.eye(3)[None], torch.tensor([[[1.0, 0.0, 0.0]]])
    >>> one = torch.ones(1, 1, 1)
    >>> ahead = Controls(torch.ones(1, 1, 3), one, 0 * one, torch.tensor([[[1.0, 0.0, 0.0]]]), one)
    >>> address(memory, ahead, before).sharp.round(decimals=6).tolist()
    [[[0.0, 1.0, 0.0]]]
    """
    # The smallest length is far below that of a cell filled with 1e-6, whose cosine must not feel it.
    cells = functional.normalize(memory, dim=-1, eps=1e-12)
    cosine = functional.normalize(controls.key, dim=-1, eps=1e-12) @ cells.mT
    content = torch.softmax(controls.strength * cosine, -1)
    gated = torch.lerp(before, content, controls.gate)
    around = torch.cat([gated[..., -1:], gated, gated[..., :1]], -1).unfold(-1, len(SHIFTS), 1)
    shifted = (around @ controls.shift[..., None])[..., 0]
    # As a softmax of logarithms: powers of small weights alone would be 0 in single precision, and so their sum.
    sharp = torch.softmax(controls.sharpness * shifted.clamp_min(SMALLEST).log(), -1)
    return Address(content, gated, shifted, sharp)


def written(
    memory: Float[Tensor, "batch slot column"],
    weights: Float[Tensor, "batch slot"],
    erase: Float[Tensor, "batch column"],
    add: Float[Tensor, "batch column"],
) -> Float[Tensor, "batch slot column"]:
    """The memory after a head wrote: M_i * (1 - w_i e) + w_i a (eq. 3-4).

    >>> half = torch.tensor([[0.5]])
    >>> written(torch.ones(1, 1, 1), half, torch.ones(1, 1), torch.ones(1, 1)).item()
    1.0
    """
    share = weights[..., None]
    return torch.addcmul(memory, share, add[:, None] - memory * erase[:, None])


@dataclass(frozen=True)
class MachineShape:
    """Sizes of a machine, and which of its parts are switched on."""

    inputs: int
    outputs: int
    hidden: int
    slots: int
    width: int
    recurrent: bool
    """Whether the controller is an LSTM; else it is one feed-forward layer."""
    content: bool
    shift: bool
    random_memory: bool


class State(NamedTuple):
    """What a machine hands on from a time step to the next."""

    memory: Float[Tensor, "batch slot column"]
    weights: Float[Tensor, "batch head slot"]
    read: Float[Tensor, "batch column"]
    hidden: Float[Tensor, "batch hidden"]
    cell: Float[Tensor, "batch hidden"]


class Visit(NamedTuple):
    """What the heads did at one time step, and the memory that they left."""

    address: Address
    controls: Controls
    memory: Float[Tensor, "batch slot column"]


class Machine(nn.Module):
    """A controller, two heads, and a memory that every sequence begins anew.

    Both heads find their places in the memory as the step before left it; then one writes, then the other reads. They
    start at the first cell. The answer is read off the controller and what was read.
    """

    start: Tensor
    stay: Tensor

    def __init__(self, shape: MachineShape, controller: Generator, heads: Generator, read_out: Generator) -> None:
        super().__init__()
        self.shape = shape
        gates = 4 if shape.recurrent else 1
        within = shape.width + (shape.hidden if shape.recurrent else 0)
        self.told = nn.Parameter(torch.empty(gates * shape.hidden, shape.inputs + within))
        self.bias = nn.Parameter(torch.empty(gates * shape.hidden))
        self.parts = [shape.width, 1, 1, len(SHIFTS), 1]
        self.heads = nn.Linear(shape.hidden, len(HEADS) * sum(self.parts) + 2 * shape.width)
        self.answer = nn.Linear(shape.hidden + shape.width, shape.outputs)
        uniform([self.told, self.bias], shape.inputs + within, controller)
        uniform(self.heads.parameters(), shape.hidden, heads)
        uniform(self.answer.parameters(), shape.hidden + shape.width, read_out)
        empty = torch.full((shape.slots, shape.width), NEARLY_EMPTY)
        noise = SPREAD * torch.randn(shape.slots, shape.width, generator=controller)
        self.register_buffer("start", noise if shape.random_memory else empty)
        self.register_buffer("stay", torch.tensor([float(shift == 0) for shift in SHIFTS]))

    def forward(
        self, inputs: Float[Tensor, "time batch input"], visits: list[Visit] | None = None
    ) -> Float[Tensor, "time batch output"]:
        """Logits of every time step; what the heads did is added to ``visits``."""
        shape, batch = self.shape, inputs.shape[1]
        weights = inputs.new_zeros(batch, len(HEADS), shape.slots)
        weights[..., 0] = 1.0
        nothing = inputs.new_zeros(batch, shape.hidden)
        state = State(self.start.expand(batch, -1, -1), weights, inputs.new_zeros(batch, shape.width), nothing, nothing)
        rows = functional.linear(inputs, self.told[:, : shape.inputs], self.bias)  # (time, batch, gates * hidden)
        within = self.told[:, shape.inputs :].T
        features = []
        for row in rows:
            state, visit = self.step(row, within, state)
            features.append(torch.cat([state.hidden, state.read], -1))
            if visits is not None:
                visits.append(visit)
        logits: Tensor = self.answer(torch.stack(features))
        return logits

    def step(self, row: Tensor, within: Tensor, state: State) -> tuple[State, Visit]:
        """One time step, of which ``row`` is what the controller makes of the input alone."""
        hidden, cell = self._controlled(row, within, state)
        controls, erase, add = self._told(hidden)
        visit = address(state.memory, controls, state.weights)
        memory = written(state.memory, visit.sharp[:, WRITE], erase, add)
        read = (visit.sharp[:, READ, None] @ memory)[:, 0]
        return State(memory, visit.sharp, read, hidden, cell), Visit(visit, controls, memory)

    def _controlled(self, row: Tensor, within: Tensor, state: State) -> tuple[Tensor, Tensor]:
        if not self.shape.recurrent:
            return torch.tanh(torch.addmm(row, state.read, within)), state.cell
        gates = torch.addmm(row, torch.cat([state.read, state.hidden], -1), within)
        take, keep, tell, candidate = gates.chunk(4, -1)
        cell = torch.sigmoid(keep) * state.cell + torch.sigmoid(take) * torch.tanh(candidate)
        return torch.sigmoid(tell) * torch.tanh(cell), cell

    def _told(self, hidden: Tensor) -> tuple[Controls, Tensor, Tensor]:
        """The heads' controls, and what is erased and added."""
        width = self.shape.width
        parameters = self.heads(hidden)
        erase, add, of_heads = parameters[:, :width], parameters[:, width : 2 * width], parameters[:, 2 * width :]
        key, strength, gate, shift, sharpness = of_heads.unflatten(-1, (len(HEADS), -1)).split(self.parts, -1)
        controls = Controls(
            torch.tanh(key),
            functional.softplus(strength),
            torch.sigmoid(gate) if self.shape.content else torch.zeros_like(gate),
            torch.softmax(shift, -1) if self.shape.shift else self.stay.expand_as(shift),
            1 + functional.softplus(sharpness),
        )
        return controls, torch.sigmoid(erase), torch.tanh(add)


@torch.no_grad()
def uniform(parameters: Iterable[Tensor], fan_in: int, generator: Generator) -> None:
    """Draw weights evenly from -1 to 1 over the square root of ``fan_in``, as PyTorch's layers do."""
    bound = 1 / math.sqrt(fan_in)
    for parameter in parameters:
        parameter.uniform_(-bound, bound, generator=generator)


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
