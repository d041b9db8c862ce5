"""The deep MLP and its residual twin (document 001, eq. 25-26, Annex 5.3.2), and how their blocks stretch changes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import linear

from goldviz.models.feedforward.activations import ACTIVATIONS
from goldviz.models.feedforward.initialisations import INITIALISATIONS
from goldviz.models.feedforward.normalisations import NORMALISATIONS

CONNECTIONS: dict[str, Callable[[Tensor, Tensor, float], Tensor]] = {
    "plain": lambda h, f, scale: f,
    "residual": lambda h, f, scale: torch.add(h, f, alpha=scale),
}
"""How a block's output is made of its input h and its branch F(h): eq. 25 and eq. 26."""


class Pass(NamedTuple):
    """What one pass gives: x_hat, the hidden states h_0 to h_L, and the sums z_0 to z_L that phi was applied to."""

    output: Float[Tensor, "sample feature"]
    hidden: list[Float[Tensor, "sample unit"]]
    sums: list[Float[Tensor, "sample unit"]]


class DeepMLP(nn.Module):
    """h_0 = phi(W_0 x + b_0), then ``depth`` blocks, then a linear read-out (document 001, Annex 5.3.2).

    A block's branch is F(h) = noise(dropout(phi(norm(W h + b)))); a plain block gives F(h) (eq. 25), a residual one
    h + residual_scale F(h) (eq. 26). Dropout (inverted) and additive Gaussian noise act in training mode alone. The
    tied read-out is x_hat = W_0^T h + b; the untied one has a matrix of its own.

    ``weights(layer)`` gives the generator of a layer's weights and bias, 0 to ``depth``, with -1 for the read-out, so
    networks of different depth share their first layers. Everything is drawn on the CPU.
    """

    def __init__(
        self,
        *,
        network: str,
        features: int,
        width: int,
        depth: int,
        weights: Callable[[int], torch.Generator],
        activation: str = "leaky_relu",
        slope: float = 0.3,
        initialisation: str = "default",
        gain: float = 1.0,
        normalisation: str = "none",
        residual_scale: float = 1.0,
        read_out: str = "tied",
        dropout: float = 0.0,
        noise: float = 0.0,
    ) -> None:
        super().__init__()
        self.connection = CONNECTIONS[network]
        self.activation = ACTIVATIONS[activation](slope)
        self.residual_scale = residual_scale
        self.dropout = dropout
        self.noise = noise

        def drawn(layer: int, rows: int, columns: int) -> tuple[Tensor, Tensor]:
            weight, bias = torch.empty(rows, columns), torch.zeros(rows)
            INITIALISATIONS[initialisation](weight, bias, self.activation.gain, weights(layer))
            return weight * gain, bias

        input_weight, input_bias = drawn(0, width, features)
        blocks = [drawn(layer, width, width) for layer in range(1, depth + 1)]
        read_out_weight, output_bias = drawn(-1, features, width)
        self.input_weight = nn.Parameter(input_weight)
        self.input_bias = nn.Parameter(input_bias)
        # One tensor for all blocks: the optimiser and the diagnostics then take one step instead of ``depth``.
        self.block_weight = nn.Parameter(torch.stack([weight for weight, _ in blocks]))
        self.block_bias = nn.Parameter(torch.stack([bias for _, bias in blocks]))
        self.norms = nn.ModuleList(NORMALISATIONS[normalisation](width) for _ in blocks)
        self.read_out_weight = nn.Parameter(read_out_weight) if read_out == "untied" else None
        self.output_bias = nn.Parameter(output_bias)

    def forward(self, x: Float[Tensor, "sample feature"], generator: torch.Generator | None = None) -> Pass:
        """One pass; ``generator``, on the network's device, draws dropout and noise in training mode."""
        z = linear(x, self.input_weight, self.input_bias)
        h = self.activation.function(z)
        hidden, sums = [h], [z]
        for weight, bias, norm in self._blocks():
            z = norm(linear(h, weight, bias))
            h = self.connection(h, self._disturbed(self.activation.function(z), generator), self.residual_scale)
            hidden.append(h)
            sums.append(z)
        return Pass(self._read_out(h), hidden, sums)

    def predict(self, x: Float[Tensor, "sample feature"]) -> Float[Tensor, "sample feature"]:
        """The output alone, without dropout and noise.

        No block's state outlasts the next one, so the same memory serves all: half the time of :meth:`forward`.
        """
        h = self.activation.function(linear(x, self.input_weight, self.input_bias))
        for weight, bias, norm in self._blocks():
            branch = self.activation.function(norm(linear(h, weight, bias)))
            h = self.connection(h, branch, self.residual_scale)
        return self._read_out(h)

    def _blocks(self) -> Iterator[tuple[Tensor, Tensor, nn.Module]]:
        """Each block's weights, bias and normalisation."""
        return zip(self.block_weight.unbind(), self.block_bias.unbind(), self.norms, strict=True)

    def _read_out(self, h: Float[Tensor, "sample unit"]) -> Float[Tensor, "sample feature"]:
        weight = self.input_weight.t() if self.read_out_weight is None else self.read_out_weight
        return linear(h, weight, self.output_bias)

    def branch(self, block: int, h: Float[Tensor, "sample unit"]) -> Float[Tensor, "sample unit"]:
        """phi(norm(W h + b)) of block 1 to ``depth``, without dropout and noise."""
        z: Tensor = self.norms[block - 1](linear(h, self.block_weight[block - 1], self.block_bias[block - 1]))
        return self.activation.function(z)

    def block(self, block: int, h: Float[Tensor, "sample unit"]) -> Float[Tensor, "sample unit"]:
        """h_block as a function of the hidden state before it, without dropout and noise."""
        return self.connection(h, self.branch(block, h), self.residual_scale)

    def weight_stacks(self) -> list[nn.Parameter]:
        """The parameters that hold weight matrices, in the order of the layers; the blocks' matrices are stacked."""
        stacks = [self.input_weight, self.block_weight, self.read_out_weight]
        return [stack for stack in stacks if stack is not None]

    def _disturbed(self, f: Tensor, generator: torch.Generator | None) -> Tensor:
        if not self.training:
            return f
        if self.dropout > 0:
            keep = 1 - self.dropout
            # rand draws several times faster than bernoulli_ and F.dropout do on a CPU.
            chance = torch.rand(f.shape, generator=generator, device=f.device, dtype=f.dtype)
            f = f * chance.lt_(keep).div_(keep)
        if self.noise > 0:
            unit = torch.randn(f.shape, generator=generator, device=f.device, dtype=f.dtype)
            f = unit.mul_(self.noise).add_(f)
        return f


