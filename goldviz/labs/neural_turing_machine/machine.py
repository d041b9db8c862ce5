"""The neural Turing machine of Graves et al. 2014 with one head that reads and one that writes, and a trace of both.

How a head finds its place in memory is section 3.3, eq. 5-9. Document 004, section 3.1, names the two ways, by content
and by location, and gives no formula.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn import functional

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
