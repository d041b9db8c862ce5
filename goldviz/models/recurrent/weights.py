"""What Elman, LSTM and GRU layers share: stacked weights, their blocks by gate, and copies from PyTorch's layers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

Steps = tuple[Float[Tensor, "batch hidden"], ...]


@dataclass(frozen=True)
class RecurrentTrace:
    """What every forward pass keeps, step by step and in the graph: the states h_0 to h_T, each (batch, hidden)."""

    states: Steps

    @property
    def hidden(self) -> Float[Tensor, "time batch hidden"]:
        """h_1 to h_T."""
        return torch.stack(self.states[1:])


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

    def __init__(self, inputs: int, hidden: int, *, dtype: torch.dtype | None = None) -> None:
        super().__init__()
        for name, size in (("inputs", inputs), ("hidden", hidden)):
            if size < 1:
                raise ValueError(f"The number of {name} units is {size}; allowed is a whole number from 1.")
        self.inputs = inputs
        self.hidden = hidden
        rows = len(self.blocks) * hidden
        self.W_x = nn.Parameter(torch.zeros(rows, inputs, dtype=dtype))
        self.W_h = nn.Parameter(torch.zeros(rows, hidden, dtype=dtype))
        self.b = nn.Parameter(torch.zeros(rows, dtype=dtype))

    def block(self, parameter: Tensor, name: str) -> Tensor:
        """The rows of ``W_x``, ``W_h`` or ``b`` that belong to one gate, as a view."""
        if name not in self.blocks:
            raise ValueError(f"{type(self).__name__} has no gate {name!r}; it has {', '.join(self.blocks)}.")
        first = self.blocks.index(name) * self.hidden
        return parameter[first : first + self.hidden]

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
