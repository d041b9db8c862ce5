"""What recurrent layers share: stacked weights, their blocks by gate, a step, and copies from PyTorch's layers."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

Steps = tuple[Float[Tensor, "batch hidden"], ...]
Initial = Tensor | tuple[Tensor, ...] | None


@dataclass(frozen=True)
class RecurrentTrace:
    """What every forward pass keeps, step by step and in the graph: the states h_0 to h_T, each (batch, hidden).

    ``carried`` names the fields that a step hands on to the next, h first. A gate's openings are kept as its name and
    ``_gates``.
    """

    carried: ClassVar[tuple[str, ...]] = ("states",)

    states: Steps

    @property
    def hidden(self) -> Float[Tensor, "time batch hidden"]:
        """h_1 to h_T."""
        return torch.stack(self.states[1:])

    @property
    def width(self) -> int:
        """How many values the whole state has."""
        return len(self.carried) * self.states[0].shape[1]

    def state_before(self, step: int) -> Float[Tensor, "batch state"]:
        """The whole state that step t = ``step`` + 1 begins with, without its graph."""
        return torch.cat([getattr(self, name)[step] for name in self.carried], 1).detach()


@dataclass(frozen=True)
class DrivenTrace(RecurrentTrace):
    """What a cell without derivatives by hand keeps on top: what the inputs added to its sums, W_x x_t + b.

    A cell adds fields of its own, for what its ``step`` gives beside the state, in that order.
    """

    drives: Steps


class TorchWeights(NamedTuple):
    """The weights of a one-layer PyTorch network, its gates stacked in PyTorch's order."""

    W_x: Tensor
    W_h: Tensor
    b_x: Tensor
    b_h: Tensor


