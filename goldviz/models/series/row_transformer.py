"""A decoder-only Transformer over the rows of a series (Li et al. 2019; document 002, sections 4 and 5).

A row is y_t = [z_(t-1), x_t]; what comes out at it says how z_t is distributed. The document's d + 1 numbers of a row
are too narrow for heads, so a linear map widens them first, as Li's model does. Queries and keys are causal
convolutions of size k over the rows, values are not; k = 1 is the usual Transformer.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, cast

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from goldviz.models.feedforward.activations import ACTIVATIONS
from goldviz.models.series.attention import ATTENTIONS, AttentionOptions
from goldviz.models.series.convolution import causal_convolution
from goldviz.models.series.log_sparse import log_sparse_keys
from goldviz.models.series.positions import POSITIONS

LEAK = 0.01
"""LeakyReLU's slope below 0."""
POSITION_DEVIATION = 0.5
"""Of learned positions at first, so that they are about as long as the widened rows."""


@dataclass(frozen=True)
class RowShape:
    """Sizes and parts. ``rows`` are those of the longest series learned from, for learned positions.

    ``block`` is where layer norms stand: before the branches (``pre``), after the additions (``post``), or, as the
    document prints it, neither norms nor additions (``bare``). Raises ValueError where heads do not share the width.
    """

    inputs: int
    rows: int
    layers: int = 2
    heads: int = 2
    width: int = 32
    kernel: int = 1
    attention: str = "full"
    options: AttentionOptions = field(default_factory=AttentionOptions)
    positions: str = "sinusoidal"
    activation: str = "gelu"
    block: str = "pre"

    def __post_init__(self) -> None:
        if self.width % self.heads:
            raise ValueError(f"Width is {self.width}; allowed is a multiple of the {self.heads} heads.")


class Projected(NamedTuple):
    """Queries, keys and values of all heads, (batch, head, time, head_width) each."""

    query: Tensor
    key: Tensor
    value: Tensor


class Memory:
    """What a block's attention read so far: its inputs, and their keys and values."""

    def __init__(self) -> None:
        self.inputs = self.key = self.value = torch.empty(0)
        self.rows = 0

    def extend(self, inputs: Tensor, key: Tensor, value: Tensor) -> None:
        """Add new rows behind those that are there."""
        parts = (inputs, 1), (key, 2), (value, 2)
        old = (self.inputs, self.key, self.value)
        tensors = [torch.cat([was, new], dim) if self.rows else new for was, (new, dim) in zip(old, parts, strict=True)]
        self.inputs, self.key, self.value = tensors
        self.rows += inputs.shape[1]


class RowAttention(nn.Module):
    """q_t = sum_i y_(t-i) F^Q[i] and k_t alike, v_t = y_t W^V; heads joined by W^O (document 002, 4.1)."""

    def __init__(self, shape: RowShape) -> None:
        super().__init__()
        self.shape = shape
        size = (shape.kernel, shape.width, shape.width)
        self.query, self.key = nn.Parameter(torch.empty(size)), nn.Parameter(torch.empty(size))
        self.value = nn.Linear(shape.width, shape.width)
        self.output = nn.Linear(shape.width, shape.width)

    def forward(
        self, x: Float[Tensor, "batch time width"], places: Float[Tensor, " time"]
    ) -> Float[Tensor, "batch time width"]:
        """What each row takes from those that it sees."""
        kind = ATTENTIONS[self.shape.attention]
        context = kind.attend(*self.projected(x, places), self.shape.options)
        output: Tensor = self.output(context.transpose(1, 2).flatten(2))
        return output

    def onward(self, x: Tensor, places: Tensor, memory: Memory) -> Tensor:
        """The same for new rows behind those in the memory."""
        new, before = x.shape[1], memory.rows
        # Kernels read the k - 1 rows before the first new one, too.
        near = min(before, self.shape.kernel - 1)
        read = torch.cat([memory.inputs[:, before - near :], x], 1) if near else x
        query, key, value = (part[:, :, near:] for part in self.projected(read, places[before - near :]))
        memory.extend(x, key, value)
        lags = torch.arange(before, before + new)[:, None] - torch.arange(before + new)
        # A single new row of full attention sees all that there is.
        mask = None if new == 1 and self.shape.attention == "full" else self.sees(lags).to(x.device)
        context = scaled_dot_product_attention(query, memory.key, memory.value, attn_mask=mask)
        output: Tensor = self.output(context.transpose(1, 2).flatten(2))
        return output

    def sees(self, lags: Int[Tensor, "row cell"]) -> Bool[Tensor, "row cell"]:
        """Which cells so many rows back a row sees, where their distance alone decides that."""
        if self.shape.attention == "full":
            return lags >= 0
        options = self.shape.options
        keys = log_sparse_keys(int(lags.max()) + 1, window=options.window, restart=options.restart)
        return torch.isin(lags, torch.tensor(keys.offsets))

    def projected(self, x: Float[Tensor, "batch time width"], places: Float[Tensor, " time"]) -> Projected:
        """Queries, keys and values, turned where positions are rotary."""
        turn = POSITIONS[self.shape.positions].turned
        query, key = (self._in_heads(causal_convolution(x, kernel)) for kernel in (self.query, self.key))
        if turn is not None:
            query, key = turn(query, places), turn(key, places)
        return Projected(query, key, self._in_heads(self.value(x)))

    def maps(self, x: Float[Tensor, "batch time width"], places: Float[Tensor, " time"]) -> Tensor:
        """The weights, (batch, head, time, time)."""
        projection = self.projected(x, places)
        return ATTENTIONS[self.shape.attention].maps(projection.query, projection.key, self.shape.options)

    def _in_heads(self, x: Tensor) -> Tensor:
        return x.reshape(*x.shape[:2], self.shape.heads, -1).transpose(1, 2)