JACOBIANS_AT_ONCE = 200_000
"""Entries of Jacobians that are computed together: fewer calls, and memory that does not grow with the depth."""


def jacobians(
    functions: Sequence[Callable[[Tensor], Tensor]], h: Float[Tensor, "function sample unit"]
) -> Float[Tensor, "function sample out_unit unit"]:
    """d f(h) / dh of each function f at every sample of its own, exactly, in one backward pass.

    They treat samples one by one, as any block does outside training: each sample is repeated once for every output,
    and the copies ask for one row of the Jacobian each.
    """
    _, samples, width = h.shape
    copies = h.detach().repeat_interleave(width, dim=1).requires_grad_()
    rows = torch.eye(width, dtype=h.dtype, device=h.device).repeat(samples, 1)
    values = torch.stack([function(own) for function, own in zip(functions, copies.unbind(), strict=True)])
    # Rows handed over as ``grad_outputs`` would do the same, and make PyTorch load SymPy first, for half a second.
    (result,) = torch.autograd.grad((values * rows).sum(), copies)
    return result.view(-1, samples, width, width)


def rms_singular_value(jacobian: Float[Tensor, "*before sample unit unit"]) -> Float[Tensor, "*before"]:
    """||J||_F / sqrt(width), the root-mean-square singular value, averaged over the samples.

    1 is what an orthogonal matrix has: a random gradient keeps its length on average.
    """
    frobenius: Tensor = torch.linalg.matrix_norm(jacobian)
    return frobenius.mean(-1) / math.sqrt(jacobian.shape[-1])


def block_gains(model: DeepMLP, hidden: Sequence[Float[Tensor, "sample unit"]]) -> Float[Tensor, " block"]:
    """The root-mean-square singular value of dh_l/dh_(l-1) for each block (document 001, eq. 27 and 44-48).

    ``hidden`` are the states h_0 to h_L of a few samples. The model is measured in evaluation mode, without dropout
    and noise and with batch norm's running statistics, and left in the mode that it was in.
    """
    training = model.training
    model.eval()
    blocks = [partial(model.block, block) for block in range(1, len(hidden))]
    states = torch.stack([*hidden[:-1]])
    together = max(1, JACOBIANS_AT_ONCE // (states[0].numel() * states.shape[-1]))
    gains = [
        rms_singular_value(jacobians(blocks[first : first + together], states[first : first + together]))
        for first in range(0, len(blocks), together)
    ]
    model.train(training)
    return torch.cat(gains)