class RecurrentWeights(nn.Module):
    """Input matrix W_x (gates * hidden, inputs), recurrent matrix W_h (gates * hidden, hidden) and bias b.

    ``blocks`` names the gates in the order in which their rows are stacked. All weights are zero until
    :func:`goldviz.models.recurrent.initialisation.initialise` draws them or they are copied.
    """

    blocks: ClassVar[tuple[str, ...]]
    reads_state: ClassVar[bool] = True
    """Whether gates or candidate read the last state. Of a cell where none does, W_h is 0 and no parameter."""
    W_h: Tensor
    trace: ClassVar[type[RecurrentTrace]]
    """What a forward pass leaves behind."""

    def __init__(self, inputs: int, hidden: int, *, dtype: torch.dtype | None = None) -> None:
        super().__init__()
        for name, size in (("inputs", inputs), ("hidden", hidden)):
            if size < 1:
                raise ValueError(f"The number of {name} units is {size}; allowed is a whole number from 1.")
        self.inputs = inputs
        self.hidden = hidden
        rows = len(self.blocks) * hidden
        self.W_x = nn.Parameter(torch.zeros(rows, inputs, dtype=dtype))
        from_state = torch.zeros(rows, hidden, dtype=dtype)
        if self.reads_state:
            self.W_h = nn.Parameter(from_state)
        else:
            self.register_buffer("W_h", from_state, persistent=False)
        self.b = nn.Parameter(torch.zeros(rows, dtype=dtype))

    def matrices(self) -> dict[str, nn.Parameter]:
        """What reads the input and what reads the state, all gates together; a W_h that is no parameter is none."""
        both = {"input": self.W_x, "recurrent": self.W_h}
        return {name: matrix for name, matrix in both.items() if isinstance(matrix, nn.Parameter)}

    def step(self, drive: Tensor, *state: Tensor) -> tuple[tuple[Tensor, ...], Steps]:
        """The state at t from the one at t-1, and what the trace keeps beside it: gates and candidates.

        ``drive`` (batch, gates * hidden) is W_x x_t + b, each block's part of which is added to what that block of W_h
        reads; the parts of the state are (batch, hidden), h first. All derivatives follow from it, in any precision.
        """
        raise NotImplementedError(f"{type(self).__name__} does not say how it steps.")

    def whole_step(self, drive: Tensor, state: Float[Tensor, "batch state"]) -> Float[Tensor, "batch state"]:
        """:meth:`step` for a state whose parts stand side by side."""
        return torch.cat(self.step(drive, *state.split(self.hidden, -1))[0], -1)

    def read_by_blocks(self, trace: RecurrentTrace) -> Float[Tensor, "time batch gates hidden"]:
        """What each block of W_h multiplied at every step: h_(t-1), unless the cell says otherwise."""
        return torch.stack(trace.states[:-1]).unsqueeze(2).expand(-1, -1, len(self.blocks), -1)

    def forward(self, inputs: Float[Tensor, "time batch inputs"], initial: Initial = None) -> RecurrentTrace:
        """Run over a batch of sequences from the state ``initial``; see :meth:`start`.

        For a cell whose trace is a :class:`DrivenTrace`; one with another trace has a ``forward`` of its own.
        """
        state = self.start(inputs, initial)
        drives = functional.linear(inputs, self.W_x, self.b).unbind(0)
        states: list[tuple[Tensor, ...]] = [state]
        beside: list[Steps] = []
        for drive in drives:
            state, inside = self.step(drive, *state)
            states.append(state)
            beside.append(inside)
        parts = dict(zip(self.trace.carried, zip(*states, strict=True), strict=True)) | {"drives": drives}
        others = [field.name for field in fields(self.trace) if field.name not in parts]
        return self.trace(**parts, **dict(zip(others, zip(*beside, strict=True), strict=True)))

    def block(self, parameter: Tensor, name: str) -> Tensor:
        """The rows of ``W_x``, ``W_h`` or ``b`` that belong to one gate, as a view."""
        if name not in self.blocks:
            raise ValueError(f"{type(self).__name__} has no gate {name!r}; it has {', '.join(self.blocks)}.")
        first = self.blocks.index(name) * self.hidden
        return parameter[first : first + self.hidden]

    def start(self, inputs: Tensor, initial: Initial) -> tuple[Tensor, ...]:
        """All parts of the state before the first step: ``initial``, h or all of them; zeros where it is not given.

        Raises ``ValueError`` for inputs of another shape than (time, batch, inputs).
        """
        self.check_inputs(inputs)
        if isinstance(initial, tuple):
            return initial
        h = self.zero_state(inputs) if initial is None else initial
        return (h, *(self.zero_state(inputs) for _ in self.trace.carried[1:]))

    def zero_state(self, inputs: Float[Tensor, "time batch inputs"]) -> Float[Tensor, "batch hidden"]:
        """h_0 = 0 for every sequence of the batch."""
        return inputs.new_zeros(inputs.shape[1], self.hidden)

    def check_inputs(self, inputs: Tensor) -> None:
        """Raise ``ValueError`` unless ``inputs`` is (time, batch, inputs) with at least one step."""
        if inputs.ndim != 3 or inputs.shape[0] < 1 or inputs.shape[2] != self.inputs:
            raise ValueError(
                f"The inputs have shape {tuple(inputs.shape)}; allowed is (time, batch, {self.inputs}) "
                "with at least one time step."
            )

    @torch.no_grad()
    def copy_weights(self, W_x: Tensor, W_h: Tensor, b: Tensor) -> None:
        """Take over weights that are already stacked in the order of ``blocks``."""
        self.W_x.copy_(W_x)
        self.W_h.copy_(W_h)
        self.b.copy_(b)

    @staticmethod
    def weights_of(module: nn.RNNBase) -> TorchWeights:
        """The weights of a PyTorch layer; raises ``ValueError`` if it has several layers, two directions or no bias."""
        if module.num_layers != 1 or module.bidirectional or not module.bias or module.proj_size:
            raise ValueError(
                f"The {module.mode} network has {module.num_layers} layers, bidirectional={module.bidirectional}, "
                f"bias={module.bias}, proj_size={module.proj_size}; allowed is one layer, one direction, "
                "with biases and without projection."
            )
        parameters = dict(module.named_parameters())
        return TorchWeights(*(parameters[f"{name}_l0"] for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")))