class RowBlock(nn.Module):
    """Attention, then a feed-forward network of four times the width, the same for each row."""

    def __init__(self, shape: RowShape) -> None:
        super().__init__()
        self.place = shape.block
        self.attention = RowAttention(shape)
        self.expand = nn.Linear(shape.width, 4 * shape.width)
        self.contract = nn.Linear(4 * shape.width, shape.width)
        norms = [nn.Identity() if shape.block == "bare" else nn.LayerNorm(shape.width) for _ in range(2)]
        self.attention_norm, self.feed_forward_norm = norms
        self.activation = ACTIVATIONS[shape.activation](LEAK).function

    def forward(
        self, x: Float[Tensor, "batch time width"], places: Float[Tensor, " time"], memory: Memory | None = None
    ) -> Float[Tensor, "batch time width"]:
        """The block's output; with a memory, of new rows behind those in it."""
        read = self.seen(x)
        context = self.attention(read, places) if memory is None else self.attention.onward(read, places, memory)
        if self.place == "bare":
            return self.feed_forward(context)
        if self.place == "post":
            x = self.attention_norm(x + context)
            output: Tensor = self.feed_forward_norm(x + self.feed_forward(x))
            return output
        x = x + context
        return x + self.feed_forward(self.feed_forward_norm(x))

    def seen(self, x: Float[Tensor, "batch time width"]) -> Float[Tensor, "batch time width"]:
        """What attention reads of the block's input."""
        return cast("Tensor", self.attention_norm(x)) if self.place == "pre" else x

    def feed_forward(self, x: Float[Tensor, "batch time width"]) -> Float[Tensor, "batch time width"]:
        """FFN(x) = phi(x W1 + b1) W2 + b2."""
        output: Tensor = self.contract(self.activation(self.expand(x)))
        return output


class RowTransformer(nn.Module):
    """Rows widened by a linear map, positions, n blocks, and a layer norm behind pre-norm blocks."""

    def __init__(self, shape: RowShape) -> None:
        super().__init__()
        self.shape = shape
        self.widen = nn.Linear(shape.inputs, shape.width)
        learns = POSITIONS[shape.positions].learns
        self.table = nn.Parameter(torch.empty(shape.rows, shape.width)) if learns else None
        self.blocks = nn.ModuleList(RowBlock(shape) for _ in range(shape.layers))
        self.final_norm = nn.LayerNorm(shape.width) if shape.block == "pre" else nn.Identity()

    def states(
        self, x: Float[Tensor, "batch time width"], places: Float[Tensor, " time"]
    ) -> Float[Tensor, "batch time width"]:
        """What the blocks make of embedded rows; each row sees itself and what stands before."""
        for block in self.stack():
            x = block(x, places)
        output: Tensor = self.final_norm(x)
        return output

    def embedded(
        self, rows: Float[Tensor, "batch time input"], times: Float[Tensor, "batch time"], before: int = 0
    ) -> tuple[Tensor, Tensor]:
        """The widened rows with what is added of their positions, and the places of all rows up to the last.

        ``before`` rows were read already. Rows behind the last learned position take that one's.
        """
        code = POSITIONS[self.shape.positions]
        x = self.widen(rows)
        places = torch.arange(before + rows.shape[1], device=rows.device, dtype=rows.dtype)
        if code.added is None:
            return x, places
        counts = times if code.counts == "days" else places[before:]
        counts = counts if self.table is None else counts.clamp(max=len(self.table) - 1)
        return x + code.added(counts, self.shape.width, self.table), places

    def stack(self) -> list[RowBlock]:
        """The blocks from the first to the last."""
        return [cast("RowBlock", block) for block in self.blocks]

    def walk(self, rows: Tensor, times: Tensor) -> list[tuple[RowBlock, Tensor, Tensor]]:
        """Each block with what its attention reads and the places of rows."""
        x, places = self.embedded(rows, times)
        visits = []
        for block in self.stack():
            visits.append((block, block.seen(x), places))
            x = block(x, places)
        return visits


def initialise_rows(network: nn.Module, weights: Callable[[int], torch.Generator]) -> None:
    """Fill matrices and kernels from N(0, 1 / inputs) and biases with 0; norms stay as they are.

    The bias that widens rows is drawn from N(0, 1): a layer norm behind it would leave nothing but the sign of a value.
    ``weights(index)`` gives the generator of each parameter, in the network's order. A kernel's first entry is drawn
    first, so that k = 1 and a larger k begin with the same one, and the others start at 0: a longer kernel is the usual
    Transformer at first.
    """
    with torch.no_grad():
        for index, (name, parameter) in enumerate(network.named_parameters()):
            generator = weights(index)
            if name == "widen.bias":
                parameter.normal_(generator=generator)
            elif "norm" in name or parameter.ndim == 1:
                parameter.fill_(float("norm" in name and name.endswith("weight")))
            elif name == "table":
                parameter.normal_(0, POSITION_DEVIATION, generator=generator)
            elif parameter.ndim == 3:
                parameter.zero_()[0].normal_(0, 1 / math.sqrt(parameter.shape[1]), generator=generator)
            else:
                parameter.normal_(0, 1 / math.sqrt(parameter.shape[1]), generator=generator)
